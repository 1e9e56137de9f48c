// redeem --export through links, and on a full disk. export.session has the others.
import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { cannotMount, smallDisk } from '../../support/disks.ts'
import { openWorld, overSocket, type Way } from '../../support/world.ts'

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

describe('nothing is written over', () => {
  const linkFix = 'Use --force to overwrite its target, or choose another file.'

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
})

describe('nothing is left behind', () => {
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
