// The steps of `orderctl list`: account → filter → refreshed or not → the journal's orders, or its reveals.

import { findListedAccount } from '../../app/account.ts'
import { refuseUnknownProfile } from '../../app/journal/listed-orders.ts'
import { journalsOf } from '../../app/journal/open-journal.ts'
import { outputFor } from '../../app/output/output.ts'
import type { Context } from '../../context.ts'
import { exitCodes } from '../../exit-codes.ts'
import type { Entry } from '../../journal/orders/entry.ts'
import { listOrders } from '../../journal/orders/list-orders.ts'
import { createFilter } from './filter.ts'
import { printFound, printReveals } from './print.ts'
import type { ListOptions } from './spec.ts'

/** Returns the exit code. */
export const list = async (context: Context, options: ListOptions): Promise<number> => {
  const output = outputFor(context, options)
  await using journals = journalsOf(context, await findListedAccount(context, options.profile), options)
  const journal = await journals.openExisting()
  const filter = await createFilter(context, journal, options)
  if (options.reveals)
    return await printReveals(context, journal, { ...filter, order: options.order }, output)
  const read = (limit: number): Promise<Entry[]> => listOrders(journal.read, { ...filter, limit })
  let exit: number = exitCodes.ok.code
  if (options.refresh) {
    const { refresh } = await import('./refresh.ts')
    const entries = await read(filter.limit)
    exit = await refresh(context, { journal, clock: journals.clock, entries, options })
  }
  const found = await read(filter.limit + 1)
  if (found.length === 0) await refuseUnknownProfile(context, journal, filter.profile)
  await printFound(context, found, { journal, filter, options, output })
  return exit
}
