// redeem --export: files of cards, whole or not at all, for their owner alone, over nothing by mistake.
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { cannotMount, smallDisk } from '../../support/disks.ts'
import { byExecutable, openWorld, overSocket, type Way } from '../../support/world.ts'

/** A customer with an order that has had its end, and a folder for files. */
const shopping = async (products = ['GAME-US:25x2'], way: Way = {}) => {
  const shop = await openWorld(way)
  const folder = path.join(shop.home, 'files')
  mkdirSync(folder)
  const at = (name: string): string => path.join(folder, name)
  const order = await shop.ended(...products)
  const exports = (name: string, ...words: string[]) =>
    shop.run(['redeem', order, '--export', at(name), ...words])
  return { ...shop, folder, at, order, exports, there: () => readdirSync(folder).sort() }
}

const refused = (exit: number, message: string, advice: string) => ({
  exit,
  stdout: '',
  stderr: `error: ${message}\n${advice}\n`,
})

describe.each([
  ['in process', {}],
  ['by the built executable', byExecutable],
] as const)('%s', (_, way) => {
  test('each form has every code, is for its owner alone, and shows none; the journal knows', async () => {
    const { exports, at, there, must, order } = await shopping(['GAME-US:25x2'], way)
    const codes = (await must('redeem', order, '--only', 'code', '--reveal')).trim().split('\n')
    const names = ['cards.HTML', 'cards.csv', 'cards.json', 'cards.txt']
    for (const name of names) {
      expect(await exports(name)).toEqual({
        exit: 0,
        stdout: '',
        stderr: `Wrote 2 cards with codes to ${at(name)}, readable only by you (mode 0600)\n`,
      })
      expect(codes.filter((code) => !readFileSync(at(name), 'utf8').includes(code))).toEqual([])
      expect(statSync(at(name)).mode & 0o777).toBe(0o600)
    }
    expect(there()).toEqual(names)
    expect(readFileSync(at('cards.json'), 'utf8')).toBe(await must('redeem', order, '--reveal', '--json'))
    const reveals = JSON.parse(await must('list', '--reveals', '--json'))
    expect(reveals.map(({ how }: { how: string }) => how)).toEqual([
      ...['reveal', 'export', 'export', 'export', 'export', 'reveal'],
    ])
  })
})

test('on Windows, the note does not mention a mode', async () => {
  const { at, order, runIn } = await shopping()
  const words = ['redeem', order, '--export', at('cards.txt')]
  const { stderr } = await runIn(words, { platform: 'win32' })
  expect(stderr).toBe(`Wrote 2 cards with codes to ${at('cards.txt')}\n`)
})

test('--json says where the cards are, -q the id; of a part it exits 8', async () => {
  const { exports, at, order } = await shopping(['GAME-US:25', 'TEST-FAIL:10'])
  const { exit, stdout, stderr } = await exports('a.csv', '--json')
  expect([exit, JSON.parse(stdout)]).toEqual([8, { file: at('a.csv'), cards: 1 }])
  expect(stderr).toBe('')
  expect((await exports('c.csv')).stderr).toMatch(
    /^Wrote 1 card with codes to .*\nmissing: TEST-FAIL: 1 ordered, no card received\n$/,
  )
  expect((await exports('b.csv', '-q', '--sku', 'GAME-US')).stdout).toBe(`${order}\n`)
})

describe('nothing is written over', () => {
  const advice = 'Use --force to overwrite it, or choose another file.'
  const linkFix = 'Use --force to overwrite its target, or choose another file.'

  test('but with --force, and then whole', async () => {
    const { exports, at, there, asked } = await shopping()
    writeFileSync(at('a.txt'), 'mine', { mode: 0o644 })
    const before = await asked()
    expect(await exports('a.txt')).toEqual(refused(2, `${at('a.txt')} already exists`, advice))
    expect([readFileSync(at('a.txt'), 'utf8'), await asked()]).toEqual(['mine', before])
    expect((await exports('a.txt', '--force')).exit).toBe(0)
    expect(readFileSync(at('a.txt'), 'utf8')).toMatch(/^Order sbx_/)
    expect([statSync(at('a.txt')).mode & 0o777, there()]).toEqual([0o600, ['a.txt']])
  })

  test('nor through a link, but with --force', async () => {
    const { exports, at, there } = await shopping()
    writeFileSync(at('target'), 'mine')
    symlinkSync('target', at('a.csv'))
    symlinkSync('nowhere', at('b.csv'))
    expect(await exports('a.csv')).toEqual(refused(2, `${at('a.csv')} is a symbolic link`, linkFix))
    expect(await exports('b.csv')).toEqual(refused(2, `${at('b.csv')} is a symbolic link`, linkFix))
    expect(await exports('b.csv', '--force')).toEqual(
      refused(2, `${at('b.csv')} is a broken symbolic link`, 'Choose another file.'),
    )
    expect((await exports('a.csv', '--force')).exit).toBe(0)
    expect(readFileSync(at('target'), 'utf8')).toMatch(/^"order",/)
    expect([lstatSync(at('a.csv')).isSymbolicLink(), there()]).toEqual([true, ['a.csv', 'b.csv', 'target']])
  })

  test('nor what comes there while the order is read', async () => {
    const { exports, at, there, arrived } = await shopping(['GAME-US:25'], overSocket)
    arrived.once('get', () => writeFileSync(at('a.html'), 'mine'))
    expect(await exports('a.html')).toEqual(
      refused(
        74,
        `cannot write ${at('a.html')}: file already exists`,
        'Free some disk space, or choose another file. No partial file was left.',
      ),
    )
    expect([readFileSync(at('a.html'), 'utf8'), there()]).toEqual(['mine', ['a.html']])
  })

  test('nor a folder', async () => {
    const { exports, at } = await shopping()
    mkdirSync(at('a.json'))
    expect(await exports('a.json', '--force')).toEqual(
      refused(2, `${at('a.json')} is not a regular file`, 'Choose another file.'),
    )
  })
})

describe('nothing is left behind', () => {
  test('where the folder is not there: nothing is asked for either', async () => {
    const { exports, at, asked } = await shopping()
    const before = await asked()
    expect(await exports('none/a.csv')).toEqual(
      refused(
        9,
        `cannot write ${at('none/a.csv')}: no such file or directory; nothing was sent`,
        'Choose a folder that exists and that you can write to.',
      ),
    )
    expect(await asked()).toBe(before)
  })

  test('where the order has no cards', async () => {
    const { run, created, at, there } = await shopping()
    const { exit } = await run(['redeem', await created('GAME-US:25'), '--export', at('a.csv')])
    expect([exit, there()]).toEqual([3, []])
  })

  test('on a full disk', async ({ skip }) => {
    if (cannotMount) skip(cannotMount)
    const { exports, at, there, folder } = await shopping()
    using _disk = smallDisk(folder, '4k')
    expect(await exports('a.html')).toEqual(
      refused(
        74,
        `cannot write ${at('a.html')}: no space left on device`,
        'Free some disk space, or choose another file. No partial file was left.',
      ),
    )
    expect(there()).toEqual([])
  })
})

test('flags that contradict it are named, all of them; nothing is asked for', async () => {
  const { exports, run, there, order, asked } = await shopping()
  const before = await asked()
  expect((await exports('a.xls', '--only', 'code', '--reveal')).stderr).toMatch(
    /^error: 3 flags are invalid\n {2}--export is ".*a\.xls"; allowed: a name that ends in \.csv, \.json, \.txt, \.html\n {2}--export writes whole cards, .*--only\n {2}--export writes the codes .*--reveal\ntry: orderctl redeem --help\n$/,
  )
  expect(await run(['redeem', order, '--force'])).toEqual(
    refused(2, '--force needs --export', 'try: orderctl redeem --help'),
  )
  expect([await asked(), there()]).toEqual([before, []])
})
