// Opens journals until the end of the test.

import { onTestFinished } from 'vitest'
import type { Identity } from '../../src/journal/access.ts'
import type { Journal } from '../../src/journal/journal.ts'
import { findJournalKind, type JournalKind, type SharedJournal } from './journals.ts'

type Opened = SharedJournal & {
  /** Opens it on another connection. */
  readonly openOther: (identify?: () => Identity) => Promise<Journal>
}

/** Opens an empty journal. */
export const openFor = async (kind: JournalKind = findJournalKind('SQLite')): Promise<Opened> => {
  const shared = await kind.openShared()
  onTestFinished(shared.close)
  const openOther = async (identify?: () => Identity): Promise<Journal> => {
    const other = await kind.openAt(shared.address, identify)
    onTestFinished(other.close)
    return other
  }
  return { ...shared, openOther }
}
