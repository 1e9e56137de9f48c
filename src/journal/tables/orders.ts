// The tables of orders and their calls. No column holds a key or a code.

import {
  chargedAt,
  openCondition,
  orderConditions,
  results,
  shownState,
  standings,
  unsettledCondition,
  voidReasons,
} from '../orders/standings.ts'
import {
  amount,
  changeRow,
  count,
  defineTable,
  flag,
  id,
  millionths,
  oneOf,
  refersTo,
  signRows,
  text,
  time,
  writtenBy,
} from './table.ts'

export const orders = defineTable({
  name: 'orders',
  columns: {
    number: id,
    account: refersTo('accounts').notNull,
    profile: text.notNull,
    origin: text.notNull,
    reference: text,
    // See foldReference.
    reference_fold: text,
    order_id: text,
    // 1 if --allow-duplicate was given.
    duplicate: flag.notNull.byDefault('0'),
    // What orderctl knows: see apply.ts. The reason stays while a void order is confirmed again.
    standing: oneOf(...standings).notNull,
    void_reason: oneOf(...voidReasons),
    // The last word of the service, verbatim; NULL until it differs from `created`. It is for display; a confirm keeps a copy.
    service_state: text,
    // The last documented final state that the service has shown.
    result: oneOf(...results),
    // How often a confirm was begun. A response that was asked for before the last one proves nothing.
    confirms: count.notNull.byDefault('0'),
    // The word for screens. It is only for display.
    state: text.as(shownState),
    // From when the order is known to be confirmed. Only a person's decision resets it.
    confirmed_at: time,
    // The request of the create, without its webhook. NULL if the order was created elsewhere.
    request: text,
    // The host of its webhook. NULL without one, and if the order was created elsewhere.
    webhook_host: text,
    wallet: text,
    total: amount,
    placed_at: time.notNull,
    changed_at: time.notNull,
    // All these by the service's clock. The `Date` of the first response that showed the order to this journal.
    created_at: time,
    // The earliest `createdDate` that a `get` showed. Its clock may differ from that of `Date`.
    created_date: time,
    // The `expiresAt` of the response to create, unchecked.
    expires_at: time,
    // The first `get` of reconcile, or before a confirm, after the expiry and its margin, that showed the order unconfirmed.
    unconfirmed_at: time,
    // The same moment, by the journal's clock.
    unconfirmed_here: time,
    // 1 if a `get` has shown this reference under this id. NULL if that is unknown.
    reference_shown: flag,
    // A person's decision. 'spent': nothing else says that the order is paid. 'refuted': the person decided 'not-spent', but
    // the order is paid. 'reported': reconcile has said so.
    decision: oneOf('spent', 'refuted', 'reported'),
    // Without RESTRICT, one statement could delete a batch that has orders and insert a different one with its number.
    batch: refersTo('batches', 'RESTRICT'),
    slot: count,
    // Until then, by the database's clock, the order of a slot belongs to the run that placed it or took it over.
    held_until: time,
    actor: refersTo('actors'),
    // When the last confirm was recorded, by the database's clock. NULL if no confirm may have spent.
    reserved_at: time,
    // See formatProducts. NULL if the order was created elsewhere and not read yet.
    products: text,
    // The number of cards that the order buys, and of those that were delivered: NULL until the order is final.
    cards: count,
    delivered: count,
    // The number of delivered duplicates. NULL if there are none.
    duplicate_cards: count,
    // The total of the last invoice after the confirmation, if it differs from total.
    charged: amount,
    // What the order counts as against limits: its total, or what was charged, if that is more. It never falls.
    counts: millionths,
    // 1 if it was charged more than its total, or in a different currency.
    overcharged: flag,
    // When the service last showed the state again. NULL if that was soon after changed_at, or never.
    seen_at: time,
    // 'mcp' if an assistant placed the order with orderctl mcp.
    placed_with: oneOf('mcp'),
    // The --max-total of that orderctl mcp, which the order may exceed.
    placed_limit: millionths,
    written_by: writtenBy,
  },
  conditions: orderConditions,
  checks: {
    confirmed_since: "(standing = 'confirmed') = (confirmed_at IS NOT NULL)",
    void_for_a_reason: "standing <> 'void' OR void_reason IS NOT NULL",
    result_of_confirmed: "result IS NULL OR standing = 'confirmed'",
    reserved_if_committed: 'reserved_at IS NULL OR committed',
  },
  indexes: {
    // Not unique: only the response to a create may give a known id to a new order.
    orders_by_id: { on: 'order_id', where: 'order_id IS NOT NULL' },
    orders_by_reference: { on: 'reference_fold, account', where: 'reference_fold IS NOT NULL' },
    orders_by_account: { on: 'account, number' },
    orders_by_account_and_time: { on: 'account, placed_at, number' },
    orders_by_time: { on: 'placed_at, number' },
    orders_by_profile: { on: 'profile, placed_at, number' },
    orders_by_state: { on: 'state, placed_at, number' },
    orders_by_actor: { on: 'actor, placed_at', where: 'actor IS NOT NULL' },
    unfinished_by_time: { on: 'placed_at, number', where: 'NOT finished' },
    unsettled_by_account: { on: 'account, number', where: unsettledCondition },
    orders_by_batch: { on: 'batch, slot', where: 'batch IS NOT NULL' },
    // A slot has at most one order that may still be bought. The run that inserts it has claimed the slot.
    live_order_of_slot: { on: 'batch, slot', where: 'batch IS NOT NULL AND live', isUnique: true },
    committed_by_batch: { on: 'batch, counts, standing', where: 'batch IS NOT NULL AND committed' },
    charged_orders: { on: `(${chargedAt})`, where: 'reserved_at IS NOT NULL' },
    // Contains all columns that a budget adds up.
    reserved_orders: {
      on: 'account, wallet, reserved_at, counts, number',
      where: 'reserved_at IS NOT NULL',
    },
  },
  fixed: {
    // Only a person's recorded decision leads away from 'confirmed' (see the fact 'decided' of apply.ts).
    confirmed_stays_confirmed: {
      what: 'the standing of a confirmed order',
      columns: 'standing',
      when: "OLD.standing = 'confirmed' AND NEW.standing <> 'confirmed'",
      unless: `NEW.void_reason = 'not-spent'
         AND (SELECT (OLD.decision = 'spent' OR OLD.reference_shown = 0 AND count(*) > 0)
           AND count(*) = coalesce(sum(CASE WHEN settled = 'expired'
             OR settled = 'no-effect' AND settled_by IS NOT NULL THEN 1 ELSE 0 END), 0)
         FROM calls WHERE order_number = OLD.number AND operation = 'confirm' AND outcome <> 'not-sent')`,
    },
    payment_stays_proven: {
      what: 'the proof of a payment',
      columns: 'decision',
      when: "OLD.standing = 'confirmed' AND OLD.decision IS DISTINCT FROM 'spent' AND NEW.decision = 'spent'",
    },
    reference_stays_shown: {
      what: 'reference_shown of an order',
      columns: 'reference_shown',
      when: 'OLD.reference_shown IS DISTINCT FROM 0 AND NEW.reference_shown = 0',
    },
    orders_never_change: {
      what: 'a placed order',
      // An order that leaves its batch would count against no cap.
      columns: `number, account, profile, origin, reference, reference_fold, duplicate, request, webhook_host, batch,
        slot, placed_at, actor, placed_with, written_by`,
    },
    // A replay of the outbox may record the same id again.
    order_id_never_changes: {
      what: 'the id of an order',
      columns: 'order_id',
      when: 'OLD.order_id IS NOT NULL AND OLD.order_id IS DISTINCT FROM NEW.order_id',
    },
  },
  triggers: [signRows('orders')],
  grant: 'SELECT, INSERT, UPDATE',
  isReset: true,
})

/** Two transactions that begin a call for the same reference wait for each other at its row. */
export const referenceLocks = defineTable({
  name: 'reference_locks',
  only: 'postgres',
  columns: {
    address: text.notNull,
    reference_fold: text.notNull,
  },
  primaryKey: ['address', 'reference_fold'],
  grant: 'SELECT, INSERT, UPDATE',
})

export const calls = defineTable({
  name: 'calls',
  columns: {
    number: id,
    // Random: see newest-call.ts.
    id: text.notNull,
    order_number: refersTo('orders').notNull,
    operation: oneOf('create', 'confirm').notNull,
    outcome: oneOf('sending', 'not-sent', 'refused', 'done', 'unknown').notNull,
    // What was proven, or what a person decided, about a call whose outcome was not certain.
    settled: oneOf('took-effect', 'no-effect', 'expired'),
    status: count,
    refusal: text,
    started_at: time.notNull,
    // The call's deadline.
    until: time.notNull,
    responded_at: time,
    settled_at: time,
    // The person who settled the call, and why.
    settled_by: text,
    reason: text,
    // The differences to the placed order that the user accepted, as JSON.
    accepted: text,
    actor: refersTo('actors'),
    profile_name: text,
    // Of the order, when its confirm began. In a proof, it counts as unconfirmed.
    service_state: text,
    written_by: writtenBy,
  },
  indexes: {
    calls_by_id: { on: 'id', isUnique: true },
    calls_by_order: { on: 'order_number' },
    // For the budget of a role, which may have confirmed few of many orders.
    confirms_by_role: {
      on: 'written_by, order_number',
      where: "operation = 'confirm'",
      only: 'postgres',
    },
    // The last line of defence: at most one confirm of an order is in progress.
    one_open_confirm: {
      on: 'order_number',
      where: `operation = 'confirm' AND ${openCondition}`,
      isUnique: true,
    },
  },
  fixed: {
    calls_never_change: {
      what: 'a recorded call',
      columns: `number, id, order_number, operation, started_at, until, accepted, actor, profile_name, service_state,
        written_by`,
    },
    settled_calls_never_change: {
      what: 'the outcome of a settled call',
      columns: 'settled, settled_at, settled_by, reason',
      when: `((OLD.settled IS NOT NULL AND OLD.settled <> 'took-effect') OR NEW.settled IS NULL
         OR (OLD.settled = 'took-effect' AND (NEW.settled <> 'no-effect' OR NEW.settled_by IS NULL)))`,
    },
  },
  triggers: [
    signRows('calls'),
    // The client sends the name of the person, so the server adds the role.
    changeRow(
      'sign_settlement',
      "NEW.settled_by := concat(NEW.settled_by, ' (written by ', session_user, ')')",
    ),
    `CREATE TRIGGER calls_sign_settlement BEFORE UPDATE OF settled, settled_by ON calls
         FOR EACH ROW WHEN (NEW.settled_by <> session_user) EXECUTE FUNCTION sign_settlement()`,
  ],
  grant: 'SELECT, INSERT, UPDATE',
  isReset: true,
})
