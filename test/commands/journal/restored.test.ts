// The machine file notes no calls of the sandbox. backup.session has restored journals.
import path from 'node:path'
import { expect, test } from 'vitest'
import { readMachineFile } from '../../support/machine-file.ts'
import { openWorld } from '../../support/world.ts'

const order = ['create', '--product', 'GAME-US:25', '--wallet', 'USD', '--reference', 'po-1', '--confirm']

test('calls of the sandbox are not noted, because a reset deletes them', async () => {
  const { home, must } = await openWorld()
  await must(...order)
  await must('sandbox', 'reset')
  await must(...order)
  const { journals, location } = readMachineFile(path.join(home, 'state'))
  expect([journals, location]).toEqual([[], expect.stringContaining('inode')])
})
