// What a user reads if the database cannot be used.
import { createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkServer, openPostgres } from '../../src/postgres/open.ts'
import { createDatabase, type TestDatabase } from '../support/postgres/database.ts'
import { findFreePort } from '../support/postgres/server.ts'
import { failureOf, openClient, parse } from './open-client.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase({ roles: ['ben'] })
  await database.admin('CREATE TABLE item (id int)')
})
afterAll(() => database[Symbol.asyncDispose]())

const failureAt = async (
  address: string,
  environment: Record<string, string> = {},
  platform: string = process.platform,
): Promise<string> => {
  const client = openPostgres({
    address: parse(address),
    ...{ environment, home: undefined, platform, warn: () => {} },
    ...{ random: () => 0.5, sleep: async () => {} },
  })
  const text = await failureOf(client.all('SELECT 1'))
  await client.close()
  return text.replace(address, 'ADDRESS')
}

const environment = () => ({ PGPASSWORD: database.password })

describe('a connection', () => {
  test('is refused', async () => {
    expect(await failureAt(`postgres://ana@127.0.0.1:${await findFreePort()}/orders`)).toBe(
      `local-state: cannot connect to ADDRESS: connection refused
Check the host and the port, and that the server runs and accepts connections.`,
    )
    // Both addresses of localhost refuse.
    expect(await failureAt(`postgres://ana@localhost:${await findFreePort()}/orders`)).toContain(
      'cannot connect to ADDRESS: connection refused',
    )
  })

  test('goes to a host that does not exist', async () => {
    expect(await failureAt('postgres://ana@nowhere.invalid/orders')).toMatch(
      /^local-state: cannot connect to ADDRESS: (the host does not exist|the host name cannot be resolved)\n/,
    )
  })

  test('goes to a socket that does not exist', async () => {
    expect(await failureAt('postgres://ana@/orders?host=/nowhere')).toBe(
      `local-state: cannot connect to ADDRESS: the folder contains no PostgreSQL socket
Check the folder and the port, and that the server runs.`,
    )
  })

  test('goes to a server that is not PostgreSQL', async () => {
    const server = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    expect(await failureAt(`postgres://ana@127.0.0.1:${port}/orders`)).toBe(
      `local-state: cannot connect to ADDRESS: the server ended the connection
Check the host and the port, and that the server runs and accepts connections.`,
    )
    server.close()
  })

  test('has a wrong password', async () => {
    const text = await failureAt(database.address(), { PGPASSWORD: 'a-wrong-password' })
    expect(text).toBe(
      `local-state: cannot connect to ADDRESS: the password is wrong
Check the password, and the user in the address. PGPASSWORD and ~/.pgpass come before a prompt.`,
    )
  })

  test('has no password', async () => {
    const { host, port, database: name, user } = parse(database.address())
    expect(await failureAt(database.address())).toBe(
      `local-state: cannot connect to ADDRESS: the server asks for a password
Put it into PGPASSWORD, or add this line to ~/.pgpass (mode 0600): ${host}:${port}:${name}:${user}:PASSWORD`,
    )
    expect(await failureAt(database.address(), { PGPASSFILE: '/nowhere/passwords' })).toContain(
      'add this line to /nowhere/passwords (mode 0600): ',
    )
    expect(await failureAt(database.address(), { APPDATA: '/data' }, 'win32')).toContain(
      'add this line to /data/postgresql/pgpass.conf: ',
    )
  })

  test('uses a database that does not exist', async () => {
    const address = database.address().replace(/[^/]*$/, 'nowhere')
    expect(await failureAt(address, environment())).toBe(
      `local-state: cannot connect to ADDRESS: the database does not exist
Check its name in the address: psql --list shows the databases of a server. To create it, use createdb.`,
    )
  })

  test('is not granted to the role', async () => {
    await database.admin(`REVOKE CONNECT ON DATABASE ${database.name} FROM PUBLIC`)
    const ben = database.nameOf('ben')
    expect(await failureAt(database.address('ben'), environment())).toBe(
      `local-state: cannot connect to ADDRESS: the role ${ben} may not connect
Ask the owner of its tables to run orderctl journal migrate --grant ${ben}. That also lets the role connect.`,
    )
    await database.admin(`GRANT CONNECT ON DATABASE ${database.name} TO PUBLIC`)
  })

  test('is of a role that may not log in', async () => {
    const ben = database.nameOf('ben')
    await database.admin(`ALTER ROLE ${ben} NOLOGIN`)
    expect(await failureAt(database.address('ben'), environment())).toBe(
      `local-state: cannot connect to ADDRESS: role "${ben}" is not permitted to log in
An administrator of the server can change that: ALTER ROLE "${ben}" LOGIN`,
    )
    await database.admin(`ALTER ROLE ${ben} LOGIN`)
  })

  test('is one too many', async () => {
    await database.admin(`ALTER ROLE ${database.nameOf('ben')} CONNECTION LIMIT 0`)
    expect(await failureAt(database.address('ben'), environment())).toBe(
      `local-state: cannot connect to ADDRESS: too many connections
Run the command again later, or raise max_connections, or use PgBouncer.`,
    )
    await database.admin(`ALTER ROLE ${database.nameOf('ben')} CONNECTION LIMIT -1`)
  })
})

describe('a statement', () => {
  test('needs a permission', async () => {
    const client = openClient(database)
    const ana = database.nameOf('ana')
    expect(await failureOf(client.all('SELECT * FROM item'))).toBe(
      `local-state: the role ${ana} lacks a permission in ${database.address()}: permission denied for table item
Ask the owner of its tables to run orderctl journal migrate --grant ${ana}.`,
    )
  })

  test('writes where only reading is allowed', async () => {
    await database.admin(`ALTER ROLE ${database.nameOf('ben')} SET default_transaction_read_only = on`)
    await database.admin(`GRANT ALL ON item TO ${database.nameOf('ben')}`)
    const client = openClient(database, { role: 'ben' })
    const failing = client.transaction(({ run }) => run('INSERT INTO item VALUES (1)'))
    expect(await failureOf(failing)).toBe(
      `local-state: ${database.address('ben')} is read-only
The server is a standby, or default_transaction_read_only is on. Use the address of the primary server.`,
    )
    await database.admin(`ALTER ROLE ${database.nameOf('ben')} RESET ALL`)
  })

  test('takes too long', async () => {
    const client = openClient(database, { limits: { statementMs: 60_000 } })
    const slow = client.transaction(async ({ all }) => {
      await all("SELECT set_config('statement_timeout', '20', true)")
      await all('SELECT pg_sleep(60)')
    })
    expect(await failureOf(slow)).toBe(
      `local-state: ${database.address()} took too long to respond
Run the command again when the server is less busy.`,
    )
  })

  test('with a defect stays an error of PostgreSQL', async () => {
    const client = openClient(database)
    await expect(client.all('SELECT')).resolves.toHaveLength(1)
    await expect(client.all('SELEKT')).rejects.toMatchObject({ code: '42601', severity: 'ERROR' })
  })

  test('of a transaction that paused too long fails', async () => {
    const client = openClient(database)
    const failing = client.transaction(async ({ all }) => {
      const [row] = await all(
        "SELECT pg_backend_pid() AS pid, set_config('idle_in_transaction_session_timeout', '10', true)",
      )
      const isOpen = () => database.admin('SELECT 1 FROM pg_stat_activity WHERE pid = $1', [String(row?.pid)])
      while ((await isOpen()).length > 0);
      await all('SELECT 1')
    })
    expect(await failureOf(failing)).toBe(
      `local-state: the server of ${database.address()} ended a transaction that paused too long
Run the command again.`,
    )
  })
})

test('a server that keeps what is written passes the check', async () => {
  await checkServer(openClient(database), 'ADDRESS')
})
