// The tables that say which journal this is and which rows it got from others, and those of accounts and actors.
import { defineTable, id, integer, oneOf, refersTo, text, time } from './table.ts'

export const accounts = defineTable({
  name: 'accounts',
  columns: {
    number: id,
    address: text.notNull,
    name: text,
    // The key of the hashes of its cards: see seen_cards.
    card_key: text.notNull.byDefault({
      sqlite: '(lower(hex(randomblob(32))))',
      postgres: 'concat(gen_random_uuid(), gen_random_uuid())',
    }),
  },
  indexes: {
    accounts_by_identity: { on: "address, coalesce(name, '')", isUnique: true },
  },
  grant: 'SELECT, INSERT',
  copied: { by: ['address', 'name'] },
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
  copied: { by: ['account', 'card_key'] },
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
  // Any role may insert or name any actor, because the spool and copies write for others. So the rows that name an actor
  // are signed. SET ROLE changes current_user, but not session_user. The functions of all tables name the schema of each
  // table: a temporary table of the same name must not replace it. A search_path that omits pg_temp looks there first, so
  // that a temporary type named text, with a cast of its own, would replace the role.
  triggers: {
    postgres: [
      `CREATE FUNCTION sign_row() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
       BEGIN
         NEW.written_by := session_user::text;
         RETURN NEW;
       END $$`,
      `CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
       BEGIN
         RAISE EXCEPTION 'cannot change %', TG_ARGV[0];
       END $$`,
    ],
  },
  grant: 'SELECT, INSERT',
  copied: { by: ['role', 'os_user', 'host'] },
})

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
