// The tables of the limits of accounts, and of approvals. Only a journal in PostgreSQL has approvals, because only its
// server can tell people apart.
import { amount, defineTable, id, oneOf, refersTo, signRows, text, time, writtenBy } from './table.ts'

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

// The roles and times come from the server, whatever the client sends, so that nobody approves their own batch.

/** Set by a trigger. */
const role = text.notNull.byDefault('session_user')
const signedAt = time.notNull.byDefault('0')
const otherRole = text.notNull.byDefault("''")

/** The last cap that somebody asked for. */
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
  triggers: {
    postgres: [
      `CREATE FUNCTION sign_request() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
       BEGIN
         NEW.role := session_user::text;
         NEW.asked_at := (extract(epoch FROM clock_timestamp()) * 1000)::bigint;
         RETURN NEW;
       END $$`,
      `CREATE TRIGGER requests_sign BEFORE INSERT OR UPDATE ON approval_requests
         FOR EACH ROW EXECUTE FUNCTION sign_request()`,
    ],
  },
  grant: 'SELECT, INSERT, UPDATE',
})

export const approvals = defineTable({
  name: 'approvals',
  only: 'postgres',
  columns: {
    number: id,
    // A plan that is replaced takes its approvals along, although no role may delete them.
    batch: refersTo('batches', 'CASCADE').notNull,
    // The plan that was approved.
    plan_id: text.notNull,
    cap: amount.notNull,
    actor: refersTo('actors'),
    role,
    planned_by: otherRole,
    asked_by: otherRole,
    approved_at: signedAt,
    until: time.notNull,
  },
  checks: {
    approved_by_another: 'role <> planned_by AND role <> asked_by',
  },
  indexes: {
    approvals_by_batch: { on: 'batch' },
  },
  triggers: {
    postgres: [
      `CREATE FUNCTION sign_approval() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
       BEGIN
         IF TG_OP = 'UPDATE' THEN
           RAISE EXCEPTION 'cannot change an approval';
         END IF;
         NEW.role := session_user::text;
         EXECUTE format('SELECT written_by FROM %I.batches WHERE number = $1', TG_TABLE_SCHEMA)
           INTO NEW.planned_by USING NEW.batch;
         EXECUTE format('SELECT role FROM %I.approval_requests WHERE batch = $1', TG_TABLE_SCHEMA)
           INTO NEW.asked_by USING NEW.batch;
         NEW.asked_by := coalesce(NEW.asked_by, NEW.planned_by);
         NEW.approved_at := (extract(epoch FROM clock_timestamp()) * 1000)::bigint;
         RETURN NEW;
       END $$`,
      `CREATE TRIGGER approvals_sign BEFORE INSERT OR UPDATE ON approvals
         FOR EACH ROW EXECUTE FUNCTION sign_approval()`,
    ],
  },
  grant: 'SELECT, INSERT',
})
