// redeem --export on a full disk. export.session has the others.
import { mkdirSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { cannotMount, smallDisk } from '../../support/disks.ts'
import { openWorld } from '../../support/world.ts'

test('nothing is left behind on a full disk', async ({ skip }) => {
  if (cannotMount) skip(cannotMount)
  const { home, ended, run } = await openWorld()
  const folder = path.join(home, 'files')
  mkdirSync(folder)
  const order = await ended('GAME-US:25x2')
  using _disk = smallDisk(folder, '4k')
  const file = path.join(folder, 'a.html')
  expect(await run(['redeem', order, '--export', file])).toEqual({
    exit: 74,
    stdout: '',
    stderr: `error: cannot write ${file}: no space left on device\nFree some disk space, or choose another file. No partial file was left.\n`,
  })
  expect(readdirSync(folder)).toEqual([])
})
