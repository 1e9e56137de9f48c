// Changes rows of a journal that its triggers or its tables keep as they are.
import { DatabaseSync } from 'node:sqlite'

/** Runs statements as a bad disk or a repair by hand would: in one transaction, without the triggers. */
export const runWithoutTriggers = (database: DatabaseSync, statements: string): void => {
  const triggers = database.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all()
  const drops = triggers.map(({ name }) => `DROP TRIGGER ${name}`)
  const creates = triggers.map(({ sql }) => sql)
  database.exec(['BEGIN', ...drops, statements, ...creates, 'COMMIT'].join(';\n'))
}

/** Runs statements as only damage could: also without the checks of the tables. */
export const damageFile = (file: string, statements: string): void => {
  const change = (use: (database: DatabaseSync) => void): void => {
    using database = new DatabaseSync(file, { defensive: false, enableForeignKeyConstraints: false })
    use(database)
  }
  const kept = `CREATE TABLE kept AS SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%STRICT%'`
  const relaxed = `UPDATE sqlite_schema SET sql = replace(replace(replace(sql, 'TEXT NOT NULL', 'TEXT'), 'INTEGER NOT NULL', 'INTEGER'), ') STRICT', ')')
    WHERE name IN ('orders', 'calls', 'reveals', 'batch_rows')`
  const restored = `UPDATE sqlite_schema SET sql = (SELECT sql FROM kept WHERE kept.name = sqlite_schema.name)
    WHERE name IN (SELECT name FROM kept)`
  change((database) => database.exec(`PRAGMA writable_schema = ON; ${kept}; ${relaxed}`))
  change((database) => {
    database.exec('PRAGMA ignore_check_constraints = ON')
    runWithoutTriggers(database, statements)
  })
  change((database) => database.exec(`PRAGMA writable_schema = ON; ${restored}; DROP TABLE kept`))
}
