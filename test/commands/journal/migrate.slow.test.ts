// orderctl journal migrate by several machines at once, and on a standby. migrate.slow.session has the rest.
import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startServer } from '../../support/postgres/server.ts'
import { openTeam } from './team.ts'

const migrate = ['journal', 'migrate']

test('several at once make the tables once', async () => {
  const { run, database } = await openTeam()
  const all = await Promise.all(Array.from({ length: 4 }, () => run(migrate)))
  expect(all.map(({ exit, stderr }) => ({ exit, stderr }))).toEqual(all.map(() => ({ exit: 0, stderr: '' })))
  expect(all.filter(({ stdout }) => stdout.startsWith('Created'))).toHaveLength(1)
  expect(await database.admin('SELECT version FROM orderctl_journal')).toHaveLength(1)
})

test('a standby is a problem, and gets no tables', async () => {
  const server = await startServer({ settings: ['wal_level = replica'] })
  onTestFinished(() => server[Symbol.asyncDispose]())
  const { run, prepare } = await openTeam({ server: server.admin })
  await prepare()
  await server.stop()
  const signal = path.join(server.socketFolder, 'standby.signal')
  writeFileSync(signal, '')
  await server.start()
  const { exit, stdout } = await run(['journal', 'status'])
  expect([exit, stdout]).toEqual([9, expect.stringContaining('Use the address of the primary server.')])
  const migrated = await run(migrate)
  expect(migrated).toMatchObject({ exit: 9, stderr: expect.stringContaining('is a standby') })
  await server.stop()
  rmSync(signal)
  await server.start()
})
