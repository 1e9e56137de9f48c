// list --reveals: who revealed which codes, and when.
import type { Context } from '../../context.ts'
import { exitCodes } from '../../exit-codes.ts'
import { findActors } from '../../journal/actors/find-actors.ts'
import type { Journal } from '../../journal/journal.ts'
import type { Filter } from '../../journal/list-orders.ts'
import { findRevealer, nameActor } from '../../text/actor-name.ts'
import { isoTime } from '../shared/journal/entry-data.ts'
import { refuseUnknownProfile } from '../shared/listed-account.ts'
import type { Output } from '../shared/output/output.ts'

/** Returns the exit code. */
export const printReveals = async (
  context: Context,
  journal: Journal | undefined,
  filter: Filter,
  { print }: Output,
): Promise<number> => {
  const reveals = (await journal?.listReveals(filter)) ?? []
  if (reveals.length === 0) await refuseUnknownProfile(context, journal, filter.profile)
  const findActor = journal && (await findActors(journal, reveals))
  await print({
    data: () =>
      reveals.map(({ at, damage: _, actor, writtenBy, ...reveal }) => ({
        ...reveal,
        at: isoTime(at),
        by: findActor?.({ actor, writtenBy }) ?? null,
      })),
    ids: reveals.map(({ orderId }) => orderId),
    // In a shared journal, the role says more than a login name such as root.
    screen: async () =>
      (await import('./screen.ts')).revealsScreen(
        context,
        reveals.map((reveal) => ({
          ...reveal,
          who: nameActor(findRevealer({ ...reveal, by: findActor?.(reveal) })),
        })),
      ),
  })
  return exitCodes.ok.code
}
