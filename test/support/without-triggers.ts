// Changes rows of a journal that its triggers keep as they are.
import type { DatabaseSync } from 'node:sqlite'

/** Runs statements as a bad disk or a repair by hand would: in one transaction, without the triggers. */
export const runWithoutTriggers = (database: DatabaseSync, statements: string): void => {
  const triggers = database.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all()
  const drops = triggers.map(({ name }) => `DROP TRIGGER ${name}`)
  const creates = triggers.map(({ sql }) => sql)
  database.exec(['BEGIN', ...drops, statements, ...creates, 'COMMIT'].join(';\n'))
}
