// The numbers that the target of a copy has for rows of the source: accounts, actors and batches.
import { sandboxAddress } from '../../contract/account-id.ts'
import type { Row, Statements, Value } from '../database/database.ts'
import { type ColumnKind, runForRows } from '../database/many-rows.ts'
import type { CopiedColumn } from '../tables/list.ts'
import type { Tables } from '../tables.ts'
import type { CopySource } from './source.ts'

type NumberMap = ReadonlyMap<unknown, bigint>

/** By the number in the source. */
export type Numbers = {
  /** Without the account of the sandbox, whose orders are not copied. */
  readonly accounts: NumberMap
  readonly actors: NumberMap
  readonly batches: NumberMap
}

export const listColumns = (kind: ColumnKind, names: string): CopiedColumn[] =>
  names.split(' ').map((name) => [name, kind])

export const toValues = (row: Row, columns: readonly CopiedColumn[]): Value[] =>
  columns.map(([name]) => (row[name] ?? null) as Value)

/** Finds or inserts the accounts. */
export const mapAccounts = async (source: CopySource, { accounts }: Tables): Promise<NumberMap> => {
  const mapped = new Map<unknown, bigint>()
  const rows = await source.all(
    'SELECT number, lower(address) AS address, lower(name) AS name FROM accounts WHERE address <> $sandbox ORDER BY number',
    { sandbox: sandboxAddress },
  )
  for (const { number, address, name } of rows) {
    const account = { address: String(address), ...(name === null ? {} : { name: String(name) }) }
    mapped.set(number, BigInt(await accounts.getOrAddNumber(account)))
  }
  return mapped
}

/** Finds or inserts the actors. Their roles are not copied: the server of the target has not seen them. */
export const mapActors = async (source: CopySource, statements: Statements): Promise<NumberMap> => {
  const rows = await source.all('SELECT number, os_user, host FROM actors ORDER BY number')
  await runForRows(
    statements,
    ['TEXT', 'TEXT'],
    rows.map(({ os_user, host }) => [String(os_user), String(host)]),
    (list) =>
      `INSERT INTO actors (os_user, host) SELECT column1, column2 FROM ${list} AS rows WHERE TRUE
       ON CONFLICT DO NOTHING`,
  )
  const keyOf = ({ os_user, host }: Row): string => JSON.stringify([os_user, host])
  const found = await statements.all('SELECT number, os_user, host FROM actors WHERE role IS NULL')
  const numbers = new Map(found.map((row) => [keyOf(row), BigInt(String(row.number))]))
  return new Map(
    rows.flatMap((row) => {
      const number = numbers.get(keyOf(row))
      return number === undefined ? [] : [[row.number, number] as const]
    }),
  )
}
