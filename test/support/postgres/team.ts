// A database whose journal several roles share.

import { onTestFinished } from 'vitest'
import type { Identity } from '../../../src/journal/access.ts'
import type { Journal } from '../../../src/journal/journal.ts'
import { grantAccess } from '../../../src/journal/shared-journal.ts'
import { findJournalKind } from '../../journal/journals.ts'
import { openClient } from '../../postgres/open-client.ts'
import { createDatabase, query, rolePassword, type TestDatabase } from './database.ts'
import { findSharedServer } from './shared-server.ts'

type Team = TestDatabase & {
  /** Opens the journal as a role. */
  readonly openAs: (role: string, identity?: Identity) => Promise<Journal>
  /** Runs statements as a role, or as the superuser `admin`. */
  readonly runAs: (role: string, sql: string) => Promise<Record<string, unknown>[]>
  /** Ends the validity of all approvals. */
  readonly expireApprovals: () => Promise<void>
}

/** `ana` owns the tables. The other roles have the permissions of `journal migrate --grant`. */
export const openTeam = async (...roles: readonly string[]): Promise<Team> => {
  const team = await openEmptyTeam(...roles)
  await team.openAs('ana')
  const client = openClient(team)
  onTestFinished(async () => client.close())
  await grantAccess(
    client,
    roles.map((role) => ({ role: team.nameOf(role) })),
  )
  return team
}

/** Without tables. `ana` owns the database, and the other roles may only connect. */
export const openEmptyTeam = async (...roles: readonly string[]): Promise<Team> => {
  const database = await createDatabase({ roles })
  const ends: (() => Promise<void>)[] = [database[Symbol.asyncDispose]]
  onTestFinished(async () => {
    for (const end of ends.toReversed()) await end()
  })
  const { openAt } = findJournalKind('PostgreSQL')
  const openAs = async (role: string, identity?: Identity): Promise<Journal> => {
    const journal = await openAt(database.address(role), identity && (() => identity))
    ends.push(journal.close)
    return journal
  }
  return {
    ...database,
    openAs,
    runAs: async (role, sql) => {
      if (role === 'admin') return database.admin(sql)
      return query(
        {
          ...(await findSharedServer()),
          ...{ user: database.nameOf(role), password: rolePassword, database: database.name },
        },
        sql,
      )
    },
    // Without the trigger that refuses it.
    expireApprovals: async () =>
      void (await database.admin(
        'SET session_replication_role = replica; UPDATE approvals SET until = approved_at',
      )),
  }
}
