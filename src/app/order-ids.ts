// Finds the ids of the orders that the command line names: an id, `@last`, `ref:REFERENCE` or `batch:NAME`. A pasted id may
// have spaces or a line break around it.

import type { Context } from '../context.ts'
import { isSameAccount } from '../contract/account-id.ts'
import { needsJournal } from '../contract/order/reference.ts'
import { Failure } from '../errors.ts'
import { getAccount } from '../journal/accounts.ts'
import type { Journal } from '../journal/journal.ts'
import {
  type Entry,
  findByReference,
  findOrderById,
  findOrdersOnAnyAccount,
  type Owner,
} from '../journal/orders/entries.ts'
import { readInParallel } from '../operations/batch/parallel.ts'
import { findOrder, findOrders, findOrderToSpend, formatReference } from '../operations/find-order.ts'
import type { NamedOrder } from '../operations/read.ts'
import { environmentName, sandbox } from '../profiles/profile.ts'
import type { Suggest } from '../text/suggest.ts'
import { sanitize } from '../ui/terminal/text.ts'
import { findProfilesOf, readProfiles } from './account.ts'
import { sandboxOwner } from './journal/place.ts'
import { mayAsk } from './notes.ts'
import type { CommandSession } from './session.ts'

/** Writes the command with the id of an order. */
type WriteCommand = (suggest: Suggest, id: string) => string

const commands = {
  confirm: (suggest: Suggest, id: string) => suggest`confirm ${id}`,
  get: (suggest: Suggest, id: string) => suggest`get ${id}`,
  redeem: (suggest: Suggest, id: string) => suggest`redeem ${id}`,
  watch: (suggest: Suggest, id: string) => suggest`watch ${id}`,
} as const

type Command = keyof typeof commands

/** Throws if the command line names no order and the user cannot be asked. Call it before anything is opened. */
export const requireOrder = (
  context: Context,
  command: Command,
  isNamed: boolean,
  options: Parameters<typeof mayAsk>[1],
): void => {
  if (isNamed || mayAsk(context, options)) return
  throw new Failure('missing', "missing required argument 'order'", {
    fix: () => `orderctl ${command} --help`,
  })
}

const pickOrder = async (session: CommandSession, command: Command): Promise<string> =>
  (await import('./pick-order.ts')).pickOrder(session, command)

/** The ids of the named orders, or of the one that the user picks. */
export const findOrderIds = async (
  session: CommandSession,
  command: Command,
  named: readonly string[],
): Promise<readonly NamedOrder[]> => {
  const given = named.length > 0 ? named : [await pickOrder(session, command)]
  const texts = given.map((text) => text.trim())
  await warnOfIds(session, commands[command], texts)
  if (!texts.some(needsJournal)) return texts.map((orderId) => ({ orderId }))
  const access = { journal: await session.journals.openExisting(), owner: session.owner }
  return (await readInParallel(texts, (text) => findOrders(access, text))).flat()
}

type Search = { readonly write: WriteCommand; readonly text: string; readonly find?: typeof findOrder }

const findId = async (
  session: CommandSession,
  { write, text, find = findOrder }: Search,
): Promise<NamedOrder> => {
  const id = text.trim()
  await warnOfIds(session, write, [id])
  if (!needsJournal(id)) return { orderId: id }
  return find({ journal: await session.journals.openExisting(), owner: session.owner }, id)
}

/** The id of the named order, or of the one that the user picks. */
export const findOrderId = async (
  session: CommandSession,
  command: Command,
  named: string | undefined,
): Promise<NamedOrder> => {
  const text = named ?? (await pickOrder(session, command))
  return findId(session, { write: commands[command], text })
}

/**
 * For commands that spend. Refuses an id that the journal knows only from another account, where it names another order.
 * With --profile, the user chose the account, and is only warned.
 */
export const findIdToSpend = async (
  session: CommandSession,
  profile: string | undefined,
  search: Search,
): Promise<NamedOrder> => {
  const id = search.text.trim()
  if (profile === undefined && !needsJournal(id)) {
    const journal = await session.journals.openExisting()
    const asked = { owner: session.owner, write: search.write, id, acceptsUnknown: true }
    await refuseElsewhere(session.context, journal, asked)
  }
  return findId(session, search)
}

/** The order that confirm spends. A user who is asked sees which order `@last` is; a script does not. */
export const findIdToConfirm = async (
  session: CommandSession,
  { order, profile }: { readonly order: string | undefined; readonly profile: string | undefined },
  isAsked: boolean,
): Promise<NamedOrder> => {
  const text = order ?? (await pickOrder(session, 'confirm'))
  const find = isAsked ? findOrder : findOrderToSpend
  return findIdToSpend(session, profile, { write: commands.confirm, text, find })
}

/** Warns of ids that the journal knows from another account, or as references. */
const warnOfIds = async (
  { context, journals, owner }: CommandSession,
  write: WriteCommand,
  texts: readonly string[],
): Promise<void> => {
  if (texts.includes('')) {
    throw new Failure('usage', 'an order id is empty', { fix: (suggest) => suggest`list` })
  }
  const ids = texts.filter((text) => !needsJournal(text))
  if (ids.length === 0) return
  const findWarning = async (journal: Journal, id: string): Promise<string | undefined> => {
    const elsewhere = await findElsewhere(context, journal, { owner, write, id })
    if (elsewhere !== undefined) {
      const there = elsewhere.there === undefined ? '' : `. To ask the other account: ${elsewhere.there}`
      return `${elsewhere.text}; orderctl asks ${owner.origin} now${there}`
    }
    if ((await findOrderById(journal.read, owner, id)) !== undefined) return undefined
    if ((await findByReference(journal.read, owner, id)).length === 0) return undefined
    const reference = context.suggest.quote(formatReference(id))
    return `${id} is the reference of an order, not its id. To name the order: ${reference}`
  }
  await journals.attempt('the account of the order was not checked', async (journal) => {
    const warnings = await readInParallel(ids, (id) => findWarning(journal, id))
    for (const text of warnings) if (text !== undefined) context.stderr.warn(`${sanitize(text)}`)
  })
}

type Asked = {
  readonly owner: Owner
  readonly write: WriteCommand
  readonly id: string
  /** The command also takes an order that the journal does not know. */
  readonly acceptsUnknown?: boolean
}

/** Throws if the journal knows the id only from another account. */
export const refuseElsewhere = async (context: Context, journal: Journal, asked: Asked): Promise<void> => {
  const elsewhere = await findElsewhere(context, journal, asked)
  if (elsewhere === undefined) return
  const { owner, id: orderId, acceptsUnknown = false } = asked
  const { text, origin, there } = elsewhere
  const { profile } = owner
  const hasChoice = acceptsUnknown && profile !== environmentName
  const flags = context.suggest.flags({ profile })
  const here = hasChoice ? ` To use the order of ${profile}, add ${flags}.` : ''
  throw new Failure('other-account', `${text}; nothing was sent`, {
    orderId,
    fix: () => there,
    advice: there === undefined ? `Set ORDERCTL_BASE_URL to ${origin}.${here}` : undefined,
  })
}

/** `there` is the command for the other account, if one profile has that account and no third account has the id. */
const findElsewhere = async (context: Context, journal: Journal, { owner, write, id }: Asked) => {
  if ((await findOrderById(journal.read, owner, id)) !== undefined) return undefined
  const [other, ...more] = await findOrdersOnAnyAccount(journal.read, id)
  if (other === undefined) return undefined
  const { profile: by, origin } = other
  const profile = more.length > 0 ? undefined : await findProfileOf(context, journal, other)
  return {
    text: `the order ${id} was placed with the profile ${by}, at ${origin}, not with ${owner.profile}, at ${owner.origin}`,
    origin,
    there: profile && write(context.suggest.onProfile(profile), id),
  }
}

/** The name of a profile that points to the account of the order, preferably the one that placed it. */
const findProfileOf = async (
  context: Context,
  journal: Journal,
  { account, profile }: Entry,
): Promise<string | undefined> => {
  const id = await getAccount(journal.read, account)
  if (id === undefined) return undefined
  if (isSameAccount(id, sandboxOwner.account)) return sandbox
  const names = findProfilesOf(readProfiles(context), id).map(({ name }) => name)
  return names.includes(profile) ? profile : names[0]
}
