// Journals that note their calls in a machine file. Each `openNoted` opens the file as a separate command does.
import path from 'node:path'
import { onTestFinished } from 'vitest'
import type { AccountId } from '../../../src/contract/account-id.ts'
import { openJournal } from '../../../src/journal/file-journal.ts'
import type { Journal } from '../../../src/journal/journal.ts'
import { openMachine } from '../../../src/journal/machine/machine-file.ts'
import { readNotes } from '../../../src/journal/machine/newest-call.ts'
import { openSharedJournal } from '../../../src/journal/shared-journal.ts'
import { openScratch } from '../../support/scratch.ts'
import { optionsOf } from '../journals.ts'
import { createOrderDesk, owner } from '../order-desk.ts'

export const openFolder = (): string => {
  const scratch = openScratch()
  onTestFinished(() => scratch[Symbol.dispose]())
  return scratch.folder
}

export const openNoted = (folder: string, account: AccountId = owner.account) => {
  const machine = openMachine(folder)
  onTestFinished(machine[Symbol.dispose])
  return { machine, account }
}

export const readNoted = (folder: string) => readNotes(openNoted(folder)).journals

/** The place is a file or an address. The caller needs no close. */
export const openDesk = async (place: string, noted: ReturnType<typeof openNoted>) => {
  const journal: Journal = path.isAbsolute(place)
    ? await openJournal(place, { noted })
    : await openSharedJournal({ ...optionsOf(place), noted })
  onTestFinished(journal.close)
  return createOrderDesk(journal)
}
