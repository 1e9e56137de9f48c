// The journal of one machine is restored from a backup, or its process is killed before that. Each reference is bought at
// most once, by the service's own account.
import { copyFileSync, rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { isPastPending } from '../../src/contract/states.ts'
import { deleteMachineFile, readMachineFile } from '../support/machine-file.ts'
import { readDatabase } from '../support/scratch.ts'
import { type Injection, openWorld, type World } from './world.ts'

const buy = (reference: string): string[] => [
  ...['create', '--product', 'GAME-US:25', '--wallet', 'USD', '--reference', reference],
  ...['--confirm', '--json'],
]

const mustBuy = async (world: World, reference: string): Promise<void> => {
  const { end, stderr } = await world.run(buy(reference))
  if (end !== 0) throw new Error(`${reference}: ${end}\n${stderr}`)
}

const listBought = async ({ orders }: World): Promise<string[]> =>
  (await orders())
    .filter(({ state }) => isPastPending(state))
    .map(({ reference }) => reference)
    .toSorted()

const backUp = ({ journalFile }: World): void => copyFileSync(journalFile, `${journalFile}.copy`)

const restore = ({ journalFile }: World): void => {
  for (const ending of ['', '-wal', '-shm']) rmSync(`${journalFile}${ending}`, { force: true })
  copyFileSync(`${journalFile}.copy`, journalFile)
}

const killAt = (at: string): Injection => ({ at, how: 'SIGKILL' })

const note = 'sqlite: INSERT INTO journals VALUES ($journal, $place, $'

type Kill = readonly [name: string, injection: Injection | undefined, end: number, bought: readonly string[]]

test.for<Kill>([
  // Nothing was sent.
  ['between the create and its note', killAt('fs: openSync machine.db #1 before'), 0, ['early', 'late']],
  ['while the create is noted', killAt(`${note} #1 after`), 0, ['early', 'late']],
  [
    'between the note and the request of the create',
    killAt('socket: request connect #1 before'),
    9,
    ['early'],
  ],
  ['between the confirm and its note', killAt(`${note} #2 before`), 9, ['early']],
  [
    'between the note and the request of the confirm',
    { operation: 'confirm', part: 'request', byte: 0 },
    9,
    ['early'],
  ],
  [
    'after the request of the confirm',
    { operation: 'confirm', part: 'response', byte: 0 },
    9,
    ['early', 'late'],
  ],
  ['never', undefined, 9, ['early', 'late']],
])('a command that is killed %s, then a restored backup', async ([_name, injection, end, bought]) => {
  await using world = await openWorld()
  await mustBuy(world, 'early')
  backUp(world)
  const first = await world.run(buy('late'), { ...(injection && { injection }) })
  expect(first.end).toBe(injection === undefined ? 0 : 'SIGKILL')
  restore(world)
  const again = await world.run(buy('late'))
  expect([again.end, await listBought(world)], again.stderr).toEqual([end, bought])
  if (end === 0) return
  expect(again.stderr).toContain('does not contain the newest call that this machine has seen')
  // Reading still works, and so does settling.
  for (const words of [['list'], ['reconcile']]) expect((await world.run(words)).end).toBe(0)
  expect((await world.run(['journal', 'forget'])).end).toBe(0)
  await mustBuy(world, 'other')
})

test('two processes at once note the newest of their calls', async () => {
  await using world = await openWorld()
  await mustBuy(world, 'early')
  const runs = await Promise.all(['r1', 'r2', 'r3', 'r4'].map((reference) => world.run(buy(reference))))
  expect(runs.map(({ end }) => end)).toEqual([0, 0, 0, 0])
  const [newest] = readDatabase(world.journalFile, (database) =>
    database.prepare('SELECT number AS call, id FROM calls ORDER BY number DESC LIMIT 1').all(),
  )
  expect(readMachineFile(world.state).journals).toMatchObject([{ newest }])
})

test('without its machine file, a machine still buys each reference once', async () => {
  await using world = await openWorld()
  await mustBuy(world, 'early')
  const killed = await world.run(buy('late'), {
    injection: { operation: 'confirm', part: 'response', byte: 0 },
  })
  expect(killed.end).toBe('SIGKILL')
  deleteMachineFile(world.state)
  expect([(await world.run(buy('early'))).end, (await world.run(buy('late'))).end]).toEqual([11, 11])
  await mustBuy(world, 'other')
  expect(await listBought(world)).toEqual(['early', 'late', 'other'])
})
