// doctor checks the shared journals of all profiles. status.slow.test.ts has the states of a journal, which it checks alike.
import { expect, onTestFinished, test } from 'vitest'
import { closedPort } from '../../support/network/client-servers.ts'
import { createDatabase } from '../../support/postgres/database.ts'
import { openTcpProxy } from '../../support/postgres/tcp-proxy.ts'
import { openDesk, saveProfiles } from './desk.ts'

const open = async (...roles: string[]) => {
  const database = await createDatabase({ roles })
  onTestFinished(() => database[Symbol.asyncDispose]())
  const desk = openDesk()
  const envOf = (role = 'ana') => ({
    ORDERCTL_JOURNAL: database.address(role),
    PGPASSWORD: database.password,
  })
  const examine = async (env: Readonly<Record<string, string | undefined>> = envOf(), ...flags: string[]) => {
    const examined = await desk.examine({ env }, ...flags)
    expect(examined.stdout).not.toContain(database.password)
    expect(examined.questions).toEqual([])
    return { ...examined, shared: examined.find('Shared journal') }
  }
  const migrate = async (...words: string[]): Promise<void> => {
    const { exit, stderr } = await desk.run(['journal', 'migrate', ...words], { env: envOf() })
    if (exit !== 0) throw new Error(stderr)
  }
  return { database, desk, envOf, examine, migrate }
}

test('a role without permissions is a problem', async () => {
  const { database, envOf, examine, migrate } = await open('ben')
  await migrate()
  const role = database.nameOf('ben')
  const { exit, shared } = await examine(envOf('ben'))
  expect({ exit, advice: shared?.advice }).toEqual({
    exit: 9,
    advice: `Ask the owner of its tables to run orderctl journal migrate --grant ${role}.`,
  })
  await database.admin(`GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role}`)
  const reader = await examine(envOf('ben'))
  expect({ exit: reader.exit, shared: reader.shared }).toMatchObject({
    exit: 9,
    shared: {
      detail: `${database.address('ben')} responds, role ${role}, but the role may not record orders`,
      advice: `Ask its owner to run: orderctl journal migrate --grant ${role}`,
    },
  })
  await migrate('--grant', role)
  expect((await examine(envOf('ben'))).shared?.status).toBe('ok')
})

test('a wrong password, a missing password and a closed port are problems', async () => {
  const { database, envOf, examine } = await open()
  const port = await closedPort()
  const closed = database.address('ana', { host: '127.0.0.1', port })
  const details = await Promise.all(
    [
      { ...envOf(), PGPASSWORD: 'wrong' },
      { ...envOf(), PGPASSWORD: undefined },
      { ORDERCTL_JOURNAL: closed },
      { ORDERCTL_JOURNAL: 'mysql://x' },
    ].map(async (env) => {
      const { exit, shared } = await examine(env)
      return [exit, shared?.status, shared?.detail]
    }),
  )
  expect(details).toEqual([
    [9, 'problem', expect.stringContaining('the password is wrong')],
    [9, 'problem', expect.stringContaining('the server asks for a password')],
    [9, 'problem', `cannot connect to ${closed}: connection refused`],
    [9, 'problem', 'ORDERCTL_JOURNAL is not the address of a database'],
  ])
})

test('a server that does not respond ends in its time', async () => {
  const { database, examine } = await open()
  await using proxy = await openTcpProxy(database)
  proxy.hold(true)
  const env = { ORDERCTL_JOURNAL: database.address('ana', proxy), PGPASSWORD: database.password }
  const { exit, shared } = await examine(env, '--timeout', '300ms')
  expect({ exit, status: shared?.status }).toEqual({ exit: 9, status: 'problem' })
  expect(shared?.detail).toMatch(/no response/)
})

test('the journal of a profile is checked with the command that prints its password', async () => {
  const { database, desk, examine, migrate } = await open()
  await migrate()
  const profile = {
    baseUrl: `http://127.0.0.1:${await closedPort()}`,
    journal: database.address(),
    journalPasswordCommand: `echo ${database.password} >&2; echo ${database.password}`,
  }
  saveProfiles(desk, { name: 'shop', ...profile }, { name: 'second', ...profile })
  const { shared, report } = await examine({})
  expect(shared?.status).toBe('ok')
  expect(report.checks.filter(({ name }) => name === 'Shared journal')).toHaveLength(1)
})

test('a profile that keeps its orders in another journal is a problem', async () => {
  const { desk, examine, envOf } = await open()
  const baseUrl = `http://127.0.0.1:${await closedPort()}`
  saveProfiles(desk, { name: 'shop', baseUrl })
  await desk.run(['create', '--product', 'GAME-US:25', '--wallet', 'USD'], { env: envOf() })
  const { find } = await examine({})
  expect(find('shop journal')).toMatchObject({
    status: 'problem',
    detail: expect.stringContaining(
      `the orders of ${baseUrl.replace('http://127.0.0.1', 'localhost')} are in the journal postgres://`,
    ),
  })
})
