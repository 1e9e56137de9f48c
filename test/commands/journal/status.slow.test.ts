// orderctl journal status: on this machine and shared, in every state that a journal can be in.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { versions } from '../../../src/journal/tables/list.ts'
import { superuser } from '../../support/postgres/installation.ts'
import { startServer } from '../../support/postgres/server.ts'
import { openWorld } from '../../support/world.ts'
import { buy, openTeam } from './team.ts'

const status = ['journal', 'status']

type Check = {
  readonly name: string
  readonly status: string
  readonly detail: string
  readonly data?: unknown
}

/** The first check of each name. */
const readChecks = (stdout: string) => {
  const { checks } = JSON.parse(stdout) as { readonly checks: readonly Check[] }
  return new Map(checks.toReversed().map((check) => [check.name, check]))
}

describe('of the journal on this machine', () => {
  const open = async () => {
    const shop = await openWorld()
    const file = path.join(shop.home, 'state', 'journal.db')
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
    return { shop, file }
  }

  test('that does not exist yet', async () => {
    const { shop, file } = await open()
    const { exit, stdout, stderr } = await shop.run(status, { env: { COLUMNS: '400' } })
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
    expect(stdout).toContain(`ok       File      ${file} does not exist yet. Your first order creates it\n`)
  })

  test('with an order', async () => {
    const { shop, file } = await open()
    await shop.must('create', '--product', 'GAME-US:25', '--wallet', 'USD')
    expect(readChecks((await shop.run([...status, '--json'])).stdout).get('Orders')).toMatchObject({
      ...{ status: 'ok', detail: expect.stringMatching(/^1 order, 0 batches, \d+\.\d KiB, version \d+$/) },
      data: { file, orders: 1, batches: 0, bytes: expect.any(Number), version: expect.any(Number) },
    })
  })
})

describe('of a shared journal', () => {
  const openChecked = async (options?: Parameters<typeof openTeam>[0]) => {
    const team = await openTeam(options)
    const show = async (...more: Parameters<typeof team.run>) => {
      const [words = [], situation] = more
      const { exit, stdout } = await team.run([...status, '--json', ...words], situation)
      return { exit, checks: readChecks(stdout) }
    }
    return { ...team, show }
  }

  test('in an empty database: it makes no tables', async () => {
    const { run, show, database, address } = await openChecked()
    const { checks } = await show([])
    expect(checks.get('Shared journal')).toMatchObject({
      ...{ status: 'warning', fix: 'orderctl journal migrate' },
      detail: `${address} responds, role ${database.nameOf('ana')}, but it has no tables yet`,
    })
    const { exit, stderr } = await run(status)
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
    expect(await database.admin("SELECT 1 FROM pg_class WHERE relname = 'orders'")).toEqual([])
  })

  test('with orders: who uses it, and from where', async () => {
    const { run, show, prepare, database } = await openChecked({ roles: ['ben'] })
    await prepare()
    await run(buy)
    // Without triggers: an order keeps its actor.
    await database.admin(`INSERT INTO actors (role, os_user, host) VALUES ('ben', 'benjamin', 'laptop');
      SET session_replication_role = replica; UPDATE orders SET actor = (SELECT max(number) FROM actors)`)
    const { checks } = await show([])
    expect(checks.get('Shared orders')?.data).toMatchObject({
      ...{ version: versions.postgres, orders: 1, batches: 0, bytes: expect.any(Number) },
    })
    expect(checks.get('User')?.data).toEqual({
      ...{ role: 'ben', user: 'benjamin', host: 'laptop' },
      lastOrderAt: expect.stringMatching(/^\d{4}-/),
    })
    const { stdout } = await run(status)
    expect(stdout).toMatch(/^ +ok +User +ben, benjamin on laptop: newest order (now|in \d+ s|\d+ s ago)$/m)
  })

  test('by a role without permissions: exit 9, and how to get them', async () => {
    const { prepare, show, database, proxy } = await openChecked({ roles: ['ben'] })
    await prepare()
    const role = database.nameOf('ben')
    await database.admin(`GRANT CONNECT ON DATABASE ${database.name} TO ${role}`)
    const { exit, checks } = await show([], { env: { ORDERCTL_JOURNAL: database.address('ben', proxy) } })
    expect(exit).toBe(9)
    expect(checks.get('Shared journal')).toMatchObject({
      ...{
        status: 'problem',
        detail: expect.stringContaining(`the role ${role} lacks a permission in postgres:`),
      },
      advice: expect.stringContaining(`orderctl journal migrate --grant ${role}.`),
    })
  })

  test.each([
    [
      'of another version',
      'UPDATE orderctl_journal SET version = 99; DROP TABLE actors CASCADE',
      'was written by a different version of orderctl (schema 99, ',
    ],
    [
      'in a database of another program',
      'DROP SCHEMA public CASCADE; CREATE SCHEMA public AUTHORIZATION pg_database_owner; CREATE TABLE theirs (id int)',
      'contains tables of a different program',
    ],
  ])('%s: exit 9', async (_, change, message) => {
    const { show, prepare, database } = await openChecked()
    await prepare()
    await database.admin(change)
    const { exit, checks } = await show([])
    expect({ exit, found: checks.get('Shared journal') }).toMatchObject({
      ...{ exit: 9, found: { status: 'problem', detail: expect.stringContaining(message) } },
    })
  })

  test('that is unreachable: what this machine knows, and exit 9', async () => {
    const { run, show, prepare, loseAt, address } = await openChecked()
    await prepare()
    loseAt('UPDATE calls SET outcome', { nth: 2 })
    const orderId = (await run([...buy, '-q'])).stdout.trim()
    const { exit, checks } = await show([])
    expect(exit).toBe(9)
    expect(checks.get('Shared journal')).toMatchObject({
      ...{ status: 'problem', detail: expect.stringMatching(/^cannot connect to postgres:/) },
    })
    expect(checks.get('This machine')?.data).toEqual({ user: 'tester', host: 'desk' })
    expect(checks.get('Newest call')?.data).toMatchObject({ at: expect.stringMatching(/^\d{4}-/) })
    expect(checks.get('Outcomes')).toMatchObject({
      ...{ status: 'warning', fix: 'orderctl reconcile' },
      data: { order: orderId, operation: 'confirm', outcome: 'done', journal: address },
    })
  })

  test('that was restored from a backup: exit 9, and what to do', async () => {
    const { run, show, prepare, database } = await openChecked()
    await prepare()
    await run(buy)
    expect((await show([])).exit).toBe(0)
    await database.admin('TRUNCATE orders, calls CASCADE')
    const { exit, checks } = await show([])
    expect({ exit, found: checks.get('Shared journal') }).toMatchObject({
      exit: 9,
      found: {
        detail: expect.stringContaining('does not contain the newest call that this machine has seen'),
        advice: "Compare the service's orders with the output of list. Then use journal forget to continue.",
      },
    })
    await run(['journal', 'forget'])
    expect((await show([])).exit).toBe(0)
  })

  test('on a standby', async () => {
    const server = await startServer({ settings: ['wal_level = replica'] })
    onTestFinished(() => server[Symbol.asyncDispose]())
    const { name: user, password } = superuser
    const admin = { host: '127.0.0.1', port: server.port, user, password, database: 'postgres' }
    const { run, show, prepare } = await openChecked({ server: admin })
    await prepare()
    await server.stop('fast')
    const signal = path.join(server.socketFolder, 'standby.signal')
    writeFileSync(signal, '')
    await server.start()
    const { exit, checks } = await show([])
    expect({ exit, found: checks.get('Shared journal') }).toMatchObject({
      ...{ exit: 9, found: { status: 'problem', advice: 'Use the address of the primary server.' } },
    })
    expect(checks.get('Shared orders')?.data).toMatchObject({ orders: 0 })
    const migrated = await run(['journal', 'migrate'])
    expect(migrated).toMatchObject({ exit: 9, stderr: expect.stringContaining('is a standby') })
    await server.stop('fast')
    rmSync(signal)
    await server.start()
  })

  test('with outcomes that this machine has saved', async () => {
    const { run, prepare, loseAt, proxy, state, address } = await openChecked()
    await prepare()
    loseAt('UPDATE calls SET outcome', { nth: 2 })
    const orderId = (await run([...buy, '-q'])).stdout.trim()
    proxy.refuse(false)
    const { exit, stdout } = await run(status, { env: { COLUMNS: '1000' } })
    expect(exit).toBe(0)
    const ago = '(now|in 1 s|\\d+ s ago)'
    expect(stdout).toMatch(
      new RegExp(
        `warning +Outcomes +the confirm of ${orderId} \\(done, ${ago}\\) is not yet in ${address.replace('?', '\\?')}, only in ${state}/machine.db`,
      ),
    )
  })

  test('a wrong profile is an error, and --profile sandbox means the file', async () => {
    const { run, show } = await openChecked()
    expect((await run([...status, '--profile', 'nope'])).exit).toBe(2)
    expect([...(await show(['--profile', 'sandbox'])).checks.keys()]).toEqual(['Outcomes', 'Disk', 'File'])
  })
})
