// The filters --by and --mine of `orderctl list`.
import type { Context } from '../../context.ts'
import { findActorNumbers, findOwnNumbers, listActorNames } from '../../journal/actors/find-actors.ts'
import type { Journal } from '../../journal/journal.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { writeNote } from '../shared/notes.ts'

export type ActorFilter = {
  /** A database role or an OS user. */
  readonly by: string | undefined
  readonly isMine: boolean
}

/** The numbers of the actors that both filters select. Undefined if there is no filter. */
export const findActors = async (
  journal: Journal | undefined,
  { by, isMine }: ActorFilter,
): Promise<readonly number[] | undefined> => {
  if (by === undefined && !isMine) return undefined
  if (journal === undefined) return []
  const own = isMine ? await findOwnNumbers(journal) : undefined
  if (by === undefined) return own
  const named = await findActorNumbers(journal, by)
  return own === undefined ? named : named.filter((number) => own.includes(number))
}

const maxNames = 20

/** If nobody has the name of --by, prints the names that the journal knows. */
export const printKnownNames = async (
  { stderr }: Pick<Context, 'stderr'>,
  journal: Journal | undefined,
  { by }: ActorFilter,
): Promise<void> => {
  if (by === undefined || journal === undefined) return
  if ((await findActorNumbers(journal, by)).length > 0) return
  const names = await listActorNames(journal, maxNames + 1)
  if (names.length === 0) return
  const listed = names.slice(0, maxNames).map(sanitize).join(', ')
  writeNote({ stderr }, `Users in this journal: ${listed}${names.length > maxNames ? ', …' : ''}\n`)
}
