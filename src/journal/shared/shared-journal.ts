// Opens the journal that a team shares, in PostgreSQL.
import { nameDatabase } from '../../postgres/address.ts'
import { checkServer, openPostgres, type Postgres, type PostgresOptions } from '../../postgres/open.ts'
import type { Identity } from '../access.ts'
import type { Database } from '../database/database.ts'
import { createPostgresDatabase } from '../database/postgres.ts'
import type { Journal } from '../journal.ts'
import { createRestoredFailure, findLostCall, type Note, openNewestCalls, readNotes } from '../newest-call.ts'
import { createJournal, type KeepOutcomes, type OnDamage } from '../open-journal.ts'
import { keepOutcomes } from '../spool/keep-outcomes.ts'
import { createReplayer, type SpoolProblem } from '../spool/replay.ts'
import { createSpool } from '../spool/spool.ts'
import { createSharedTables, readSharedState, type SharedState } from './shared-schema.ts'

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
  /** The folder of the notes of the newest calls. */
  readonly noteFolder?: string | undefined
  /** Called before the first write. */
  readonly identify?: () => Identity
}

/** Creates the tables in an empty database. Throws if the journal cannot be used safely. */
export const openSharedJournal = async (options: SharedOptions): Promise<Journal> => {
  const postgres = openPostgres(options)
  const name = options.address.text
  const bare = createPostgresDatabase(postgres)
  try {
    const { noteFolder: folder } = options
    const notes = readNotes(folder)
    const state = await readOrCreate(postgres, name, notes)
    if (state.isStandby || !state.isDurable) await checkServer(postgres, name)
    options.onTime?.(state.now)
    const place = nameDatabase(options.address)
    const { id: journal, newest } = state
    const spooled = await openSpool(bare, { ...options, place, journal: { journal, address: name } })
    const newestCalls = folder === undefined ? undefined : openNewestCalls({ folder, journal, name, place })
    const lost = findLostCall(notes, state, place)
    if (newest !== undefined && lost === undefined) newestCalls?.see(newest, notes)
    return createJournal(spooled.database, {
      name,
      onDamage: options.onDamage ?? (() => {}),
      identify: options.identify,
      keepOutcomes: spooled.keepOutcomes,
      newestCalls,
      restored: lost && createRestoredFailure(name, lost),
    })
  } catch (error) {
    await postgres.close()
    throw error
  }
}

type Spooled = {
  readonly database: Database
  readonly keepOutcomes: KeepOutcomes
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
    keepOutcomes: (calls, statements) => keepOutcomes(calls, { journal, replayer, statements, onSaved }),
  }
}

const readOrCreate = async (
  postgres: Postgres,
  name: string,
  notes: readonly Note[],
): Promise<SharedState> => {
  const state = await readSharedState(postgres, name, notes)
  if (state !== undefined) return state
  await createSharedTables(postgres, name)
  const created = await readSharedState(postgres, name, notes)
  if (created === undefined) throw new Error('the journal was not created')
  return created
}
