// The table of the limits of accounts.
import { amount, defineTable, oneOf, refersTo, signRows, text, time, writtenBy } from './table.ts'

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
