// The journal, to look at alone: where there is none, none is made.
import { sandboxAddress } from '../contract/account-id.ts'
import { lookInto } from '../sqlite/open.ts'
import { accountsIn } from './accounts.ts'
import type { Entry, Owner } from './entry.ts'
import { fromRow } from './row.ts'
import { schema } from './schema.ts'

// Within what is a moment to whoever pressed a key.
const most = 2_000

export type Ordered = Pick<Entry, 'orderId' | 'reference' | 'standing' | 'placedAt'> & {
  readonly isOwn: 0 | 1
}
const orderColumns = 'order_id, reference, standing, placed_at, request IS NOT NULL AS is_own'

/** Is given rows one by one, and need not take them all: of many, most would be read for nothing. */
type Use<Row, Result> = (rows: Iterable<Row>) => Result[]

/** The newest orders of an account, newest first. */
export const newestOrders = <Result>(file: string, owner: Owner, use: Use<Ordered, Result>): Result[] =>
  select(file, ofOwner(owner), orderColumns, most, use)

/** As `list` finds them: of every account, or of one by its name, whatever its address was. */
export const newestListed = <Result>(
  file: string,
  profile: string | undefined,
  use: Use<Ordered, Result>,
): Result[] =>
  select(
    file,
    profile === undefined
      ? { where: 'TRUE', values: {} }
      : { where: 'profile = $profile', values: { profile } },
    orderColumns,
    most,
    use,
  )

/** What they were asked for with; fewer, for a request may be long. */
export const newestRequests = (file: string, owner: Owner): Requested[] => {
  const all: Use<Requested, Requested> = (rows) => [...rows]
  return select(file, ofOwner(owner), 'order_id, reference, request, wallet, placed_at', most / 10, all)
}

/** Whether it has an order of another account than the sandbox. */
export const knowsServiceAccount = (file: string): boolean =>
  lookInto(file, schema, (database) => {
    const found = database.prepare('SELECT 1 FROM accounts WHERE address <> ? LIMIT 1').get(sandboxAddress)
    return found !== undefined
  })

type Requested = Pick<Entry, 'orderId' | 'reference' | 'request' | 'wallet' | 'placedAt'>

type Which = { readonly where: string; readonly values: Record<string, string> } | Pick<Owner, 'account'>

const ofOwner = ({ account }: Owner): Which => ({ account })

const select = <Row, Result>(
  file: string,
  which: Which,
  columns: string,
  limit: number,
  use: Use<Row, Result>,
): Result[] =>
  lookInto(file, schema, (database) => {
    const { where, values } =
      'account' in which ? { where: accountsIn(database).condition(which.account), values: {} } : which
    const rows = database
      .prepare(
        `SELECT ${columns} FROM orders WHERE ${where} ORDER BY placed_at DESC, number DESC LIMIT ${limit}`,
      )
      .iterate(values)
    return use(rows.map((row) => fromRow<Row>(row)))
  })
