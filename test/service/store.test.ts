import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { Failure } from '../../src/errors.ts'
import { openStore } from '../../src/service/store.ts'
import { openService } from '../support/embedded.ts'
import { scarce } from '../support/scarce.ts'
import { openScratch } from '../support/scratch.ts'

const createDatabase = (file: string, sql: string): void => {
  const database = new DatabaseSync(file)
  database.exec(sql)
  database.close()
}

const readFiles = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => [name, readFileSync(join(parentPath, name)).toString('base64')]),
  )

/** Returns the failure of opening a service with this file, or 'opened'. */
const tryToOpen = async (stateFile: string, options = {}): Promise<unknown> => {
  try {
    await using _service = await openService({ stateFile, ...options })
    return 'opened'
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const { cause: _, ...details } = error.details
    return { kind: error.kind, message: error.message, ...details }
  }
}

test('a reopened state file keeps orders, clock, outcomes and deliveries', async () => {
  using scratch = openScratch()
  const webhookUrl = 'http://127.0.0.1:1/'
  let pending = ''
  let confirmed = ''
  const snapshots: unknown[] = []
  const takeSnapshot = async ({ mock, get }: Awaited<ReturnType<typeof openService>>) => {
    const replies = [await mock('GET', '/state'), await get(confirmed), await mock('GET', '/deliveries')]
    snapshots.push(replies.map(({ data }) => data))
  }
  {
    await using service = await openService({ stateFile: scratch.file, seed: 'kept' })
    confirmed = await service.confirmed(['GAME-BR'], { webhookUrl })
    await service.mock('POST', '/clock', { advance: '5m' })
    pending = await service.created(['GAME-BR'])
    await service.mock('POST', '/outcome', { orderId: pending, outcome: 'failed' })
    await takeSnapshot(service)
  }
  await using service = await openService({ stateFile: scratch.file, seed: undefined })
  await takeSnapshot(service)
  expect(snapshots[1]).toEqual(snapshots[0])
  expect([service.embedded.seed, (await service.confirm(pending)).status]).toEqual(['kept', 200])
  service.clock.advance(2_000)
  expect([await service.state(pending), await service.state(confirmed)]).toEqual(['failed', 'successful'])
})

const untouched = 'It was left untouched. Choose a different state file, or move this file away.'
const notOurs = 'FILE is a database, but not a state file of orderctl'
const otherSchema = 'CREATE TABLE a (b); PRAGMA application_id = 0x6f726453; PRAGMA user_version = 2'

test.each<[string, (file: string) => void, message: string]>([
  ['a foreign database', (file) => createDatabase(file, 'CREATE TABLE bookmarks (url TEXT)'), notOurs],
  [
    'a foreign database of the same version',
    (file) => createDatabase(file, 'CREATE TABLE wallets (url TEXT); PRAGMA user_version = 1'),
    notOurs,
  ],
  [
    'another schema',
    (file) => createDatabase(file, otherSchema),
    'FILE was written by a different version of orderctl (schema 2, expected OURS)',
  ],
  ['a text of 100 characters', (file) => writeFileSync(file, 'x'.repeat(100)), 'FILE is not a database'],
  ['a folder', (file) => mkdirSync(file), 'FILE is not a file'],
  ['a link to nothing', (file) => symlinkSync(`${file}-none`, file), 'FILE is a link to a missing file'],
])('%s is refused and left unchanged', async (_name, createFile, message) => {
  using scratch = openScratch()
  createFile(scratch.file)
  const before = readFiles(scratch.folder)
  const text = JSON.stringify(await tryToOpen(scratch.file)).replaceAll(scratch.file, 'FILE')
  const found = JSON.parse(text.replace(/(?<=expected )\d+/, 'OURS'))
  const version = untouched.replace('. ', '. Use the version of orderctl that wrote it. ')
  const advice = message.includes('schema') ? version : untouched
  expect(found).toEqual({ kind: 'local-state', message, advice })
  expect(readFiles(scratch.folder)).toEqual(before)
})

test.each([
  ['missing/state.db', 'no such file or directory'],
  ['a-file/state.db', 'not a directory'],
])('%s is refused', async (name, reason) => {
  using scratch = openScratch()
  writeFileSync(join(scratch.folder, 'a-file'), '')
  const file = join(scratch.folder, name)
  expect(await tryToOpen(file)).toEqual({
    kind: 'local-state',
    message: `cannot use the state file ${file}: ${reason}`,
    advice: expect.stringMatching(/^Choose a different state file. You must be able to write to its folder/),
    retryable: false,
  })
  expect(Object.keys(readFiles(scratch.folder))).toEqual(['a-file'])
})

test('a different seed is refused, and its catalogue is not added', async () => {
  using scratch = openScratch()
  expect(await tryToOpen(scratch.file, { seed: 'one', catalogue: scarce })).toBe('opened')
  const before = readFiles(scratch.folder)
  expect(await tryToOpen(scratch.file, { seed: 'two' })).toEqual({
    kind: 'usage',
    message: `the state file ${scratch.file} has a different seed`,
    field: '--seed',
    advice: 'Omit --seed to use the seed of the file, or choose a different file with --state.',
  })
  expect(readFiles(scratch.folder)).toEqual(before)
})

test('an order that another process has finished does not go back to processing', async () => {
  using scratch = openScratch()
  await using service = await openService({ stateFile: scratch.file })
  const id = await service.confirmed(['GAME-US'])
  service.clock.advance(2_000)
  const ended = await service.get(id)
  const { orders, close } = openStore(scratch.file, scarce, undefined, () => '')
  orders.startProcessing(1)
  close()
  expect((await service.get(id)).data).toEqual(ended.data)
})

test('only the owner can read a state file and its WAL files', async () => {
  using scratch = openScratch()
  await using service = await openService({ stateFile: scratch.file })
  await service.confirmed(['GAME-US'])
  const modes = readdirSync(scratch.folder).map(
    (name) => `${name} ${(statSync(join(scratch.folder, name)).mode & 0o777).toString(8)}`,
  )
  expect(modes.sort()).toEqual(['state.db 600', 'state.db-shm 600', 'state.db-wal 600'])
})

test.each(['file:state.db', 'a?mode=memory', 'a#b', '50%.db', 'naïve ☕.db', "it's.db"])(
  'a state file can have the name %s',
  async (name) => {
    using scratch = openScratch()
    const file = join(scratch.folder, name)
    expect([await tryToOpen(file), Object.keys(readFiles(scratch.folder))]).toEqual(['opened', [name]])
  },
)
