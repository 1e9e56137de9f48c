// The tables of the cards that orders have shown, and of who revealed their codes. No column holds a code.
import { defineTable, flag, id, oneOf, refersTo, signRows, text, texts, time, writtenBy } from './table.ts'

/** The cards that each order has shown. No role may change or delete a row. */
export const seenCards = defineTable({
  name: 'seen_cards',
  columns: {
    // Keyed, so that two accounts never share a hash.
    hash: text.notNull,
    order_id: text.notNull,
    account: refersTo('accounts').notNull,
    // 1 for the order that showed the card first. Only this order may deliver the card.
    is_first: flag.notNull,
  },
  primaryKey: ['hash', 'order_id'],
  indexes: { first_orders: { on: 'hash', where: 'is_first = 1', isUnique: true } },
  grant: 'SELECT, INSERT',
  isReset: true,
})

export const reveals = defineTable({
  name: 'reveals',
  columns: {
    number: id,
    profile: text.notNull,
    origin: text.notNull,
    order_id: text.notNull,
    skus: texts.notNull,
    at: time.notNull,
    who: text.notNull,
    // Shown as text or QR codes, written to a file, or copied to the clipboard. 'find': the order of a code was found.
    // 'replay': sent to the target of listen or listen replay.
    how: oneOf('reveal', 'qr', 'export', 'copy', 'find', 'replay').notNull,
    actor: refersTo('actors'),
    written_by: writtenBy,
  },
  indexes: { reveals_by_order: { on: 'order_id' } },
  triggers: [signRows('reveals')],
  grant: 'SELECT, INSERT',
})
