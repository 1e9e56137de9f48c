// Invariants of the service's state, checked in its database.
import type { DatabaseSync } from 'node:sqlite'

type Row = Record<string, unknown>

/** Queries that return the rows that break an invariant. */
const breaches: Readonly<Record<string, string>> = {
  'the opening funds are the balance, plus charges, less refunds': `
    SELECT currency, opening, balance FROM wallets WHERE opening <> balance
      + coalesce((SELECT sum(amount) FROM ledger WHERE kind = 'charge' AND ledger.currency = wallets.currency), 0)
      - coalesce((SELECT sum(amount) FROM ledger WHERE kind = 'refund' AND ledger.currency = wallets.currency), 0)`,
  'no balance is below zero': 'SELECT * FROM wallets WHERE balance < 0',
  'no stock is below zero': 'SELECT * FROM stock WHERE remaining < 0',
  'an order is charged at most once': `
    SELECT order_number FROM ledger WHERE kind = 'charge' GROUP BY order_number HAVING count(*) > 1`,
  'an order is charged if, and only if, it is confirmed': `
    SELECT number, state FROM orders
    WHERE (confirmed_at IS NOT NULL) <>
      EXISTS (SELECT 1 FROM ledger WHERE kind = 'charge' AND order_number = number)`,
  'an order is charged its total, in its wallet': `
    SELECT number FROM orders JOIN ledger ON order_number = number
    WHERE kind = 'charge' AND (amount <> total OR currency <> wallet)`,
  'a refund is no more than the charge, and follows it': `
    SELECT refund.* FROM ledger AS refund LEFT JOIN ledger AS charge
      ON charge.order_number = refund.order_number AND charge.kind = 'charge'
    WHERE refund.kind = 'refund' AND (charge.amount IS NULL OR refund.amount > charge.amount
      OR refund.at < charge.at OR refund.currency <> charge.currency)`,
  'a rejected or failed order is refunded whole': `
    SELECT number FROM orders WHERE state IN ('rejected', 'failed') AND total > 0 AND total <>
      coalesce((SELECT amount FROM ledger WHERE kind = 'refund' AND order_number = number), 0)`,
  'a successful order is not refunded': `
    SELECT number FROM orders JOIN ledger ON order_number = number
    WHERE kind = 'refund' AND state NOT IN ('rejected', 'failed', 'partial')`,
  'an order has codes if, and only if, it is successful or partial': `
    SELECT number, state FROM orders WHERE (redeem IS NOT NULL) <> (state IN ('successful', 'partial'))`,
  'an order that is pending has no time of confirmation, and any other has one': `
    SELECT number, state FROM orders WHERE (state = 'created') <> (confirmed_at IS NULL)`,
  'a webhook never precedes its confirmation': `
    SELECT order_id, event FROM deliveries LEFT JOIN orders ON orders.id = order_id
    WHERE confirmed_at IS NULL OR (event = 'final' AND finished = 0)`,
  'a confirmation with an address has its webhook': `
    SELECT id FROM orders WHERE webhook_url IS NOT NULL AND confirmed_at IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM deliveries WHERE order_id = orders.id AND event = 'confirmed')`,
}

type Cards = { cards?: { redeemCardCode: string }[]; redeemPin?: string[] }

/** Every issued code, one for each unit. */
const codesIn = (database: DatabaseSync): string[] => {
  const rows = database.prepare('SELECT redeem FROM orders WHERE redeem IS NOT NULL').all() as Row[]
  return rows.flatMap(({ redeem }) =>
    Object.values(JSON.parse(String(redeem)) as Record<string, Cards>).flatMap(
      ({ cards = [], redeemPin = [] }) => [...redeemPin, ...cards.map((card) => card.redeemCardCode)],
    ),
  )
}

export const readChargedIds = (database: DatabaseSync): string[] =>
  database
    .prepare("SELECT id FROM orders JOIN ledger ON number = order_number WHERE kind = 'charge'")
    .all()
    .map(({ id }) => String(id))

/** Each broken invariant with the rows that break it. */
export const brokenInvariants = (database: DatabaseSync): object[] => {
  const found = Object.entries(breaches).flatMap(([invariant, sql]) => {
    const rows = database.prepare(sql).all()
    return rows.length > 0 ? [{ invariant, rows }] : []
  })
  const codes = codesIn(database)
  const repeated = codes.filter((code, at) => codes.indexOf(code) !== at)
  return repeated.length > 0 ? [...found, { invariant: 'each code is in one order', rows: repeated }] : found
}
