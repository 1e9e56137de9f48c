// The journal of this machine, opened when it is needed.
import { join } from 'node:path'
import type { Context } from '../context.ts'
import type { Journal } from '../journal/journal.ts'
import { safeText } from '../ui/safe-text.ts'
import { journalFile, keptFile, stateFolder } from './state-folder.ts'

export type Journals = ReturnType<typeof journalsOf>

export const journalsOf = (context: Context) => {
  let opened: Promise<Journal> | undefined
  let hasWarned = false

  /** Throws where it cannot be used safely: then nothing may be sent. */
  const open = (): Promise<Journal> => {
    opened ??= import('../journal/journal.ts').then(({ openJournal }) =>
      openJournal(join(stateFolder(context), journalFile)),
    )
    return opened
  }

  /** For what can do without it: says so, once. */
  const attempt = async (purpose: string, work: (journal: Journal) => void): Promise<void> => {
    try {
      work(await open())
    } catch (error) {
      if (!hasWarned) {
        const why = error instanceof Error ? error.message : String(error)
        context.stderr.write(`warning: ${purpose}: ${safeText(why)}\n`)
        hasWarned = true
      }
    }
  }

  return {
    open,
    /** Whether anything was ever ordered from here. */
    isThere: (): boolean => keptFile(journalFile, context) !== undefined,
    attempt,
    /** As `attempt`, where nothing is lost if there is none yet. */
    attemptIfThere: async (purpose: string, work: (journal: Journal) => void): Promise<void> => {
      if (opened !== undefined || keptFile(journalFile, context) !== undefined) await attempt(purpose, work)
    },
    close: async (): Promise<void> => {
      const journal = await opened?.catch(() => undefined)
      journal?.close()
    },
  }
}
