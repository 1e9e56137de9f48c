// Reads the newest orders and batches for completion, from any database of the journal. Reads a file without opening it
// for writing, and throws if it does not exist.
import type { DatabaseSync } from 'node:sqlite'
import { type AccountId, sandboxAddress } from '../contract/account-id.ts'
import type { Postgres } from '../postgres/open.ts'
import { readDatabase, readUntouched } from '../sqlite/open.ts'
import type { Identity } from './access.ts'
import { accountNumbersQuery, createAccountCondition } from './accounts.ts'
import { actorNamesQuery } from './actors.ts'
import type { Row, Values } from './database/database.ts'
import type { Entry, Owner } from './orders/entry.ts'
import { fromRow } from './orders/row.ts'
import { batches } from './tables/batches.ts'
import { schema, versions } from './tables/list.ts'
import type { RowOf } from './tables/table.ts'

/** The rows of an account, or as `list` selects them: of one profile name at any address, or all. */
export type Selection = Pick<Owner, 'account'> | { readonly profile: string | undefined }

type RecentQuery = {
  readonly selection: Selection
  /** `isMine` selects the rows of this user. */
  readonly sql: (where: string, isMine: string) => string
}

/** `use` receives the rows one by one and may stop early, because most completions need few of them. */
export type ReadRows = <Result>(
  query: RecentQuery,
  use: (rows: Iterable<Row>) => readonly Result[],
) => Promise<readonly Result[]>

type Condition = { readonly where: string; readonly values: Values }

export const createFileReader =
  (file: string): ReadRows =>
  async ({ selection, sql }, use) =>
    readDatabase(file, schema, (database) => {
      const findAccounts = ({ address, name }: AccountId) =>
        database.prepare(accountNumbersQuery).all({ address, name: name ?? null })
      const { where, values } =
        'account' in selection
          ? { where: createAccountCondition(findAccounts(selection.account)), values: {} }
          : createProfileCondition(selection.profile)
      return use(database.prepare(sql(where, 'TRUE')).iterate(values))
    })

const createProfileCondition = (profile: string | undefined): Condition =>
  profile === undefined ? { where: 'TRUE', values: {} } : { where: 'profile = $profile', values: { profile } }

// The TAB key must respond at once.
const maxOrders = 2_000

const selectOrders = (columns: string, limit: number) => (where: string, isMine: string) =>
  `SELECT ${columns}, request IS NOT NULL AND ${isMine} AS is_own FROM orders WHERE ${where} ORDER BY placed_at DESC, number DESC LIMIT ${limit}`

export type RecentOrder = Pick<
  Entry,
  'orderId' | 'reference' | 'standing' | 'voidReason' | 'result' | 'state' | 'placedAt'
> & {
  /** This user has placed it. */
  readonly isOwn: 0 | 1
}
const orderColumns = 'order_id, reference, standing, void_reason, result, state, placed_at'

/** The newest orders, newest first. */
export const readNewestOrders = <Result>(
  read: ReadRows,
  selection: Selection,
  use: (rows: Iterable<RecentOrder>) => Result[],
): Promise<readonly Result[]> =>
  read({ selection, sql: selectOrders(orderColumns, maxOrders) }, (rows) =>
    use(Iterator.from(rows).map((row) => fromRow<RecentOrder>(row))),
  )

type RecentRequest = RecentOrder & Pick<Entry, 'request' | 'wallet'>
const requestColumns = `${orderColumns}, request, wallet`

/** Reads fewer orders than readNewestOrders, because a request may be long. */
export const readNewestRequests = (read: ReadRows, selection: Selection): Promise<readonly RecentRequest[]> =>
  read({ selection, sql: selectOrders(requestColumns, maxOrders / 10) }, (rows) =>
    [...rows].map((row) => fromRow<RecentRequest>(row)),
  )

export type RecentBatch = Pick<
  RowOf<typeof batches>,
  'name' | 'id' | 'plannedAt' | 'startedAt' | 'cancelledAt' | 'stopped' | 'columns'
> & {
  /** This user has planned it. */
  readonly isOwn: 0 | 1
  /** The alphabetically first and last state of its cards. Undefined if the batch is not started, cancelled or large. */
  readonly cardStates?: string
}

/** Reading the states of more cards takes too long. */
const maxCards = 1_000

const selectBatches = (where: string, isMine: string): string =>
  `SELECT name, id, columns, planned_at, started_at, cancelled_at, stopped, ${isMine} AS is_own,
     CASE WHEN started_at IS NOT NULL AND cancelled_at IS NULL
         AND (SELECT max(card) FROM batch_cards WHERE batch = batches.number) < ${maxCards}
       THEN (SELECT min(state) || ' ' || max(state) FROM batch_cards WHERE batch = batches.number) END AS card_states
   FROM batches
   WHERE ${where} ORDER BY number DESC LIMIT 100`

/** Newest first. */
export const readNewestBatches = (read: ReadRows, selection: Selection): Promise<readonly RecentBatch[]> =>
  read({ selection, sql: selectBatches }, (rows) =>
    [...rows].map((row) => fromRow<RecentBatch>(row, batches)),
  )

/** Database roles and OS users, each once. */
export const readActorNames = (read: ReadRows, limit: number): Promise<readonly string[]> =>
  read({ selection: { profile: undefined }, sql: () => `${actorNamesQuery} LIMIT ${limit}` }, (rows) =>
    [...rows].map(({ name }) => String(name)),
  )

/**
 * Whether the journal has an order of an account other than the sandbox. Reading an order also adds its account. It opens
 * the file as one that nobody writes to, which takes half as long.
 */
export const hasServiceAccount = (file: string, leavesNoTrace: boolean): boolean => {
  const query = `SELECT 1 FROM accounts WHERE address <> ?
    AND EXISTS (SELECT 1 FROM orders WHERE account = accounts.number) LIMIT 1`
  const find = (database: DatabaseSync): boolean => database.prepare(query).get(sandboxAddress) !== undefined
  const found = readUntouched(file, schema, find)
  return found ?? (!leavesNoTrace && readDatabase(file, schema, find))
}

// One query instead of two: each is a round trip.
const versionAndAccountsQuery = `SELECT version, ARRAY_TO_STRING(ARRAY(${accountNumbersQuery}), ' ') AS accounts
  FROM orderctl_journal`

const isMine = `coalesce(written_by = session_user AND actor IN (
  SELECT number FROM actors WHERE role = written_by AND os_user = $osUser), false)`

/** Throws if the journal has another version. */
export const createSharedReader = (
  { all }: Pick<Postgres, 'all'>,
  { osUser }: Pick<Identity, 'osUser'>,
): ReadRows => {
  const readJournal = async (sql: string, values?: Values): Promise<Row> => {
    const [row = {}] = await all(sql, values)
    if (Number(row.version) !== versions.postgres) throw new Error('the journal has another version')
    return row
  }
  const readCondition = async (selection: Selection): Promise<Condition> => {
    if (!('account' in selection)) {
      await readJournal('SELECT version FROM orderctl_journal')
      return createProfileCondition(selection.profile)
    }
    const { address, name } = selection.account
    const { accounts } = await readJournal(versionAndAccountsQuery, { address, name: name ?? null })
    const numbers = String(accounts).split(' ').filter(Boolean)
    return { where: createAccountCondition(numbers.map((number) => ({ number }))), values: {} }
  }
  return async ({ selection, sql }, use) => {
    const { where, values } = await readCondition(selection)
    const text = sql(where, isMine)
    return use(await all(text, text.includes(isMine) ? { ...values, osUser } : values))
  }
}
