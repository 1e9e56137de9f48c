// Opens a test database as orderctl does, and closes it at the end of the test.
import { onTestFinished } from 'vitest'
import type { Failure } from '../../src/errors.ts'
import { type Address, parseAddress } from '../../src/postgres/address.ts'
import { openPostgres, type Postgres, type PostgresOptions } from '../../src/postgres/open.ts'
import type { TestDatabase } from '../support/postgres/database.ts'

type Place = { readonly host: string; readonly port: number }

const parse = (text: string): Address => parseAddress(text, { user: 'nobody' })

type Options = Partial<PostgresOptions> & { readonly role?: string; readonly place?: Place }

/** Waits return at once, so that a test does not wait for a retry. */
export const openAddress = (address: string, options: Partial<PostgresOptions> = {}): Postgres => {
  const client = openPostgres({
    ...{ address: parse(address), environment: {}, random: () => 0.5, sleep: async () => {}, warn: () => {} },
    ...options,
  })
  onTestFinished(() => client.close())
  return client
}

export const openClient = (database: TestDatabase, { role, place, ...options }: Options = {}): Postgres =>
  openAddress(database.address(role, place), { environment: { PGPASSWORD: database.password }, ...options })

/** The message and the advice of the failure. Fails if there is none. */
export const failureOf = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work
  } catch (error) {
    const { kind, message, details } = error as Partial<Failure> & Error
    return `${kind}: ${message}\n${details?.advice}`
  }
  throw new Error('it did not fail')
}
