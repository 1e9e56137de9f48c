// The tables of batches: their plans, and the cards that they want.
import {
  amount,
  changeRow,
  count,
  defineTable,
  id,
  jsonOf,
  oneOf,
  refersTo,
  signRows,
  text,
  texts,
  time,
  writtenBy,
} from './table.ts'

/** A column of the input: a field of the row, or one of the other columns. */
export type HeaderColumn = {
  readonly name: string
  readonly field?: 'sku' | 'quote' | 'quantity' | 'productType'
}

/** How a CSV file was written. */
export type CsvFormat = {
  readonly separator: string
  readonly lineEnd: string
  /** A byte order mark. */
  readonly hasMark: boolean
}

const readHeader = (value: unknown): readonly HeaderColumn[] | undefined =>
  Array.isArray(value) && value.every((each) => typeof each?.name === 'string') ? value : undefined

const readFormat = (value: unknown): CsvFormat | undefined =>
  typeof value === 'object' && value !== null ? (value as CsvFormat) : undefined

// A restored server may reuse the number of a transaction, so the time is part of the id.
const thisTransaction = "concat_ws(' ', pg_current_xact_id(), extract(epoch FROM transaction_timestamp()))"

export const batches = defineTable({
  name: 'batches',
  columns: {
    number: id,
    account: refersTo('accounts').notNull,
    profile: text.notNull,
    origin: text.notNull,
    // The plan's fingerprints: of all rows, and only of the cards that it buys.
    id: text.notNull,
    demand: text.notNull,
    name: text.notNull,
    name_fold: text.notNull,
    wallet: text.notNull,
    // The names of the other columns of the input.
    columns: texts.notNull,
    // All columns of the input, in its order. Empty if it is damaged.
    header: jsonOf(readHeader, []).notNull,
    // How the input was written, if it was CSV.
    format: jsonOf<CsvFormat | undefined>(readFormat, undefined),
    last_slot: count.notNull,
    // NULL until a user consents to it.
    max_total: amount,
    stopped: oneOf('cap', 'funds', 'budget', 'approval', 'charge'),
    // The number of its orders that were charged more than their total, or in a different currency, when the batch was
    // last started.
    overcharged: count.notNull.byDefault('0'),
    planned_at: time.notNull,
    started_at: time,
    changed_at: time.notNull,
    cancelled_at: time,
    actor: refersTo('actors'),
    cancelled_by: refersTo('actors'),
    written_by: writtenBy,
    // The transaction that planned it (see sign_plan). Only this transaction may add rows and cards.
    planned_in: text.notNull.byDefault("''").in('postgres'),
  },
  indexes: {
    // A batch that bought nothing is cancelled when its name gets other rows.
    batches_by_name: { on: 'account, name_fold', where: 'cancelled_at IS NULL', isUnique: true },
    batches_by_demand: { on: 'demand' },
  },
  fixed: {
    batches_never_change: {
      what: 'a saved plan',
      columns: `number, account, profile, origin, id, demand, name, name_fold, wallet, columns, header, format,
        planned_at, planned_in, actor, written_by`,
    },
    cancelled_never_changes: {
      what: 'a cancelled batch',
      columns: 'cancelled_at, cancelled_by',
      when: `OLD.cancelled_at IS NOT NULL AND (NEW.cancelled_at IS DISTINCT FROM OLD.cancelled_at
         OR NEW.cancelled_by IS DISTINCT FROM OLD.cancelled_by)`,
    },
  },
  // No role may cancel in a different role's name, so the actor is checked.
  triggers: [
    changeRow('sign_plan', `NEW.planned_in := ${thisTransaction}`),
    'CREATE TRIGGER batches_sign_plan BEFORE INSERT ON batches FOR EACH ROW EXECUTE FUNCTION sign_plan()',
    signRows('batches'),
    `CREATE FUNCTION check_cancel() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
       DECLARE
         role text;
       BEGIN
         -- A cancelled batch never changes.
         IF TG_OP = 'UPDATE' AND OLD.cancelled_at IS NOT NULL THEN
           RETURN NEW;
         ELSIF NEW.cancelled_at IS NOT NULL OR NEW.cancelled_by IS NOT NULL THEN
           EXECUTE format('SELECT role FROM %I.actors WHERE number = $1', TG_TABLE_SCHEMA)
             INTO role USING NEW.cancelled_by;
           -- A copied batch was cancelled in a file, which has no roles.
           IF role IS DISTINCT FROM session_user::text AND (TG_OP = 'UPDATE' OR role IS NOT NULL) THEN
             RAISE EXCEPTION 'cannot record that a different role cancelled the batch';
           END IF;
         END IF;
         RETURN NEW;
       END $$`,
    `CREATE TRIGGER batches_check_cancel BEFORE INSERT OR UPDATE OF cancelled_at, cancelled_by ON batches
         FOR EACH ROW EXECUTE FUNCTION check_cancel()`,
    `CREATE FUNCTION refuse_late_rows() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
       DECLARE
         is_late boolean;
       BEGIN
         EXECUTE format('SELECT EXISTS (SELECT FROM added WHERE NOT EXISTS (
             SELECT FROM %I.batches WHERE number = added.batch AND planned_in = $1))', TG_TABLE_SCHEMA)
           INTO is_late USING ${thisTransaction};
         IF is_late THEN
           RAISE EXCEPTION 'cannot add rows or cards to a saved plan';
         END IF;
         RETURN NULL;
       END $$`,
  ],
  // A batch that was planned and never started can be planned again.
  grant: 'SELECT, INSERT, UPDATE, DELETE',
  isReset: true,
})

/** A transaction of SQLite has no id, so a plan accepts rows and cards until it has an order. */
const refuseLateRows = (table: string): string =>
  `CREATE TRIGGER ${table}_are_planned BEFORE INSERT ON ${table}
     WHEN EXISTS (SELECT 1 FROM orders WHERE batch = NEW.batch)
     BEGIN SELECT RAISE(ABORT, 'cannot add rows or cards to a saved plan'); END`

// When a plan is replaced, the database deletes its rows and cards. No role may delete them itself.
const plan = refersTo('batches', 'CASCADE').notNull

export const batchRows = defineTable({
  name: 'batch_rows',
  columns: {
    batch: plan,
    row: count.notNull,
    line: count.notNull,
    sku: text.notNull,
    product_type: text.notNull,
    quote: amount.notNull,
    quantity: count.notNull,
    cells: texts.notNull,
    // The fields as they were written, if that differs from the columns above.
    given: texts,
  },
  primaryKey: ['batch', 'row'],
  fixed: { rows_never_change: { what: 'a row of a saved plan' } },
  triggers: [
    `CREATE TRIGGER rows_are_planned AFTER INSERT ON batch_rows REFERENCING NEW TABLE AS added
         FOR EACH STATEMENT EXECUTE FUNCTION refuse_late_rows()`,
  ],
  sqliteTriggers: [refuseLateRows('batch_rows')],
  grant: 'SELECT, INSERT',
  isReset: true,
})

export const batchCards = defineTable({
  name: 'batch_cards',
  columns: {
    batch: plan,
    card: count.notNull,
    row: count.notNull,
    slot: count.notNull,
    state: oneOf('wanted', 'delivered', 'duplicate', 'failed', 'cancelled').notNull,
    error: text,
    // Of the card that it got: see seen_cards.
    hash: text,
  },
  primaryKey: ['batch', 'card'],
  indexes: {
    batch_cards_by_slot: { on: 'batch, slot' },
    wanted_cards: { on: 'batch, slot', where: "state = 'wanted'" },
  },
  fixed: {
    cards_never_change: { what: 'the row of a card', columns: 'batch, card, row' },
    delivered_never_change: { what: 'a delivered card', when: "OLD.state = 'delivered'" },
  },
  triggers: [
    `CREATE TRIGGER cards_are_planned AFTER INSERT ON batch_cards REFERENCING NEW TABLE AS added
         FOR EACH STATEMENT EXECUTE FUNCTION refuse_late_rows()`,
  ],
  sqliteTriggers: [refuseLateRows('batch_cards')],
  grant: 'SELECT, INSERT, UPDATE',
  isReset: true,
})
