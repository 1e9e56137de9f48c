// The tables of accounts with their limits and approvals, of actors, of where the rows of the journal come from, of the cards
// that orders have shown, and of who revealed their codes. No column holds a code. Only a journal in PostgreSQL has
// approvals, because only its server can distinguish people.

import {
  amount,
  changeRow,
  count,
  defineTable,
  flag,
  id,
  integer,
  oneOf,
  refersTo,
  signRows,
  text,
  texts,
  time,
  writtenBy,
} from './table.ts'

export const accounts = defineTable({
  name: 'accounts',
  columns: {
    number: id,
    address: text.notNull,
    name: text,
    // The key of its cards' hashes: see seen_cards.
    card_key: text.notNull.byDefault({
      sqlite: '(lower(hex(randomblob(32))))',
      postgres: 'concat(gen_random_uuid(), gen_random_uuid())',
    }),
  },
  indexes: { accounts_by_identity: { on: "address, coalesce(name, '')", isUnique: true } },
  grant: 'SELECT, INSERT',
})

/** The keys that the account had in journals that were copied into this one. */
export const cardKeys = defineTable({
  name: 'card_keys',
  columns: {
    account: refersTo('accounts').notNull,
    card_key: text.notNull,
  },
  primaryKey: ['account', 'card_key'],
  grant: 'SELECT, INSERT',
})

export const actors = defineTable({
  name: 'actors',
  columns: {
    number: id,
    // The role that the database reports. NULL in SQLite.
    role: text,
    os_user: text.notNull,
    host: text.notNull,
  },
  indexes: { actors_by_identity: { on: "coalesce(role, ''), os_user, host", isUnique: true } },
  // Any role may insert or refer to any actor, because the outbox and copies write for others. So the rows that refer to
  // an actor are signed. SET ROLE changes current_user, but not session_user. The functions of all tables include each
  // table's schema: a temporary table of the same name must not replace it. A search_path that omits pg_temp looks
  // there first, so that a temporary type named text, with a cast of its own, would replace the role.
  triggers: [
    changeRow('sign_row', 'NEW.written_by := session_user::text'),
    changeRow('refuse_change', "RAISE EXCEPTION 'cannot change %', TG_ARGV[0]"),
  ],
  grant: 'SELECT, INSERT',
})

/** One row. */
export const journal = defineTable({
  name: 'orderctl_journal',
  columns: {
    // The version of the tables. In a SQLite file, it is the user_version.
    version: integer.notNull.in('postgres'),
    // Differs for each journal.
    id: text.notNull,
  },
  // Only the owner of the tables may change the version.
  grant: 'SELECT',
})

/**
 * The accounts that a file may no longer buy for: it hands their orders over to a shared journal. The last statement of
 * the copy inserts the same row there. See copy/handover.ts.
 */
export const handovers = defineTable({
  name: 'handovers',
  columns: {
    account: refersTo('accounts').notNull,
    // The ids of the two journals, and the address of the shared one.
    source: text.notNull,
    target: text.notNull,
    place: text.notNull,
    // The id of the file's newest call for the account. NULL if there is none.
    call: text,
    at: time.notNull,
    // Why a person ended it with journal forget, although the shared journal may have the orders.
    forgotten: text,
    actor: refersTo('actors'),
  },
  primaryKey: ['source', 'target', 'account'],
  // A role locks the table while it copies, and therefore must be able to update it.
  grant: 'SELECT, INSERT, UPDATE',
})

export const limits = defineTable({
  name: 'limits',
  columns: {
    account: refersTo('accounts').notNull,
    // A budget per order or period, or the total above which a batch needs an approval. `prepare-only` forbids every
    // confirm: its currency is empty, and its amount is 0.
    kind: oneOf('order', 'day', 'week', 'month', 'approval', 'prepare-only').notNull,
    currency: text.notNull,
    // The only database role that it limits. Empty for a limit of the account: a primary key has no NULL.
    for_role: text.notNull.byDefault("''"),
    amount: amount.notNull,
    actor: refersTo('actors'),
    set_at: time.notNull,
    written_by: writtenBy,
  },
  primaryKey: ['account', 'kind', 'currency', 'for_role'],
  // To lock a row, a role must be able to update one of its columns. This is set_at, which is not signed.
  triggers: [
    signRows('limits', 'INSERT OR UPDATE OF account, kind, currency, for_role, amount, actor, written_by'),
  ],
  grant: 'SELECT, UPDATE (set_at)',
  grantToChangeLimits: 'SELECT, INSERT, UPDATE, DELETE',
})

// The roles and times come from the server, whatever the client sends, so that no one can approve their own batch.

const signRole = 'NEW.role := session_user::text'
const serverTime = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'

/** Set by a trigger. */
const role = text.notNull.byDefault('session_user')
const signedAt = time.notNull.byDefault('0')
const otherRole = text.notNull.byDefault("''")

/** The last requested cap. */
export const approvalRequests = defineTable({
  name: 'approval_requests',
  only: 'postgres',
  columns: {
    batch: refersTo('batches', 'CASCADE').notNull,
    plan_id: text.notNull,
    cap: amount.notNull,
    actor: refersTo('actors'),
    role,
    asked_at: signedAt,
  },
  primaryKey: ['batch'],
  triggers: [
    changeRow('sign_request', signRole, `NEW.asked_at := ${serverTime}`),
    `CREATE TRIGGER requests_sign BEFORE INSERT OR UPDATE ON approval_requests
         FOR EACH ROW EXECUTE FUNCTION sign_request()`,
  ],
  grant: 'SELECT, INSERT, UPDATE',
})

export const approvals = defineTable({
  name: 'approvals',
  only: 'postgres',
  columns: {
    number: id,
    // Replacing a plan deletes its approvals, although no role may delete them.
    batch: refersTo('batches', 'CASCADE').notNull,
    plan_id: text.notNull,
    cap: amount.notNull,
    actor: refersTo('actors'),
    role,
    planned_by: otherRole,
    asked_by: otherRole,
    approved_at: signedAt,
    until: time.notNull,
  },
  checks: { approved_by_another: 'role <> planned_by AND role <> asked_by' },
  indexes: { approvals_by_batch: { on: 'batch' } },
  fixed: { approvals_never_change: { what: 'an approval' } },
  triggers: [
    changeRow(
      'sign_approval',
      signRole,
      "EXECUTE format('SELECT written_by FROM %I.batches WHERE number = $1', TG_TABLE_SCHEMA) INTO NEW.planned_by USING NEW.batch",
      "EXECUTE format('SELECT role FROM %I.approval_requests WHERE batch = $1', TG_TABLE_SCHEMA) INTO NEW.asked_by USING NEW.batch",
      'NEW.asked_by := coalesce(NEW.asked_by, NEW.planned_by)',
      `NEW.approved_at := ${serverTime}`,
    ),
    'CREATE TRIGGER approvals_sign BEFORE INSERT ON approvals FOR EACH ROW EXECUTE FUNCTION sign_approval()',
  ],
  grant: 'SELECT, INSERT',
})

/** The cards that each order has shown. No role may change or delete a row. */
export const seenCards = defineTable({
  name: 'seen_cards',
  columns: {
    // Keyed, so that two accounts never share a hash.
    hash: text.notNull,
    order_id: text.notNull,
    account: refersTo('accounts').notNull,
    // Of the card in this order. See numberCards.
    number: count.notNull,
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
