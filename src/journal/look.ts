// The journal, to look at alone: where there is none, none is made.
import { lookInto } from '../sqlite.ts'
import { type Entry, fromRow, type Owner } from './entry.ts'
import { schema } from './schema.ts'

// Within what is a moment to whoever pressed a key.
const most = 2_000

/** The newest orders of an account, newest first. */
export const newestOrders = (
  file: string,
  { profile, origin }: Owner,
): (Pick<Entry, 'orderId' | 'reference' | 'standing' | 'placedAt'> & { readonly isOwn: 0 | 1 })[] =>
  select(
    file,
    { profile, origin },
    'order_id, reference, standing, placed_at, request IS NOT NULL AS is_own',
    most,
  )

/** What they were asked for with; fewer, for a request may be long. */
export const newestRequests = (
  file: string,
  { profile, origin }: Owner,
): Pick<Entry, 'orderId' | 'reference' | 'request' | 'wallet' | 'placedAt'>[] =>
  select(file, { profile, origin }, 'order_id, reference, request, wallet, placed_at', most / 10)

const select = <Row>(
  file: string,
  owner: { profile: string; origin: string },
  columns: string,
  limit: number,
) =>
  lookInto(file, schema, (database) =>
    database
      .prepare(
        `SELECT ${columns} FROM orders WHERE profile = $profile AND origin = $origin
         ORDER BY placed_at DESC, number DESC LIMIT ${limit}`,
      )
      .all(owner)
      .map((row) => fromRow<Row>(row)),
  )
