// Notes on this machine the newest call of each journal, so that a journal restored from a backup is noticed. A note is
// a file with the id of its journal as its name, because an address has several spellings.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { Failure } from '../errors.ts'
import { getErrorReason, makeFolder, syncFolder, writeDurably } from '../files.ts'
import { withLock } from '../sqlite/lock.ts'
import { type CheckBegin, isStarted, type StartedCall } from './calls.ts'
import type { Statements } from './database/database.ts'
import type { Calls } from './journal.ts'

export type NewestCall = {
  /** Its number: a newer call has a higher one. */
  readonly call: number
  /** Random. A restored journal may give the number to another call. */
  readonly id: string
  readonly startedAt: number
}

export type Note = NewestCall & {
  /** The id of the journal. */
  readonly journal: string
  /** The databases that the journal was in (see nameDatabase). Empty for a file. */
  readonly places: readonly string[]
  readonly file: string
}

const ending = '.json'

/** Without those that cannot be read. */
export const readNotes = (folder: string | undefined): readonly Note[] =>
  listNames(folder).flatMap((name) => {
    try {
      return readNote(path.join(folder ?? '', name)) ?? []
    } catch {
      return []
    }
  })

const listNames = (folder: string | undefined): string[] => {
  try {
    return folder === undefined ? [] : readdirSync(folder).filter((name) => name.endsWith(ending))
  } catch {
    return []
  }
}

/** Undefined if there is no note. Throws if it is damaged, because the journal may have been restored, too. */
const readNote = (file: string): Note | undefined => {
  try {
    const { journal, places, call, id, startedAt } = JSON.parse(readFileSync(file, 'utf8'))
    const isValid =
      [journal, id, ...places].every((each) => typeof each === 'string') &&
      [call, startedAt].every(Number.isSafeInteger)
    if (isValid) return { journal, places, call, id, startedAt, file }
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    if (syscall !== undefined) throw createUnreadableFailure(file, getErrorReason(error))
  }
  throw createUnreadableFailure(file, 'it is damaged')
}

const createUnreadableFailure = (file: string, reason: string): Failure =>
  new Failure('local-state', `cannot read ${file}, the newest call that this machine has seen: ${reason}`, {
    fix: (suggest) =>
      `If the journal was restored from a backup, check which orders are missing: ${suggest`reconcile`}. Then delete ${file}`,
  })

export const createRestoredFailure = (name: string, { file }: Note): Failure =>
  new Failure(
    'local-state',
    `the journal ${name} does not have the newest call that this machine has seen; the journal was probably restored from a backup`,
    {
      fix: (suggest) =>
        `Check which orders are missing: ${suggest`reconcile`}. Then delete ${file} to continue.`,
    },
  )

/** What a journal says about the notes of this machine. */
type Seen = {
  /** The id of the journal. */
  readonly id: string
  /** Whether the journal has the call of its note. */
  readonly hasSeen: boolean
}

/**
 * The note of a call that the journal lacks: it was restored, or deleted or created anew at its place (see nameDatabase).
 * `seen` is undefined if there is no journal.
 */
export const findLostCall = (
  notes: readonly Note[],
  seen: Seen | undefined,
  place?: string,
): Note | undefined => {
  const own = notes.find(({ journal }) => journal === seen?.id)
  if (own !== undefined) return seen?.hasSeen ? undefined : own
  return notes.find(({ places }) => place !== undefined && places.includes(place))
}

export const readSeen = (file: DatabaseSync, notes: readonly Note[]): Seen => {
  const id = String(file.prepare('SELECT id FROM orderctl_journal').get()?.id)
  const own = notes.find(({ journal }) => journal === id)
  return { id, hasSeen: own !== undefined && file.prepare(callQuery).get({ id: own.id }) !== undefined }
}

const callQuery = 'SELECT 1 FROM calls WHERE id = $id'

const hasCall = async ({ all }: Pick<Statements, 'all'>, { id }: NewestCall): Promise<boolean> =>
  (await all(callQuery, { id })).length > 0

const createUnwrittenFailure = (file: string, error: unknown): Failure =>
  error instanceof Failure
    ? error
    : new Failure('local-state', `cannot note the call in ${file}: ${getErrorReason(error)}`, {
        fix: 'Check that you can write to its folder, and that its disk has free space.',
        cause: error,
      })

type Options = {
  /** The folder of the notes. */
  readonly folder: string
  /** The id of the journal. */
  readonly journal: string
  /** The name of the journal in messages. */
  readonly name: string
  /** Its database (see nameDatabase). Undefined for a file. */
  readonly place?: string
}

export type NewestCalls = {
  /** Notes a call that another machine has made, unless `notes` has it or a newer one. */
  readonly see: (newest: NewestCall, notes: readonly Note[]) => void
  /** A failover or a restored backup may set the journal back while this process uses it. */
  readonly check: CheckBegin
  /** Notes each call between its intent and its request. */
  readonly noteCalls: (calls: Calls) => Calls
}

export const openNewestCalls = ({ folder, journal, name, place }: Options): NewestCalls => {
  const file = path.join(folder, `${encodeURIComponent(journal)}${ending}`)
  const places = place === undefined ? [] : [place]

  /** Keeps a newer call that another process has noted. */
  const write = (newest: NewestCall): void => {
    makeFolder(folder, 0o700)
    withLock(path.join(folder, 'notes.lock'), () => {
      const noted = readNote(file)
      if (noted !== undefined && noted.call >= newest.call) return
      const { call, id, startedAt } = newest
      const note = {
        journal,
        places: [...new Set([...(noted?.places ?? []), ...places])],
        call,
        id,
        startedAt,
      }
      writeDurably(file, Buffer.from(`${JSON.stringify(note)}\n`))
      if (noted === undefined) syncFolder(path.dirname(folder))
    })
  }

  type Waiting = { readonly newest: NewestCall; resolve(): void; reject(error: unknown): void }
  let waiting: Waiting[] = []
  const writeWaiting = (): void => {
    const all = waiting.toSorted((one, other) => one.newest.call - other.newest.call)
    waiting = []
    try {
      for (const { newest } of all.slice(-1)) write(newest)
      for (const { resolve } of all) resolve()
    } catch (error) {
      for (const { reject } of all) reject(createUnwrittenFailure(file, error))
    }
  }
  /** When this resolves, the call is noted. One write covers all calls that have begun at the same time. */
  const note = (newest: NewestCall): Promise<void> =>
    new Promise((resolve, reject) => {
      if (waiting.push({ newest, resolve, reject }) === 1) setImmediate(writeWaiting)
    })

  const noteStart = async <Start>(
    start: Start,
    withdraw: (started: StartedCall) => Promise<unknown>,
  ): Promise<Start> => {
    if (isStarted(start)) {
      await note(start).catch(async (error) => {
        // If this fails, too, the call is settled later.
        await withdraw(start).catch(() => {})
        throw error
      })
    }
    return start
  }

  return {
    see: (newest, notes) => {
      if (notes.some((each) => each.file === file && each.call >= newest.call)) return
      try {
        write(newest)
      } catch {
        // The command only reads, or its own calls will not be noted either.
      }
    },
    check: async (statements) => {
      const noted = readNote(file)
      if (noted !== undefined && !(await hasCall(statements, noted))) throw createRestoredFailure(name, noted)
    },
    noteCalls: (calls) => ({
      ...calls,
      beginCreate: async (intent) =>
        noteStart(await calls.beginCreate(intent), (started) =>
          calls.endCreate(started, { outcome: 'not-sent' }, intent.at),
        ),
      beginConfirm: async (intent) =>
        noteStart(await calls.beginConfirm(intent), (started) =>
          calls.endConfirm(started, { outcome: 'not-sent' }, intent.at),
        ),
    }),
  }
}
