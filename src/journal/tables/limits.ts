// The tables of the limits of accounts, and of what counts against them.
import { amount, count, defineTable, oneOf, refersTo, signRows, text, time, writtenBy } from './table.ts'

export const limits = defineTable({
  name: 'limits',
  columns: {
    account: refersTo('accounts').notNull,
    // A budget per order or period, or the total above which a batch needs an approval.
    kind: oneOf('order', 'day', 'week', 'month', 'approval').notNull,
    currency: text.notNull,
    amount: amount.notNull,
    actor: refersTo('actors'),
    set_at: time.notNull,
    written_by: writtenBy,
  },
  primaryKey: ['account', 'kind', 'currency'],
  // To lock a row, a role must be able to update one of its columns. That is set_at, which is not signed.
  triggers: {
    postgres: [signRows('limits', 'INSERT OR UPDATE OF account, kind, currency, amount, actor, written_by')],
  },
  grant: 'SELECT, UPDATE (set_at)',
  grantToChangeLimits: 'SELECT, INSERT, UPDATE, DELETE',
  copied: { by: ['account', 'kind', 'currency'] },
})

/** SQL for PostgreSQL: the key of the lock that guards the rows of an account in spent_hours. */
export const createSpentKey = (account: string): string =>
  `hashtextextended('orderctl spent_hours ' || ${account}, 0)`

const forget = (row: 'OLD' | 'NEW'): string => `
  DELETE FROM spent_hours
  WHERE account = ${row}.account AND wallet = ${row}.wallet AND hour = ${row}.reserved_at / 3600000;`

/**
 * For budgets: the sums of past hours with reserved orders. A missing row is added up again. The triggers on orders
 * delete the row of each hour that an order leaves, enters or changes in.
 */
export const spentHours = defineTable({
  name: 'spent_hours',
  columns: {
    account: refersTo('accounts').notNull,
    wallet: text.notNull,
    // Since 1970.
    hour: count.notNull,
    total: amount.notNull,
  },
  primaryKey: ['account', 'wallet', 'hour'],
  triggers: {
    sqlite: [
      `CREATE TRIGGER inserted_orders_forget AFTER INSERT ON orders WHEN NEW.reserved_at IS NOT NULL
       BEGIN ${forget('NEW')}
       END`,
      `CREATE TRIGGER deleted_orders_forget AFTER DELETE ON orders WHEN OLD.reserved_at IS NOT NULL
       BEGIN ${forget('OLD')}
       END`,
      `CREATE TRIGGER updated_orders_forget AFTER UPDATE OF account, wallet, total, counted, reserved_at ON orders
       BEGIN ${forget('OLD')} ${forget('NEW')}
       END`,
    ],
    // A confirm that adds up an hour takes the lock alone, and only then reads the orders. A transaction that changes an
    // order shares the lock until its end, and only then deletes the sum. So the confirm reads each change that was
    // committed before, and each later change deletes its sum. The confirm never waits: while an order is being changed,
    // it keeps no sum.
    postgres: [
      `CREATE FUNCTION forget_hours() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS $$
       BEGIN
         PERFORM pg_advisory_xact_lock_shared(${createSpentKey('account')})
           FROM (VALUES (OLD.account), (NEW.account)) AS changed (account) WHERE account IS NOT NULL;
         EXECUTE format('DELETE FROM %I.spent_hours WHERE (account, wallet, hour) IN (($1, $2, $3), ($4, $5, $6))',
             TG_TABLE_SCHEMA)
           USING OLD.account, OLD.wallet, OLD.reserved_at / 3600000,
             NEW.account, NEW.wallet, NEW.reserved_at / 3600000;
         RETURN NULL;
       END $$`,
      `CREATE TRIGGER inserted_orders_forget AFTER INSERT ON orders
         FOR EACH ROW WHEN (NEW.reserved_at IS NOT NULL) EXECUTE FUNCTION forget_hours()`,
      `CREATE TRIGGER deleted_orders_forget AFTER DELETE ON orders
         FOR EACH ROW WHEN (OLD.reserved_at IS NOT NULL) EXECUTE FUNCTION forget_hours()`,
      `CREATE TRIGGER updated_orders_forget AFTER UPDATE OF account, wallet, total, counted, reserved_at ON orders
         FOR EACH ROW WHEN (coalesce(OLD.reserved_at, NEW.reserved_at) IS NOT NULL) EXECUTE FUNCTION forget_hours()`,
    ],
  },
  grant: 'SELECT, INSERT, UPDATE, DELETE',
})
