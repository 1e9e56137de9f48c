// Writes docs/pictures/card-sheet.png: the printed sheet of a card from the sandbox. Needs chromium.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '../..')
const home = mkdtempSync(path.join(tmpdir(), 'orderctl-pictures-'))
const env = { PATH: process.env.PATH, HOME: home, TZ: 'UTC' }

const orderctl = (line: string): void => {
  const words = [path.join(root, 'bin/orderctl.cjs'), ...line.split(' ')]
  execFileSync(process.execPath, words, { cwd: home, env, stdio: 'ignore' })
}

try {
  orderctl('create --product GAME-US:25 --wallet USD --reference team-lunch --confirm --watch')
  orderctl('redeem ref:team-lunch --export cards.html')
  const flags = [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--hide-scrollbars',
    '--window-size=720,574',
    `--screenshot=${path.join(root, 'docs/pictures/card-sheet.png')}`,
    `file://${path.join(home, 'cards.html')}`,
  ]
  execFileSync('chromium', flags, { cwd: home, env, stdio: 'ignore' })
} finally {
  rmSync(home, { recursive: true, force: true })
}
