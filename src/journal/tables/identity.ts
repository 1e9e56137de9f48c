// The tables that say which journal this is, and which rows it got from other journals.
import { defineTable, integer, oneOf, text, time } from './table.ts'

/** One row. */
export const journal = defineTable({
  name: 'orderctl_journal',
  columns: {
    // The version of the tables. A SQLite file has it as its user_version.
    version: integer.notNull.in('postgres'),
    // Differs for each journal.
    id: text.notNull,
  },
  // Only the owner of the tables may change the version.
  grant: 'SELECT',
})

/** The rows that were copied from other journals. */
export const copies = defineTable({
  name: 'copies',
  columns: {
    // The id of the journal that the row was made in, its number there, and when it was made. The time tells apart the
    // rows of a file and of a copy of this file that both were used.
    source: text.notNull,
    kind: oneOf('order', 'reveal', 'batch').notNull,
    number: integer.notNull,
    at: time.notNull,
    copied_as: integer.notNull,
    // For a batch: a hash of it and its cards in the source, when it was copied.
    fingerprint: text,
  },
  primaryKey: ['source', 'kind', 'number', 'at'],
  indexes: {
    copies_by_number: { on: 'kind, copied_as' },
  },
  grant: 'SELECT, INSERT, UPDATE',
})
