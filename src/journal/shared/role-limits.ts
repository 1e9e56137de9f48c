// Triggers of a shared journal that refuse, even with psql, what the limits of the connection's role forbid. Budgets of
// a role have no trigger: only confirm-guard.ts checks them.
import { matchAccounts } from '../accounts.ts'
import { postgresNow } from '../database/postgres.ts'
import { createJournalSql } from '../tables/list.ts'

type Refused = {
  readonly table: string
  readonly events: string
  /** Which rows the trigger checks. */
  readonly rows?: string
  /** The table of the order or batch that the row concerns, and its number there. */
  readonly subject: 'orders' | 'batches'
  readonly number: string
  /** Which limits of the role forbid the row. */
  readonly when: string
}

/** SET ROLE changes current_user, but not session_user. */
const refuse = ({ table, events, rows, subject, number, when }: Refused): string[] => {
  const name = `${table}_within_limits`
  const condition = rows === undefined ? '' : ` WHEN (${rows})`
  return [
    `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
       DECLARE
         forbidding text;
       BEGIN
         -- Until the function ends. Temporary tables come last, so that they replace none.
         PERFORM set_config('search_path', concat('pg_catalog, ', quote_ident(TG_TABLE_SCHEMA), ', pg_temp'), true);
         SELECT kind INTO forbidding FROM ${subject} AS subject
           JOIN accounts AS own ON own.number = subject.account
           JOIN accounts AS other ON ${matchAccounts('other', 'own')}
           JOIN limits ON limits.account = other.number AND for_role = session_user::text
         WHERE subject.number = ${number} AND (${when}) LIMIT 1;
         IF FOUND THEN
           RAISE EXCEPTION 'the limit % of the role % forbids this', forbidding, session_user;
         END IF;
         RETURN NULL;
       END $$`,
    `CREATE TRIGGER ${name} AFTER ${events} ON ${table} FOR EACH ROW${condition} EXECUTE FUNCTION ${name}()`,
  ]
}

// An order without an amount exceeds every limit.
const total = `(SELECT CASE WHEN bool_and(counts IS NOT NULL) THEN sum(counts) ELSE 1e30 END FROM orders
  WHERE number = subject.number OR batch = subject.batch AND committed)`

const approvals = `SELECT FROM batches JOIN approvals ON batch = batches.number AND plan_id = batches.id
  WHERE batches.number = subject.batch AND until > ${postgresNow}`

/** The limits that forbid to confirm an order. For approvals, as isApproved decides. */
const whenConfirmed = `kind = 'prepare-only' OR kind = 'approval' AND currency = subject.wallet
  AND greatest(${total}, (SELECT max_total::numeric * 1000000 FROM batches WHERE number = subject.batch))
    > amount::numeric * 1000000
  AND NOT EXISTS (${approvals} AND cap::numeric * 1000000 >= ${total})`

const roleLimitsSql = [
  ...refuse({
    ...{ table: 'calls', events: 'INSERT', rows: "NEW.operation = 'confirm'" },
    ...{ subject: 'orders', number: 'NEW.order_number', when: whenConfirmed },
  }),
  ...refuse({
    ...{ table: 'orders', events: 'INSERT OR UPDATE OF standing', rows: "NEW.standing = 'confirming'" },
    ...{ subject: 'orders', number: 'NEW.number', when: whenConfirmed },
  }),
  // A limited role must not approve a colleague's plan and run it.
  ...refuse({
    ...{ table: 'approvals', events: 'INSERT', subject: 'batches', number: 'NEW.batch' },
    when: "kind IN ('approval', 'prepare-only') AND currency IN (subject.wallet, '')",
  }),
]

export const createSharedSql = (): string[] => [...createJournalSql('postgres'), ...roleLimitsSql]
