// A fresh, empty PostgreSQL database for one test, with roles of its own.
import { Client } from 'pg'
import type { AdminAddress } from './server.ts'
import { findSharedServer } from './shared-server.ts'

export const rolePassword = 'Secret-of-a-role-7'

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

type Options = {
  /** `ana` owns the database. These other roles may only connect. */
  readonly roles?: readonly string[]
  readonly server?: AdminAddress
  readonly encoding?: string
}

type Place = { readonly host: string; readonly port: number }

let count = 0

/** Emptied databases of the shared server. To empty one takes a tenth of the time that a new one takes. */
const emptied: string[] = []

const createRoles = (server: AdminAddress, name: string, roles: readonly string[]): Promise<unknown> => {
  const statements = roles.map((role) => {
    const full = `${name}_${role}`
    return `IF to_regrole('${full}') IS NULL THEN CREATE ROLE ${full} LOGIN PASSWORD '${rolePassword}'; END IF;`
  })
  return query(server, `DO $$ BEGIN ${statements.join('')} END $$`)
}

const createEmpty = async (server: AdminAddress, encoding: string): Promise<string> => {
  const name = `orderctl_test_${process.pid}_${count++}`
  await createRoles(server, name, ['ana'])
  await query(server, `CREATE DATABASE ${name} TEMPLATE template0 ENCODING '${encoding}' OWNER ${name}_ana`)
  return name
}

/** Also revokes the memberships among these roles, which DROP OWNED keeps. */
const empty = async (server: AdminAddress, name: string, roles: readonly string[]): Promise<void> => {
  const names = roles.map((role) => `${name}_${role}`)
  await query(
    { ...server, database: name },
    `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid();
    DROP OWNED BY ${names.join(', ')} CASCADE;
    REVOKE ${names.join(', ')} FROM ${names.join(', ')};
    DROP SCHEMA public CASCADE;
    CREATE SCHEMA public AUTHORIZATION pg_database_owner;
    GRANT USAGE ON SCHEMA public TO PUBLIC;
    GRANT CONNECT, TEMPORARY ON DATABASE ${name} TO PUBLIC;
    ALTER DATABASE ${name} RESET ALL;
    ${names.map((role) => `ALTER ROLE ${role} RESET ALL; ALTER ROLE ${role} LOGIN CONNECTION LIMIT -1;`).join('')}`,
  )
}

const drop = async (server: AdminAddress, name: string, roles: readonly string[]): Promise<void> => {
  await query(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
  await query(server, `DROP ROLE IF EXISTS ${roles.map((role) => `${name}_${role}`).join(', ')}`)
}

export const createDatabase = async ({ roles = [], server, encoding }: Options = {}) => {
  const admin = server ?? (await findSharedServer())
  const isReusable = admin.isOurs === true && encoding === undefined
  const name = (isReusable ? emptied.pop() : undefined) ?? (await createEmpty(admin, encoding ?? 'UTF8'))
  const allRoles = ['ana', ...roles]
  if (roles.length > 0) await createRoles(admin, name, roles)
  const nameOf = (role: string) => `${name}_${role}`
  const { host, port } = admin
  return {
    ...{ name, host, port },
    /** The name of a role on the server. */
    nameOf,
    address: (role = 'ana', place: Place = admin): string =>
      `postgres://${nameOf(role)}@${place.host}:${place.port}/${name}`,
    /** Of all roles. */
    password: rolePassword,
    /** Runs a statement as the superuser. */
    admin: (sql: string, values: unknown[] = []): Promise<Rows> =>
      query({ ...admin, database: name }, sql, values),
    [Symbol.asyncDispose]: async (): Promise<void> => {
      if (!isReusable) return await drop(admin, name, allRoles)
      await empty(admin, name, allRoles)
      emptied.push(name)
    },
  }
}

export type TestDatabase = Awaited<ReturnType<typeof createDatabase>>
