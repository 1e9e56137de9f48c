// Which orders of the journal list, report and find show by default, which batches --batch names, and what is said of hidden
// orders and of an unknown --profile.

import type { Context } from '../context.ts'
import { Failure } from '../errors.ts'
import { findActorNumbers, findOwnNumbers, listActorNames } from '../journal/accounts.ts'
import { findBatchNumbers } from '../journal/batches/batch-names.ts'
import type { Journal } from '../journal/journal.ts'
import type { Entry } from '../journal/orders/entries.ts'
import { type Filter, listOrders } from '../journal/orders/list-orders.ts'
import { baseUrlName } from '../profiles/account.ts'
import { createUnknownProfileFailure, environmentName, mentionsJournal, sandbox } from '../profiles/store.ts'
import { sanitize } from '../ui/terminal/text.ts'
import { isSandboxInUse, profilesOf, readProfiles } from './account.ts'
import { writeNote } from './terminal.ts'

/** The numbers of the batches with the name or id of --batch. */
export const findListedBatches = async (
  journal: Journal,
  { batch, profile }: { readonly batch?: string | undefined; readonly profile?: string | undefined },
): Promise<readonly number[] | undefined> => {
  if (batch === undefined) return undefined
  const found = await findBatchNumbers(journal.read, batch, profile)
  if (found.length > 0) return found
  const where = profile === undefined ? '' : ` for the profile ${profile}`
  throw new Failure('usage', `no batch '${batch}' in this journal${where}`, {
    field: '--batch',
    fix: (suggest) => suggest`batch list`,
  })
}

type PersonOptions = { readonly by: string | undefined; readonly mine: boolean }

/** The numbers of the actors that --by and --mine select. */
export const selectActors = async (
  journal: Journal,
  { by, mine }: PersonOptions,
): Promise<readonly number[] | undefined> => {
  if (by === undefined && !mine) return undefined
  const own = mine ? await findOwnNumbers(journal.read) : undefined
  if (by === undefined) return own
  const named = await findActorNumbers(journal.read, by)
  return own === undefined ? named : named.filter((number) => own.includes(number))
}

const maxNames = 20

/** If nobody has the name of --by, prints the names that the journal knows. */
export const printKnownNames = async (
  { stderr }: Pick<Context, 'stderr'>,
  journal: Journal,
  { by }: Pick<PersonOptions, 'by'>,
): Promise<void> => {
  if (by === undefined) return
  if ((await findActorNumbers(journal.read, by)).length > 0) return
  const names = await listActorNames(journal.read, maxNames + 1)
  if (names.length === 0) return
  const listed = names.slice(0, maxNames).map(sanitize).join(', ')
  writeNote({ stderr }, `Users in this journal: ${listed}${names.length > maxNames ? ', …' : ''}\n`)
}

type Selected = Pick<Filter, 'profile' | 'isSandbox' | 'batches'>

/**
 * Whether only orders of the sandbox are shown, or only others, because nothing mixes them. Without --profile, the profile
 * in use decides. With --batch, the newest batch of that name decides.
 */
export const chooseSandbox = async (
  context: Context,
  journal: Journal,
  { profile, batches }: Omit<Selected, 'isSandbox'>,
): Promise<boolean | undefined> => {
  if (profile !== undefined) return undefined
  if ((await findNewest(journal, { profile: 'sandbox' })) === undefined) return undefined
  if (batches !== undefined) return (await findNewest(journal, { batches }))?.profile === 'sandbox'
  // Loaded only now, because most journals have no order of the sandbox.
  return isSandboxInUse(context)
}

/** An attempt that never became an order changes no default. */
const findNewest = async (journal: Journal, selected: Selected): Promise<Entry | undefined> =>
  (await listOrders(journal.read, { ...selected, hidesAttempts: true, limit: 1 }))[0]

/**
 * Names the profile of the newest hidden order: a real one if sandbox orders are shown, or the reverse. If nothing is
 * shown while the sandbox is in use, a profile with a shared journal.
 */
export const noteHidden = async (
  context: Context,
  journal: Journal,
  { profile, isSandbox, batches }: Selected,
  { by, isEmpty }: { readonly by: 'list' | 'report' | 'find'; readonly isEmpty: boolean },
): Promise<void> => {
  if (profile !== undefined) return
  let hidden: string | undefined
  if (isSandbox !== undefined)
    hidden = (await findNewest(journal, { isSandbox: !isSandbox, batches }))?.profile
  else if (isEmpty && mentionsJournal(context) && (await isSandboxInUse(context)))
    hidden = readProfiles(context).find((each) => each.journal !== undefined)?.name
  if (hidden !== undefined) writeNote(context, describeHidden(context, by, hidden))
}

/**
 * Refuses a name that neither a saved profile nor an order in the journal has. Call it only if nothing was found: a
 * removed profile still has orders.
 */
export const refuseUnknownProfile = async (
  context: Context,
  journal: Journal,
  profile: string | undefined,
): Promise<void> => {
  if (profile === undefined) return
  if (profile === sandbox || profile === environmentName) return
  const saved = profilesOf(context).list()
  if (saved.some(({ name }) => name === profile)) return
  if ((await listOrders(journal.read, { profile, limit: 1 })).length > 0) return
  throw createUnknownProfileFailure(profile, saved, '--profile')
}

/** A table never mixes sandbox and real orders. `profile` is that of the newest row that is left out. */
export const describeHidden = (
  { suggest }: Pick<Context, 'suggest'>,
  by: 'list' | 'report' | 'find' | 'batch list',
  profile: string,
): string => {
  const [own, others] = by === 'batch list' ? ['Sandbox batches', 'Batches'] : ['Sandbox orders', 'Orders']
  const next = {
    list: suggest`list ${{ profile }}`,
    report: suggest`report ${{ profile }}`,
    find: suggest`find ${{ profile }}`,
    'batch list': suggest`batch list ${{ profile }}`,
  }[by]
  const hidden = profile === sandbox ? own : `${others} of ${sanitize(profile)}`
  if (by !== 'find') return `${hidden} are not listed. Show them: ${next}\n`
  // The profile may have been removed, or never was one.
  const how =
    profile === sandbox ? `Search them: ${next}` : `Choose their account with --profile or ${baseUrlName}.`
  return `${hidden} are not searched. ${how}\n`
}
