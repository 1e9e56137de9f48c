// What a user reads if the database cannot be used.
import { createServer } from 'node:net'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { checkServer } from '../../src/postgres/open.ts'
import { createDatabase } from '../support/postgres/database.ts'
import { findFreePort } from '../support/postgres/server.ts'
import { rowsOf } from '../support/rows.ts'
import { failureOf, openAddress, openClient } from './open-client.ts'

const open = async () => {
  const database = await createDatabase({ roles: ['ben'] })
  onTestFinished(() => database[Symbol.asyncDispose]())
  await database.admin('CREATE TABLE item (id int)')
  return database
}

const web = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve))
afterAll(() => void web.close())
const { port: webPort } = web.address() as { port: number }
const closedPort = await findFreePort()

// Where ANA and BEN are roles with the password SECRET, and SERVER and NAME are the server and the database. The
// columns: a statement of the superuser, the address, the environment, the message, and the advice.
const connections = rowsOf(`
  | postgres://ana@127.0.0.1:${closedPort}/orders | | connection refused \
    | Check the host and the port, and that the server runs and accepts connections.
  | postgres://ana@localhost:${closedPort}/orders | | connection refused \
    | Check the host and the port, and that the server runs and accepts connections.
  | postgres://ana@%2Fnowhere/orders | | no such file or directory \
    | Check the host and the port, and that the server runs and accepts connections.
  | postgres://ana@127.0.0.1:${webPort}/orders | | Connection terminated unexpectedly \
    | Check the host and the port, and that the server runs and accepts connections.
  | postgres://ANA@SERVER/NAME | {"PGPASSWORD": "a-wrong-password"} | the password is wrong \
    | Check the password, and the user in the address. PGPASSWORD and ~/.pgpass come before a prompt.
  | postgres://ANA@SERVER/NAME | {} | the server asks for a password \
    | Put it into PGPASSWORD, or into ~/.pgpass with the mode 0600.
  | postgres://ANA@SERVER/nowhere | {"PGPASSWORD": "SECRET"} | the database does not exist \
    | Check its name in the address. To create it, use createdb.
  REVOKE CONNECT ON DATABASE NAME FROM PUBLIC | postgres://BEN@SERVER/NAME | {"PGPASSWORD": "SECRET"} \
    | the role BEN may not connect | Ask the owner of its tables to run orderctl journal migrate --grant BEN. \
That also lets the role connect.
  ALTER ROLE BEN NOLOGIN | postgres://BEN@SERVER/NAME | {"PGPASSWORD": "SECRET"} \
    | role "BEN" is not permitted to log in | Ask the server's administrator for access.
  ALTER ROLE BEN CONNECTION LIMIT 0 | postgres://BEN@SERVER/NAME | {"PGPASSWORD": "SECRET"} \
    | too many connections for role "BEN" | Run the command again later.
`)

describe('a connection', () => {
  test.each(connections)(
    '%s: %s with %s: %s',
    async (sql = '', text = '', variables = '', reason, advice) => {
      const database = await open()
      const { host, port, name, nameOf, password } = database
      const expand = (cell: string): string =>
        Object.entries({
          ...{ SERVER: `${host}:${port}`, NAME: name, SECRET: password },
          ...{ ANA: nameOf('ana'), BEN: nameOf('ben') },
        }).reduce((all, [word, value]) => all.replaceAll(new RegExp(`\\b${word}\\b`, 'g'), value), cell)
      if (sql !== '') await database.admin(expand(sql))
      const environment = JSON.parse(expand(variables || '{}'))
      const address = expand(text)
      const client = openAddress(address, { environment })
      expect(await failureOf(client.all('SELECT 1'))).toBe(
        expand(`local-state: cannot connect to ${address}: ${reason}\n${advice}`),
      )
    },
  )
})

describe('a statement', () => {
  test('needs a permission', async () => {
    const database = await open()
    const client = openClient(database)
    const ana = database.nameOf('ana')
    expect(await failureOf(client.all('SELECT * FROM item'))).toBe(
      `local-state: the role ${ana} lacks a permission in ${database.address()}: permission denied for table item
Ask the owner of its tables to run orderctl journal migrate --grant ${ana}.`,
    )
  })

  test('writes where only reading is allowed', async () => {
    const database = await open()
    const ben = database.nameOf('ben')
    await database.admin(
      `ALTER ROLE ${ben} SET default_transaction_read_only = on; GRANT ALL ON item TO ${ben}`,
    )
    const client = openClient(database, { role: 'ben' })
    const failing = client.transaction(({ run }) => run('INSERT INTO item VALUES (1)'))
    expect(await failureOf(failing)).toBe(
      `local-state: ${database.address('ben')} is read-only
The server is a standby, or default_transaction_read_only is on. Use the address of the primary server.`,
    )
  })

  test.each([
    ['53400', 'is busy or shuts down: no more', 'Run the command again later.'],
    ['58P01', 'failed internally: no more', "Check the server's log, then run the command again."],
    ['XX000', 'failed internally: no more', "Check the server's log, then run the command again."],
  ])('that the server fails with %s is no defect of orderctl', async (code, what, advice) => {
    const database = await open()
    const failing = openClient(database).all(
      `DO $$ BEGIN RAISE EXCEPTION 'no more' USING ERRCODE = '${code}'; END $$`,
    )
    expect(await failureOf(failing)).toBe(`local-state: ${database.address()} ${what}\n${advice}`)
  })
})

test('a server that keeps what is written passes the check', async () => {
  await checkServer(openClient(await open()), 'ADDRESS')
})
