// What the journal wants to know of an order that was read.
import { decimalText } from '../contract/decimal.ts'
import type { Order } from '../contract/schemas.ts'
import type { News } from '../journal/standing.ts'

export const newsOf = ({ state, invoice }: Order, at: number): News => ({
  state,
  total: decimalText(invoice.total),
  at,
})
