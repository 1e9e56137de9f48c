// Opens the journal that a team shares, in PostgreSQL.
import { Failure } from '../errors.ts'
import { openPostgres, type Postgres, type PostgresOptions } from '../postgres/open.ts'
import { createPostgresDatabase } from './database/postgres.ts'
import { createJournal, type Journal, type OnDamage } from './journal.ts'
import {
  createNewerFailure,
  migrateShared,
  readSharedState,
  type SharedState,
  sharedVersion,
} from './shared-schema.ts'

export type SharedOptions = PostgresOptions & {
  readonly onDamage?: OnDamage
  /** Called with the time of the database. */
  readonly onTime?: (ms: number) => void
}

/** Creates the tables in an empty database. Throws if the journal cannot be used safely. */
export const openSharedJournal = async (options: SharedOptions): Promise<Journal> => {
  const postgres = openPostgres(options)
  const name = options.address.text
  try {
    const state = await readOrCreate(postgres, name)
    checkState(state, name)
    options.onTime?.(state.now)
  } catch (error) {
    await postgres.close()
    throw error
  }
  return createJournal(createPostgresDatabase(postgres), {
    name,
    onDamage: options.onDamage ?? (() => {}),
    // PostgreSQL itself commits the transactions of several connections together.
    groupWrites: () => {},
  })
}

const readOrCreate = async (postgres: Postgres, name: string): Promise<SharedState> => {
  const state = await readSharedState(postgres)
  if (state !== undefined) return state
  await migrateShared(postgres, name)
  const created = await readSharedState(postgres)
  if (created === undefined) throw new Error('the journal was not created')
  return created
}

const checkState = ({ version, isDurable, isStandby }: SharedState, name: string): void => {
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
  if (isStandby) {
    throw new Failure('local-state', `the journal ${name} is on a standby server, which is read-only`, {
      fix: 'Use the address of the primary server.',
    })
  }
  if (!isDurable) {
    throw new Failure('local-state', `the server of the journal ${name} may lose commits in a crash`, {
      fix: 'Set fsync = on in its postgresql.conf.',
    })
  }
}
