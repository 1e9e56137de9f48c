// The journal, to look at alone: where there is none, none is made.
import { lookInto } from '../sqlite.ts'
import { type Entry, fromRow, type Owner } from './entry.ts'
import { schema } from './schema.ts'

// Within what is a moment to whoever pressed a key.
const most = 2_000

type Ordered = Pick<Entry, 'orderId' | 'reference' | 'standing' | 'placedAt'> & { readonly isOwn: 0 | 1 }
const orderColumns = 'order_id, reference, standing, placed_at, request IS NOT NULL AS is_own'

/** The newest orders of an account, newest first. */
export const newestOrders = (file: string, owner: Owner): Ordered[] =>
  select(file, ofOwner(owner), orderColumns, most)

/** As `list` finds them: of every account, or of one by its name, whatever its address was. */
export const newestListed = (file: string, profile: string | undefined): Ordered[] =>
  select(
    file,
    profile === undefined
      ? { where: 'TRUE', values: {} }
      : { where: 'profile = $profile', values: { profile } },
    orderColumns,
    most,
  )

/** What they were asked for with; fewer, for a request may be long. */
export const newestRequests = (
  file: string,
  owner: Owner,
): Pick<Entry, 'orderId' | 'reference' | 'request' | 'wallet' | 'placedAt'>[] =>
  select(file, ofOwner(owner), 'order_id, reference, request, wallet, placed_at', most / 10)

type Which = { readonly where: string; readonly values: Record<string, string> }

const ofOwner = ({ profile, origin }: Owner): Which => ({
  where: 'profile = $profile AND origin = $origin',
  values: { profile, origin },
})

const select = <Row>(file: string, { where, values }: Which, columns: string, limit: number) =>
  lookInto(file, schema, (database) =>
    database
      .prepare(
        `SELECT ${columns} FROM orders WHERE ${where} ORDER BY placed_at DESC, number DESC LIMIT ${limit}`,
      )
      .all(values)
      .map((row) => fromRow<Row>(row)),
  )
