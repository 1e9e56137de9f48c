// Opens the journal that a team shares, in PostgreSQL.
import { Failure } from '../../errors.ts'
import { nameDatabase } from '../../postgres/address.ts'
import { checkServer } from '../../postgres/check-server.ts'
import { openPostgres, type Postgres, type PostgresOptions } from '../../postgres/open.ts'
import type { Identity } from '../actors/actors.ts'
import type { CallTable } from '../calls.ts'
import type { Database } from '../database/database.ts'
import { createPostgresDatabase } from '../database/postgres.ts'
import { createJournal, type Journal, type OnDamage } from '../journal.ts'
import type { Queries } from '../queries.ts'
import { keepOutcomes } from '../spool/keep-outcomes.ts'
import { createReplayer, type SpoolProblem } from '../spool/replay.ts'
import { createSpool } from '../spool/spool.ts'
import {
  createNewestCheck,
  createRestoredFailure,
  type NewestCall,
  type NewestCallNote,
  noteCalls,
  openNewestCallNote,
  refuseCalls,
} from './newest-call.ts'
import {
  createNewerFailure,
  migrateShared,
  readSharedState,
  type SharedState,
  sharedVersion,
} from './shared-schema.ts'

/** Where an outcome is saved that the journal cannot record. */
export type SpoolOptions = {
  readonly folder: string
  /** Called with the order id, or with the reference of an order without one. */
  readonly onSaved: (name: string) => void
  readonly onProblem: (problem: SpoolProblem) => void
}

export type SharedOptions = PostgresOptions & {
  readonly onDamage?: OnDamage
  /** Called with the time of the database. */
  readonly onTime?: (ms: number) => void
  readonly spool?: SpoolOptions | undefined
  /** The file that remembers the newest call of this journal. */
  readonly noteFile?: string | undefined
  /** Called before the first write. */
  readonly identify?: () => Identity
}

/** Creates the tables in an empty database. Throws if the journal cannot be used safely. */
export const openSharedJournal = async (options: SharedOptions): Promise<Journal> => {
  const postgres = openPostgres(options)
  const name = options.address.text
  const bare = createPostgresDatabase(postgres)
  try {
    const note = options.noteFile === undefined ? undefined : openNewestCallNote(options.noteFile)
    const state = await readOrCreate(postgres, name, note?.seen)
    await checkState(postgres, state, name)
    options.onTime?.(state.now)
    const place = nameDatabase(options.address)
    const spooled = await openSpool(bare, {
      ...options,
      place,
      journal: { journal: state.id, address: name },
    })
    const noted = noteNewest(note, state, name)
    const database = {
      ...spooled.database,
      close: async () => {
        note?.save()
        await spooled.database.close()
      },
    }
    return createJournal(database, {
      name,
      onDamage: options.onDamage ?? (() => {}),
      identify: options.identify,
      // PostgreSQL itself commits the transactions of several connections together.
      groupWrites: () => {},
      keepOutcomes: (calls, queries) => spooled.keepOutcomes(noted(calls), queries),
      checkBegin: note && createNewestCheck(note, name),
    })
  } catch (error) {
    await postgres.close()
    throw error
  }
}

type Spooled = {
  readonly database: Database
  readonly keepOutcomes: (calls: CallTable, queries: Queries) => CallTable
}

/** Writes what earlier commands could not record. */
const openSpool = async (
  database: Database,
  {
    spool: options,
    place,
    journal,
  }: Pick<SharedOptions, 'spool'> & { place: string; journal: { journal: string; address: string } },
): Promise<Spooled> => {
  if (options === undefined) return { database, keepOutcomes: (calls) => calls }
  const { folder, onSaved, onProblem } = options
  const replayer = createReplayer(database, {
    spool: createSpool(folder),
    journal: journal.journal,
    place,
    onProblem,
  })
  await replayer.replay()
  return {
    database: replayer.replayFirst(),
    keepOutcomes: (calls, queries) => keepOutcomes(calls, { journal, replayer, queries, onSaved }),
  }
}

/** Returns what the calls of the journal also do. */
const noteNewest = (
  note: NewestCallNote | undefined,
  { id, newest, hasSeen }: SharedState,
  name: string,
): ((calls: CallTable) => CallTable) => {
  if (note === undefined) return (calls) => calls
  if (note.seen !== undefined && !hasSeen) {
    const failure = createRestoredFailure(name, note.file)
    return (calls) => refuseCalls(calls, failure)
  }
  if (newest !== undefined) note.note(newest)
  return (calls) => noteCalls(calls, id, note)
}

const readOrCreate = async (
  postgres: Postgres,
  name: string,
  seen: NewestCall | undefined,
): Promise<SharedState> => {
  const state = await readSharedState(postgres, seen)
  if (state !== undefined) return state
  await migrateShared(postgres, name)
  const created = await readSharedState(postgres)
  if (created === undefined) throw new Error('the journal was not created')
  return created
}

const checkState = async (
  postgres: Postgres,
  { version, isDurable, isStandby }: SharedState,
  name: string,
): Promise<void> => {
  if (version > sharedVersion) throw createNewerFailure(name, version)
  if (version < sharedVersion) {
    throw new Failure(
      'local-state',
      `the journal ${name} was written by an older orderctl and is not updated yet`,
      {
        fix: 'Update it once for all its users: orderctl journal migrate',
      },
    )
  }
  if (isStandby || !isDurable) await checkServer(postgres, name)
}
