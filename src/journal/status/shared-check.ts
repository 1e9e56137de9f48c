// Checks a shared journal: its version, its server, and what this role may do. Changes nothing.

import { type Address, nameDatabase } from '../../postgres/address.ts'
import { checkServer } from '../../postgres/check-server.ts'
import type { Postgres } from '../../postgres/open.ts'
import { createRestoredFailure, findLostCall, readNotes } from '../newest-call.ts'
import { readSharedState, sharedVersion } from '../shared/shared-schema.ts'
import { compareVersions, type VersionState } from './version-state.ts'

export type SharedCheck = {
  /** The role that the server knows this connection by. */
  readonly role: string
  readonly state: VersionState
  readonly version: number | undefined
  readonly expectedVersion: number
  /** Whether the role may record orders. */
  readonly canWrite: boolean
  /** The time of the database. */
  readonly now: number | undefined
}

const roleQuery = 'SELECT session_user::text AS role'
const writeQuery = `SELECT has_table_privilege('orders', 'INSERT') AND has_table_privilege('calls', 'INSERT') AS can_write`

/** Throws if orders cannot be recorded safely: a standby, a server without fsync, a journal restored from a backup. */
export const checkShared = async (
  postgres: Postgres,
  address: Address,
  noteFolder: string | undefined,
): Promise<SharedCheck> => {
  const [first] = await postgres.all(roleQuery)
  const role = String(first?.role)
  const unknown = { role, expectedVersion: sharedVersion, canWrite: false, now: undefined }
  await checkServer(postgres, address.text)
  const notes = readNotes(noteFolder)
  const state = await readSharedState(postgres, notes)
  if (state === undefined) return { ...unknown, state: 'missing', version: undefined }
  const lost = findLostCall(notes, state, nameDatabase(address))
  if (lost !== undefined) throw createRestoredFailure(address.text, lost)
  const [rights] = await postgres.all(writeQuery)
  return {
    ...unknown,
    state: compareVersions(state.version, sharedVersion),
    version: state.version,
    canWrite: Boolean(rights?.can_write),
    now: state.now,
  }
}
