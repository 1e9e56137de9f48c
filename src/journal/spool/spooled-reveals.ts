// Reveals that a shared journal could not record, as they are saved in a file. They have no code and no key.
import type { Actor } from '../actors/actors.ts'
import type { Statements } from '../database/database.ts'
import { insertReveal, type Reveal } from '../reveals.ts'
import { reveals as revealsTable } from '../tables/orders.ts'
import { isTime } from '../tables/sql.ts'

export type SpooledReveals = {
  /** The database of the journal (see nameDatabase). The journal could not be asked for its id. */
  readonly database: string
  /** The address of the journal, for people who read the file. */
  readonly address: string
  readonly at: number
  readonly by: Actor
  readonly reveals: readonly Reveal[]
}

const isReveal = (found: unknown): boolean => {
  const { profile, origin, orderId, skus, at, who, how } = (found ?? {}) as Record<string, unknown>
  return (
    [profile, origin, orderId, who].every((value) => typeof value === 'string') &&
    revealsTable.columns.how.words.includes(String(how)) &&
    isTime(at) &&
    Array.isArray(skus) &&
    skus.every((sku) => typeof sku === 'string')
  )
}

const isActor = (found: unknown): boolean => {
  const { role, user, host } = (found ?? {}) as Record<string, unknown>
  return [role, user, host].every((value) => typeof value === 'string')
}

/** Undefined if the text is not what orderctl wrote. */
export const parseReveals = (text: string): SpooledReveals | undefined => {
  let found: Partial<SpooledReveals> | null
  try {
    found = JSON.parse(text)
  } catch {
    return undefined
  }
  const { database, address, at, by, reveals } = found ?? {}
  const isComplete =
    [database, address].every((value) => typeof value === 'string') &&
    isTime(at) &&
    isActor(by) &&
    Array.isArray(reveals) &&
    reveals.every(isReveal)
  return isComplete ? (found as SpooledReveals) : undefined
}

/** Does nothing for reveals that the journal has: a command may end before it deletes the file. */
export const replayReveals = async (
  statements: Statements,
  { by, reveals }: SpooledReveals,
): Promise<void> => {
  const actor = await findOrInsertActor(statements, by)
  for (const reveal of reveals) await insertReveal(statements, reveal, actor, { unlessKnown: true })
}

const findOrInsertActor = async ({ all, run }: Statements, { role, user, host }: Actor): Promise<number> => {
  await run(`INSERT INTO actors (role, os_user, host) VALUES ($role, $user, $host) ON CONFLICT DO NOTHING`, {
    role,
    user,
    host,
  })
  const [row] = await all(
    "SELECT number FROM actors WHERE coalesce(role, '') = $role AND os_user = $user AND host = $host",
    { role: role ?? '', user, host },
  )
  return Number(row?.number)
}
