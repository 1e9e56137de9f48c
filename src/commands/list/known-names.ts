// Checks the names in --batch and --state against the journal.
import { stateNames } from '../../contract/states.ts'
import { Failure } from '../../errors.ts'
import { findBatchNumbers } from '../../journal/batches/batch-names.ts'
import type { Journal } from '../../journal/journal.ts'
import type { Filter } from '../../journal/list-orders.ts'
import { journalStates } from '../../journal/standings.ts'

/** The numbers of the batches with this name or id. */
export const findBatches = async (
  journal: Journal | undefined,
  batch: string,
  { profile }: Pick<Filter, 'profile'>,
): Promise<readonly number[]> => {
  const found = journal === undefined ? [] : await findBatchNumbers(journal, batch, profile)
  if (found.length > 0) return found
  const where = profile === undefined ? '' : ` for the profile ${profile}`
  throw new Failure('usage', `no batch '${batch}' in this journal${where}`, {
    field: '--batch',
    fix: (suggest) => suggest`batch list`,
  })
}

const allStates: readonly string[] = [...stateNames, ...journalStates]

export const refuseUnknownState = ({ state }: Filter): void => {
  if (state === undefined || allStates.includes(state)) return
  throw new Failure('usage', `--state is ${JSON.stringify(state)}; allowed: ${allStates.join(', ')}`, {
    field: '--state',
    fix: 'orderctl list --help',
  })
}
