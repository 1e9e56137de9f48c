// The schema of the journal in a file.
import type { Schema } from '../sqlite/schema.ts'
import { createJournalSql, versions } from './tables/list.ts'

const createIdentity = 'INSERT INTO orderctl_journal (id) VALUES (lower(hex(randomblob(16))))'

export const schema: Schema = {
  name: 'journal',
  elsewhere: 'Set ORDERCTL_STATE_DIR to another folder',
  loss: 'orderctl forgets its orders and cannot prevent a second purchase',
  readBigInts: true,
  applicationId: 0x6f72644a,
  version: versions.sqlite,
  createSql: () => [...createJournalSql('sqlite'), createIdentity].join(';\n'),
}
