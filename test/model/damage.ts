// Destroys a value in a journal, as a bad disk or a careless script does.
import { DatabaseSync } from 'node:sqlite'
import { runWithoutTriggers } from '../support/without-triggers.ts'
import type { Damage } from './histories/steps.ts'

const newest = '(SELECT max(number) FROM orders)'

const changes: Readonly<Record<Damage, string>> = {
  outcome: `UPDATE calls SET outcome = 'garbage' WHERE order_number = ${newest}`,
  reference: `UPDATE orders SET reference = '' WHERE number = ${newest}`,
  'whole reference': `UPDATE orders SET reference = NULL WHERE number = ${newest}`,
  standing: `UPDATE orders SET standing = 'confirme' WHERE number = ${newest}`,
  total: `UPDATE orders SET total = 'garbage', counts = NULL WHERE number = ${newest}`,
}

export const damageJournal = (file: string, what: Damage): void => {
  using database = new DatabaseSync(file)
  database.exec('PRAGMA ignore_check_constraints = ON')
  runWithoutTriggers(database, changes[what])
}
