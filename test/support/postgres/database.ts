// A fresh, empty PostgreSQL database for one test, with roles of its own.
import { Client } from 'pg'
import { type AdminAddress, findSharedServer } from './shared-server.ts'

export const rolePassword = 'Secret-of-a-role-7'

let count = 0

type Rows = Record<string, unknown>[]

export const query = async (server: AdminAddress, sql: string, values: unknown[] = []): Promise<Rows> => {
  const client = new Client({ ...server, ssl: false })
  await client.connect()
  try {
    return (await client.query(sql, values)).rows
  } finally {
    await client.end()
  }
}

/** `ana` owns the database. The other roles may only connect. */
export const createDatabase = async ({
  roles = [],
  server,
  encoding = 'UTF8',
}: {
  readonly roles?: readonly string[]
  readonly server?: AdminAddress
  readonly encoding?: string
} = {}) => {
  const admin = server ?? (await findSharedServer())
  const name = `test_${process.pid}_${count++}`
  const nameOf = (role: string) => `${name}_${role}`
  const all = ['ana', ...roles]
  const logins = all.map((role) => `CREATE ROLE ${nameOf(role)} LOGIN PASSWORD '${rolePassword}';`)
  await query(admin, logins.join(''))
  await query(
    admin,
    `CREATE DATABASE ${name} TEMPLATE template0 ENCODING '${encoding}' OWNER ${nameOf('ana')}`,
  )
  const { host, port } = admin
  return {
    name,
    host,
    port,
    /** The role's name on the server, where all tests share the roles. */
    nameOf,
    address: (role = 'ana', place: { host: string; port: number } = admin): string =>
      `postgres://${nameOf(role)}@${place.host}:${place.port}/${name}`,
    /** Of all roles. */
    password: rolePassword,
    /** Runs a statement as the superuser. */
    admin: (sql: string, values: unknown[] = []): Promise<Rows> =>
      query({ ...admin, database: name }, sql, values),
    [Symbol.asyncDispose]: async (): Promise<void> => {
      await query(admin, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
      for (const role of all) await query(admin, `DROP ROLE IF EXISTS ${nameOf(role)}`)
    },
  }
}

export type TestDatabase = Awaited<ReturnType<typeof createDatabase>>
