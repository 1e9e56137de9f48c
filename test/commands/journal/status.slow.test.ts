// orderctl journal status: on this machine and shared, in every state that a journal can be in.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openJournal } from '../../../src/journal/open-journal.ts'
import { versions } from '../../../src/journal/tables/list.ts'
import { superuser } from '../../support/postgres/installation.ts'
import { startServer } from '../../support/postgres/server.ts'
import { openWorld } from '../../support/world.ts'
import { buy, openTeam } from './team.ts'

const status = ['journal', 'status']

describe('of the journal on this machine', () => {
  const open = async () => {
    const shop = await openWorld()
    const file = path.join(shop.home, 'state', 'journal.db')
    mkdirSync(path.dirname(file), { recursive: true })
    const show = async () => JSON.parse((await shop.run([...status, '--json'])).stdout)
    return { shop, file, show }
  }

  test('that does not exist yet', async () => {
    const { shop, file, show } = await open()
    expect(await shop.run(status)).toMatchObject({ exit: 0, stderr: '' })
    expect((await shop.run(status)).stdout).toContain('no journal yet. Your first order creates it\n')
    expect(await show()).toEqual({
      ...{ kind: 'file', place: file, state: 'missing', version: null },
      ...{ bytes: 0, orders: null, batches: null, refused: null, restored: null, unsent: [] },
    })
  })

  test('with an order', async () => {
    const { shop, show } = await open()
    await shop.must('create', '--product', 'GAME-US:25', '--wallet', 'USD')
    const { bytes, ...report } = await show()
    expect(report).toMatchObject({ state: 'current', orders: 1, batches: 0 })
    expect(bytes).toBeGreaterThan(10_000)
    expect((await shop.run(status)).stdout).toMatch(/^Size +\d+\.\d KiB\nOrders +1$/m)
  })

  test.each([
    ['of another version', 'PRAGMA user_version = 99', 'was written by another version of orderctl'],
    ['of another program', 'PRAGMA application_id = 7', 'is a database, but not a journal of orderctl'],
  ])('%s: exit 9', async (_, change, message) => {
    const { shop, file } = await open()
    await (await openJournal(file)).close()
    const database = new DatabaseSync(file)
    database.exec(change)
    database.close()
    const { exit, stderr } = await shop.run(status)
    expect({ exit, stderr }).toEqual({ exit: 9, stderr: expect.stringContaining(message) })
  })
})

describe('of a shared journal', () => {
  test('in an empty database: it makes no tables', async () => {
    const { run, json, database, address } = await openTeam()
    expect(await json(...status)).toMatchObject({
      ...{
        kind: 'postgres',
        place: address,
        state: 'missing',
        version: null,
      },
      ...{ orders: null, users: null, role: database.nameOf('ana'), isStandby: false, tls: 'disable' },
      connections: [{ role: database.nameOf('ana'), count: 1 }],
      unsent: [],
    })
    const { exit, stdout, stderr } = await run(status)
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
    expect(stdout).toContain('no tables yet. Create them: orderctl journal migrate\n')
    expect(await database.admin("SELECT 1 FROM pg_class WHERE relname = 'orders'")).toEqual([])
  })

  test('with orders: who uses it, and from where', async () => {
    const { run, json, prepare, database } = await openTeam({ roles: ['ben'] })
    await prepare()
    await run(buy)
    await database.admin(`INSERT INTO actors (role, os_user, host) VALUES ('ben', 'benjamin', 'laptop');
      UPDATE orders SET actor = (SELECT max(number) FROM actors)`)
    const { bytes, ...report } = await json(...status)
    expect(bytes).toBeGreaterThan(10_000)
    expect(report).toMatchObject({ state: 'current', version: versions.postgres, orders: 1, batches: 0 })
    expect(report.users).toContainEqual({
      ...{ role: 'ben', user: 'benjamin', host: 'laptop' },
      lastOrderAt: expect.stringMatching(/^\d{4}-/),
    })
    const { stdout } = await run(status)
    expect(stdout).toMatch(/^ben +benjamin +laptop +(now|in \d+ s|\d+ s ago)$/m)
    expect(stdout).toMatch(/^TLS +not used$/m)
  })

  test('by a role without permissions: exit 9, and how to get them', async () => {
    const { run, prepare, database, proxy } = await openTeam({ roles: ['ben'] })
    await prepare()
    await database.admin(`GRANT CONNECT ON DATABASE ${database.name} TO ${database.nameOf('ben')}`)
    const { exit, stderr } = await run(status, { env: { ORDERCTL_JOURNAL: database.address('ben', proxy) } })
    expect(exit).toBe(9)
    expect(stderr).toContain(`error: the role ${database.nameOf('ben')} lacks a permission in postgres:`)
    expect(stderr).toContain(`orderctl journal migrate --grant ${database.nameOf('ben')}.`)
  })

  test('of another version: exit 9, and the version is named', async () => {
    const { run, prepare, database } = await openTeam()
    await prepare()
    await database.admin('UPDATE orderctl_journal SET version = 99; DROP TABLE actors CASCADE')
    const { exit, stderr } = await run(status)
    expect({ exit, stderr }).toEqual({
      exit: 9,
      stderr: expect.stringContaining('was written by another version of orderctl (schema 99, '),
    })
  })

  test('in a database of another program: exit 9', async () => {
    const { run, database } = await openTeam()
    await database.admin('CREATE TABLE theirs (id int)')
    const { exit, stderr } = await run(status)
    expect({ exit, stderr }).toEqual({
      exit: 9,
      stderr: expect.stringContaining('has tables of another program'),
    })
  })

  test('that is unreachable: what this machine knows, then exit 9', async () => {
    const { run, prepare, loseAt, address, database } = await openTeam()
    await prepare()
    loseAt('UPDATE calls SET outcome', { nth: 2 })
    const orderId = (await run([...buy, '-q'])).stdout.trim()
    const { exit, stdout, stderr } = await run([...status, '--json'])
    expect({ exit, report: JSON.parse(stdout) }).toEqual({
      exit: 9,
      report: {
        ...{ kind: 'postgres', place: address, state: 'unreachable', version: null, bytes: null },
        ...{ orders: null, batches: null, tls: 'disable' },
        ...{ isCertificateChecked: false, role: database.nameOf('ana') },
        machine: { user: 'tester', host: 'desk' },
        ...{ lastCallAt: expect.stringMatching(/^\d{4}-/), restored: null },
        unsent: [expect.objectContaining({ order: orderId, operation: 'confirm', outcome: 'done' })],
      },
    })
    const { error } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '')
    expect(error).toMatchObject({
      message: expect.stringMatching(/^cannot connect to postgres:/),
      retryable: true,
    })
    const text = await run(status)
    expect({ exit: text.exit, stderr: text.stderr }).toEqual({
      exit: 9,
      stderr: expect.stringContaining('error: cannot connect to postgres:'),
    })
    expect(text.stdout).toMatch(/^Machine +tester on desk$/m)
    expect(text.stdout).toMatch(/^Version +unknown, because the database cannot be used$/m)
    expect(text.stdout).toContain(orderId)
  })

  test('that was restored from a backup: it says so, and names the file', async () => {
    const { run, json, prepare, shop, database } = await openTeam()
    await prepare()
    await run(buy)
    expect(await json(...status)).toMatchObject({ restored: null })
    await database.admin('TRUNCATE orders, calls CASCADE')
    const { restored } = await json(...status)
    expect(restored).toMatch(new RegExp(`^${shop.home}/state/seen/.*\\.json$`))
    const { exit, stdout } = await run(status, { env: { COLUMNS: '400' } })
    expect({ exit, stdout }).toEqual({
      exit: 0,
      stdout: expect.stringMatching(/^Restored +this machine has seen a newer call than the journal has\./m),
    })
    rmSync(restored)
    expect(await json(...status)).toMatchObject({ restored: null, lastCallAt: null })
  })

  test('on a standby', async () => {
    const server = await startServer({ settings: ['wal_level = replica'] })
    onTestFinished(() => server[Symbol.asyncDispose]())
    const { name: user, password } = superuser
    const admin = { host: '127.0.0.1', port: server.port, user, password, database: 'postgres' }
    const { run, json, prepare } = await openTeam({ server: admin })
    await prepare()
    await server.stop('fast')
    const signal = path.join(server.socketFolder, 'standby.signal')
    writeFileSync(signal, '')
    await server.start()
    expect(await json(...status)).toMatchObject({ state: 'current', isStandby: true, orders: 0 })
    expect((await run(status)).stdout).toContain('standby: read-only. Use the primary server\n')
    const { exit, stderr } = await run(['journal', 'migrate'])
    expect({ exit, stderr }).toEqual({ exit: 9, stderr: expect.stringContaining('is a standby') })
    await server.stop('fast')
    rmSync(signal)
    await server.start()
  })

  test('with outcomes that this machine has saved, and a damaged one', async () => {
    const { run, json, prepare, loseAt, proxy, spool, address } = await openTeam()
    await prepare()
    loseAt('UPDATE calls SET outcome', { nth: 2 })
    const orderId = (await run([...buy, '-q'])).stdout.trim()
    writeFileSync(path.join(spool, 'x.json'), '{')
    proxy.refuse(false)
    expect((await json(...status)).unsent).toMatchObject([
      { order: orderId, operation: 'confirm', outcome: 'done', journal: address },
      { file: path.join(spool, 'x.json'), problem: 'is damaged' },
    ])
    const { stdout } = await run(status, { env: { COLUMNS: '80' } })
    expect(stdout).toMatch(/^Not yet recorded +2 outcomes$/m)
    const section = stdout.slice(stdout.indexOf('Outcomes not yet recorded\n')).replaceAll(spool, 'SPOOL')
    expect(section).toMatch(
      new RegExp(
        `^Outcomes not yet recorded\n${orderId}  confirm: done, (now|in 1 s|\\d+ s ago)\n  File SPOOL/\\S+\n–  damaged\n  File SPOOL/x.json\n$`,
      ),
    )
  })

  test('a wrong profile is an error, and --profile sandbox means the file', async () => {
    const { run, json } = await openTeam()
    expect((await run([...status, '--profile', 'nope'])).exit).toBe(2)
    expect(await json(...status, '--profile', 'sandbox')).toMatchObject({ kind: 'file' })
  })
})
