// completion install with real shells, disks and users. install.slow.session has what they print.
import { execFileSync } from 'node:child_process'
import { chownSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { cannotMount, readOnly } from '../../support/disks.ts'
import { inSituation } from '../../support/in-process.ts'
import { isInstalled } from '../../support/installed.ts'
import { folder } from '../../support/orderctl.ts'

const run = (home: string, words: readonly string[]) =>
  inSituation(['completion', ...words], {
    ...{ cwd: home, platform: 'linux' },
    env: { SHELL: '/bin/bash', NO_COLOR: '1', COLUMNS: '200' },
  })

const listFiles = (home: string): string[] =>
  readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((each) => !each.isDirectory())
    .map((each) => path.relative(home, path.join(each.parentPath, each.name)))
    .sort()
const put = (file: string, text: string | Buffer): void => {
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, text)
}
const read = (file: string): string => readFileSync(file, 'utf8')

test('a startup file on a read-only disk stays as it is', async ({ skip }) => {
  if (cannotMount) skip(cannotMount)
  const home = folder()
  const rc = path.join(home, '.bashrc')
  put(rc, '# mine\n')
  using _disk = readOnly(rc)
  const { exit, stderr } = await run(home, ['install'])
  expect(exit).toBe(9)
  expect(stderr).toContain(
    `\nerror: cannot use ${rc}: read-only file system\nAdd this line to the file yourself: `,
  )
  expect(read(rc)).toBe('# mine\n')
})

describe('a home with an odd name is sourced as it is, by', () => {
  const odd = (): string => {
    const home = path.join(folder(), `it's $(touch canary) "home" & more`)
    mkdirSync(home)
    return home
  }
  const known: Record<string, [string[], RegExp]> = {
    bash: [['--norc', '-c', '. "$HOME/.bashrc"; complete -p orderctl'], /-F _orderctl orderctl/],
    zsh: [['-f', '-c', 'source "$HOME/.zshrc"; print -r -- $_comps[orderctl]'], /^_orderctl$/m],
    fish: [
      ['-c', 'function orderctl; end; complete -C "orderctl "; complete -c orderctl'],
      /__orderctl_offer/,
    ],
  }
  test.for(Object.entries(known))('%s', async ([shell, [words, expected]], { skip }) => {
    if (!isInstalled(shell)) skip(`${shell} is not installed`)
    const home = odd()
    expect((await run(home, ['install', shell])).exit).toBe(0)
    const env = { PATH: process.env.PATH, HOME: home, TERM: 'dumb' }
    expect(execFileSync(shell, words, { cwd: home, env, encoding: 'utf8', stdio: 'pipe' })).toMatch(expected)
    expect(listFiles(path.dirname(home)).filter((each) => path.basename(each) === 'canary')).toEqual([])
  })
})

test.skipIf(process.getuid?.() !== 0)('install refuses a home of another user', async () => {
  const home = folder()
  chownSync(home, 65534, 65534)
  const { exit, stderr } = await run(home, ['install', 'bash', '--yes'])
  expect([exit, listFiles(home)]).toEqual([9, []])
  expect(stderr).toBe(
    `error: the home folder cannot be used: ${home} belongs to another user (uid 65534)\n` +
      `Run orderctl as that user, without sudo. If root should own it, run: chown -R 0 ${home}\n`,
  )
})
