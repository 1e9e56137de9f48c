// Notes on this machine the newest call of each journal, so that a journal restored from a backup is noticed. A note is
// a file with the id of its journal as its name, because an address has several spellings.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { Failure } from '../errors.ts'
import { getErrorReason, makeFolder, syncFolder, writeDurably } from '../files.ts'
import { withLock } from '../sqlite/lock.ts'
import type { Calls } from './journal.ts'
import { type CheckBegin, isStarted, type StartedCall } from './orders/calls.ts'

type NewestCall = {
  /** Its number: a newer call has a higher one. */
  readonly call: number
  /** Random. A restored journal may give the number to another call. */
  readonly id: string
  readonly startedAt: number
}

export type Note = NewestCall & {
  /** The id of the journal. */
  readonly journal: string
  /** Where the journal was: paths of its file, or its databases (see nameDatabase). */
  readonly places: readonly string[]
  readonly file: string
}

const ending = '.json'

/** Without those that cannot be read. */
export const readNotes = (folder: string | undefined): readonly Note[] => {
  if (folder === undefined) return []
  const names = readIfPossible(() => readdirSync(folder)) ?? []
  return names
    .filter((name) => name.endsWith(ending))
    .flatMap((name) => readIfPossible(() => readNote(path.join(folder, name))) ?? [])
}

const readIfPossible = <Result>(read: () => Result): Result | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** Undefined if there is no note. Throws if it is damaged, because the journal may have been restored, too. */
const readNote = (file: string): Note | undefined => {
  let reason = 'it is damaged'
  try {
    const { journal, places, call, id, startedAt } = JSON.parse(readFileSync(file, 'utf8'))
    const isValid =
      [journal, id, ...places].every((each) => typeof each === 'string') &&
      [call, startedAt].every(Number.isSafeInteger)
    if (isValid) return { journal, places, call, id, startedAt, file }
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    if (syscall !== undefined) reason = getErrorReason(error)
  }
  throw new Failure(
    'local-state',
    `cannot read ${file}, the newest call that this machine has seen: ${reason}`,
    {
      fix: (suggest) => suggest`reconcile`,
      advice: `If the journal was restored from a backup, check which orders are missing. Then delete ${file}`,
    },
  )
}

export const createRestoredFailure = (name: string, { file }: Note): Failure =>
  new Failure(
    'local-state',
    `the journal ${name} does not have the newest call that this machine has seen; the journal was probably restored from a backup or replaced`,
    {
      fix: (suggest) => suggest`reconcile`,
      advice: `Check which orders are missing. Then delete ${file} to continue.`,
    },
  )

/** What a journal says about the notes of this machine. */
export type Seen = {
  /** The id of the journal. */
  readonly id: string
  /** Whether the journal has the call of its note. */
  readonly hasSeen: boolean
  /** In PostgreSQL, where other machines make calls, too. Undefined if the journal has no calls. */
  readonly newest?: NewestCall | undefined
}

/**
 * The note of a call that the journal lacks: it was restored, or deleted or created anew at its place. `seen` is
 * undefined if there is no journal.
 */
export const findLostCall = (notes: readonly Note[], seen: Seen | undefined, place: string) => {
  const own = notes.find(({ journal }) => journal === seen?.id)
  if (own !== undefined) return seen?.hasSeen ? undefined : own
  return notes.find(({ places }) => places.includes(place))
}

export const readSeen = (file: DatabaseSync, notes: readonly Note[]): Seen => {
  const id = String(file.prepare('SELECT id FROM orderctl_journal').get()?.id)
  const own = notes.find(({ journal }) => journal === id)
  return { id, hasSeen: own !== undefined && file.prepare(callQuery).get({ id: own.id }) !== undefined }
}

const callQuery = 'SELECT 1 FROM calls WHERE id = $id'

type Options = {
  /** The folder of the notes. */
  readonly folder: string | undefined
  readonly notes: readonly Note[]
  readonly seen: Seen
  /** The name of the journal in messages. */
  readonly name: string
  /** The path of its file, or its database (see nameDatabase). */
  readonly place: string
}

/** Detects that the journal was set back, by the notes of this machine about the newest call. */
export type Noted = {
  /** Why no call may begin. */
  readonly restored?: Failure | undefined
  /** A failover or a restored backup may set the journal back while this process uses it. */
  readonly check?: CheckBegin
  /** Notes each call between its intent and its request. */
  readonly noteCalls?: (calls: Calls) => Calls
}

/** Notes the newest call of another machine, if no call is lost. */
export const compareNotes = ({ folder, notes, seen, name, place }: Options): Noted => {
  if (folder === undefined) return {}
  const file = path.join(folder, `${encodeURIComponent(seen.id)}${ending}`)
  const note = createNoteWriter(file, seen.id, place)
  const lost = findLostCall(notes, seen, place)
  const { newest } = seen
  const isNoted = notes.some((each) => each.file === file && each.call >= (newest?.call ?? 0))
  // Ignores a failed write: a command that only reads needs no note, and a command that sends cannot note its call either.
  if (newest !== undefined && lost === undefined && !isNoted) readIfPossible(() => note.write(newest))

  const noteStart = async <Start>(
    start: Start,
    withdraw: (started: StartedCall) => Promise<unknown>,
  ): Promise<Start> => {
    if (isStarted(start)) {
      await note.writeSoon(start).catch(async (error) => {
        // If this fails, too, the call is settled later.
        await withdraw(start).catch(() => {})
        throw error
      })
    }
    return start
  }

  return {
    restored: lost && createRestoredFailure(name, lost),
    check: async ({ all }) => {
      const noted = readNote(file)
      if (noted !== undefined && (await all(callQuery, { id: noted.id })).length === 0)
        throw createRestoredFailure(name, noted)
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

const createNoteWriter = (file: string, journal: string, place: string) => {
  const folder = path.dirname(file)

  /** Keeps a newer call that another process has noted. */
  const write = ({ call, id, startedAt }: NewestCall): void => {
    makeFolder(folder, 0o700)
    withLock(path.join(folder, 'notes.lock'), () => {
      const noted = readNote(file)
      if (noted !== undefined && noted.call >= call) return
      const places = new Set([...(noted?.places ?? []), place])
      const note = { journal, places: [...places], call, id, startedAt }
      writeDurably(file, Buffer.from(`${JSON.stringify(note)}\n`))
      if (noted === undefined) syncFolder(path.dirname(folder))
    })
  }

  let newest: NewestCall | undefined
  let written: Promise<void> | undefined
  const writeNewest = (): void => {
    const last = newest
    newest = undefined
    written = undefined
    try {
      if (last !== undefined) write(last)
    } catch (error) {
      if (error instanceof Failure) throw error
      throw new Failure('local-state', `cannot note the call in ${file}: ${getErrorReason(error)}`, {
        advice: 'Check that you can write to its folder, and that its disk has free space.',
        cause: error,
      })
    }
  }

  return {
    write,
    /** When this resolves, the call is noted. One write covers all calls that have begun at the same time. */
    writeSoon: (call: NewestCall): Promise<void> => {
      if (newest === undefined || newest.call < call.call) newest = call
      written ??= new Promise<void>((resolve) => setImmediate(resolve)).then(writeNewest)
      return written
    },
  }
}
