// The steps of `orderctl reveals`: account → filter → the journal's reveals → printed.

import { accountWithoutKey, findListedAccount } from '../../app/account.ts'
import { findOne, refuseEmptyId } from '../../app/find-orders.ts'
import { journalsOf, ownerOf } from '../../app/journals.ts'
import { printKnownNames, refuseUnknownProfile, selectActors } from '../../app/listed-orders.ts'
import { outputFor } from '../../app/output/output.ts'
import { writeNote } from '../../app/terminal.ts'
import type { Context } from '../../context.ts'
import { needsJournal } from '../../contract/order/reference.ts'
import { Failure } from '../../errors.ts'
import { findActors } from '../../journal/accounts.ts'
import type { Journal } from '../../journal/journal.ts'
import { findOrdersOnAnyAccount } from '../../journal/orders/entries.ts'
import { listReveals } from '../../journal/orders/list-orders.ts'
import { joinExports, revealFields } from '../../ui/screens/ticket.ts'
import { viewOfTable } from '../../ui/terminal/view.ts'
import { listNames, readFields, renderResults } from '../../ui/text/result-fields.ts'
import type { RevealsOptions } from './spec.ts'

export const showReveals = async (context: Context, options: RevealsOptions): Promise<void> => {
  const { profile, since, until, limit } = options
  await using journals = journalsOf(context, await findListedAccount(context, profile), options)
  const journal = await journals.openExisting()
  const order = await findOrderId(context, journal, options)
  const found = await listReveals(journal.read, {
    ...{ profile, limit, since: since?.from, until: until?.until },
    order,
    actors: await selectActors(journal, options),
  })
  if (found.length === 0) {
    await refuseUnknownProfile(context, journal, profile)
    if (order !== undefined) await refuseUnknownOrder(journal, order)
  }
  const findActor = await findActors(journal.read, found)
  const shown = found.map((reveal) => ({ ...reveal, by: findActor(reveal) }))
  await outputFor(context, options).print({
    names: listNames(revealFields),
    data: () => shown.map((reveal) => readFields(revealFields, reveal)),
    ids: found.map(({ orderId }) => orderId),
    screen: () =>
      found.length === 0 ? '' : renderResults(revealFields, joinExports(shown), viewOfTable(context)),
  })
  if (found.length > 0) return
  writeNote(context, 'No matching reveals\n')
  await printKnownNames(context, journal, options)
}

/** An id may be that of an order that the journal does not have. */
const findOrderId = async (context: Context, journal: Journal, { order, profile }: RevealsOptions) => {
  const text = order?.trim()
  if (text === undefined) return undefined
  refuseEmptyId([text])
  if (!needsJournal(text)) return text
  const owner = ownerOf(await accountWithoutKey(context, profile))
  return (await findOne({ journal, owner }, text)).orderId
}

/** An order that the journal does not have may have reveals that the flags leave out. */
const refuseUnknownOrder = async ({ read }: Journal, orderId: string): Promise<void> => {
  const [placed, revealed] = [
    await findOrdersOnAnyAccount(read, orderId),
    await listReveals(read, { order: orderId, limit: 1 }),
  ]
  if (placed.length > 0 || revealed.length > 0) return
  throw new Failure('not-found', `no order '${orderId}' in this journal`, {
    fix: (suggest) => suggest`list`,
  })
}
