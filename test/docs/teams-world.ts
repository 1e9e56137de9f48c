// The machines of a team, a PostgreSQL server and a service, in which the commands of docs/teams.md run.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { folder, serveMock } from '../support/orderctl.ts'
import { query } from '../support/postgres/database.ts'
import { type AdminAddress, startServer } from '../support/postgres/server.ts'
import { type Home, openHome, readBlocks, typeKey } from './guide.ts'

export const blocks = readBlocks('docs/teams.md')

const findBlock = (kind: string): string => blocks.find((block) => block.kind === kind)?.text ?? ''

const passwordOf = (role: string): string => `Secret of ${role}: \\7`
const escapeField = (text: string): string => text.replaceAll(/[\\:]/g, (each) => `\\${each}`)
/** What an administrator types into psql. */
const createAdmin = (address: AdminAddress) => {
  let { database } = address
  const run = (sql: string) => query({ ...address, database }, sql)
  const type = async (line: string): Promise<void> => {
    const [word, name = ''] = line.split(' ')
    if (word === '\\connect') database = name
    else if (word === '\\password') await run(`ALTER ROLE ${name} PASSWORD '${passwordOf(name)}'`)
    else await run(line)
  }
  return { run, type, leave: () => (database = 'postgres') }
}

/** `desk` is Ana's machine. The service listens on the port. */
export const openWorld = async (desk: Home, port: number) => {
  const server = await startServer()
  onTestFinished(() => server[Symbol.asyncDispose]())
  const service = await serveMock(['--port', String(port), '--processing-time', '0s'])
  const place = `127.0.0.1:${server.port}`
  const localize = (text: string): string =>
    text
      .replaceAll('db.example.com%3A5432', encodeURIComponent(place))
      .replaceAll('db.example.com', place)
      .replaceAll('https://orders.example.com', service.url)
  const homes = new Map<string, Home>()
  /** Each role has a machine. Ben's has no password file, because his profile has a command. */
  const openMachine = (role: string): Home => {
    const known = homes.get(role)
    if (known !== undefined) return known
    const pass = `[ "$*" = 'show orders-db' ] && printf '%s\\n' '${passwordOf('ben')}'`
    const machine = role === 'ana' ? desk : openHome(folder(), { pass })
    homes.set(role, machine)
    writeFileSync(path.join(machine.home, 'key.txt'), service.key)
    const line = findBlock('pgpass')
      .replace('db.example.com:5432', place)
      .replace(':ana:', `:${role}:`)
      .replace('PASSWORD', escapeField(passwordOf(role)))
    if (!['ben', 'ci'].includes(role))
      writeFileSync(path.join(machine.home, '.pgpass'), line, { mode: 0o600 })
    return machine
  }
  const readVariables = (role: string): Record<string, string> => {
    if (role !== 'ci') return {}
    const lines = localize(findBlock('yaml')).trim().split('\n')
    return {
      ...Object.fromEntries(lines.map((line) => line.split(/: (.*)/))),
      ...{ ORDERCTL_API_KEY: service.key, PGPASSWORD: passwordOf('ci') },
    }
  }
  const start = (role: string, line: string, env: Record<string, string> = {}) => {
    // Nothing of a job is kept on its machine.
    if (role === 'ci') homes.delete(role)
    return openMachine(role).run(localize(typeKey(line)), { env: { ...readVariables(role), ...env } })
  }
  const generalize = (text: string): string => text.replaceAll(place, 'db.example.com')
  return { server, service, admin: createAdmin(server.admin), openMachine, start, generalize }
}

export type World = Awaited<ReturnType<typeof openWorld>>

/** Ana orders, and then the database is that of before. */
export const restoreBackup = async ({ admin, start }: World): Promise<void> => {
  admin.leave()
  const endConnections = () =>
    admin.run("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = 'orders'")
  await endConnections()
  await admin.run('CREATE DATABASE backup TEMPLATE orders OWNER orderctl')
  const ordered = await start('ana', 'orderctl create --product GAME-US:25 --reference lost --confirm')
  expect(ordered.exitCode, ordered.all).toBe(0)
  await endConnections()
  await admin.run('ALTER DATABASE orders RENAME TO old')
  await admin.run('ALTER DATABASE backup RENAME TO orders')
}
