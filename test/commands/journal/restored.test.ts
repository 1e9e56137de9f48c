// A command that spends, on a journal that was restored from a backup.
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { readMachineFile } from '../../support/machine-file.ts'
import { openWorld, overNetwork } from '../../support/world.ts'

const order = ['create', '--product', 'GAME-US:25', '--wallet', 'USD', '--reference', 'po-1', '--confirm']

test.each([
  ['create', order],
  ['create --idempotent', [...order, '--idempotent']],
  ['confirm', ['confirm', 'ref:po-1']],
  ['batch run', ['batch', 'run', '--product', 'GAME-US:25', '--wallet', 'USD', '--max-total', '25']],
])('%s asks the service nothing', async (_name, words) => {
  const { home, must, run, sent } = await openWorld(overNetwork)
  await must(...order)
  const requests = sent('get')
  {
    using database = new DatabaseSync(path.join(home, 'state', 'journal.db'))
    database.exec('DELETE FROM calls')
  }
  const { exit, stderr } = await run(words)
  expect([exit, stderr]).toEqual([
    9,
    expect.stringMatching(/ restored from a backup or replaced; nothing was sent$/m),
  ])
  expect([sent('create'), sent('confirm'), sent('get')]).toEqual([1, 1, requests])
  expect((await run(['list'])).exit).toBe(0)
  for (const words of [
    ['journal', 'status', '--json'],
    ['doctor', '--json'],
  ])
    expect(JSON.parse((await run(words)).stdout).checks).toContainEqual(
      expect.objectContaining({
        name: 'Content',
        status: 'problem',
        advice: "Compare the service's orders with the output of list. Then use journal forget to continue.",
      }),
    )
})

test('calls of the sandbox are not noted, because a reset deletes them', async () => {
  const { home, must } = await openWorld()
  await must(...order)
  await must('sandbox', 'reset')
  await must(...order)
  const { journals, location } = readMachineFile(path.join(home, 'state'))
  expect([journals, location]).toEqual([[], expect.stringContaining('inode')])
})
