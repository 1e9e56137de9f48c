// Checks the names in --batch and --state against the journal.
import { stateNames } from '../../contract/states.ts'
import { Failure } from '../../errors.ts'
import { journalOnlyStates } from '../../journal/entry.ts'
import type { Journal } from '../../journal/journal.ts'
import type { Filter } from '../../journal/list-orders.ts'

/** The numbers of the batches with this name or id. */
export const findBatches = async (
  journal: Journal | undefined,
  batch: string,
  { profile }: Pick<Filter, 'profile'>,
): Promise<readonly number[]> => {
  const found = (await journal?.findBatchNumbers(batch, profile)) ?? []
  if (found.length > 0) return found
  const where = profile === undefined ? '' : ` for the profile ${profile}`
  throw new Failure('usage', `no batch '${batch}' in this journal${where}`, {
    field: '--batch',
    fix: 'orderctl batch list',
  })
}

const allStates: readonly string[] = [...stateNames, ...Object.values(journalOnlyStates)]

/** An order may have an undocumented state. A state that no order has is a typo. */
export const refuseUnknownState = async (
  { state }: Filter,
  isUsed: () => Promise<boolean>,
): Promise<void> => {
  if (state === undefined || allStates.includes(state) || (await isUsed())) return
  throw new Failure('usage', `--state is ${JSON.stringify(state)}; allowed: ${allStates.join(', ')}`, {
    field: '--state',
    fix: 'orderctl list --help',
  })
}
