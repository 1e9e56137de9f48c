// The tables of webhook deliveries that `orderctl listen` received, and of the processes that receive them. No code.
import { defineTable, id, integer, oneOf, refersTo, text, time } from './table.ts'

export const received = defineTable({
  name: 'received',
  columns: {
    number: id,
    account: refersTo('accounts').notNull,
    // A random id. It also names the delivery in the spool of the machine that received it, and for the target.
    receipt: text.notNull,
    // See createDeliveryKey. NULL if nothing tells the delivery from others.
    delivery_key: text,
    // The id that the sender gave to the delivery.
    delivery_id: text,
    order_id: text.notNull,
    received_at: time.notNull,
    // Whether the service knows the order. NULL until it has answered.
    kind: oneOf('known', 'unknown'),
    // The state that the service showed.
    state: text,
  },
  indexes: {
    received_by_receipt: { on: 'receipt', isUnique: true },
    received_once: { on: 'account, delivery_key', where: 'delivery_key IS NOT NULL', isUnique: true },
    received_by_time: { on: 'account, received_at' },
    received_by_order: { on: 'account, order_id' },
    unchecked_received: { on: 'account, number', where: 'kind IS NULL' },
  },
  grant: 'SELECT, INSERT, UPDATE, DELETE',
})

export const listeners = defineTable({
  name: 'listeners',
  columns: {
    account: refersTo('accounts').notNull,
    actor: refersTo('actors').notNull,
    process: integer.notNull,
    // By the clock of the database.
    seen_at: time.notNull,
  },
  primaryKey: ['account', 'actor', 'process'],
  grant: 'SELECT, INSERT, UPDATE, DELETE',
})
