// The tables of accounts, and of the people and machines that use them.
import { defineTable, id, text } from './table.ts'

export const accounts = defineTable({
  name: 'accounts',
  columns: {
    number: id,
    address: text.notNull,
    name: text,
  },
  indexes: {
    accounts_by_identity: { on: "address, coalesce(name, '')", isUnique: true },
  },
  grant: 'SELECT, INSERT',
  copied: { by: ['address', 'name'] },
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
  indexes: {
    actors_by_identity: { on: "coalesce(role, ''), os_user, host", isUnique: true },
  },
  grant: 'SELECT, INSERT',
  copied: { by: ['role', 'os_user', 'host'] },
})
