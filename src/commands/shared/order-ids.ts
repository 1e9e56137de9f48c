// Finds the ids of the orders that the command line names: an id, `@last`, `ref:REFERENCE` or `batch:NAME`. A pasted id may
// have spaces or a line break around it.
import type { Context } from '../../context.ts'
import { getAccountId, isSameAccount } from '../../contract/account-id.ts'
import { needsJournal } from '../../contract/order-words.ts'
import { Failure } from '../../errors.ts'
import type { Entry, Owner } from '../../journal/entry.ts'
import type { Journal } from '../../journal/journal.ts'
import { findOrder, findOrders, findOrderToConfirm, formatReference } from '../../operations/find-order.ts'
import { environmentName, sandbox } from '../../profiles/profile.ts'
import type { Suggest } from '../../text/suggest.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { sandboxOwner } from './journal/place.ts'
import { readInParallel } from './journal/read-in-parallel.ts'
import { mayAsk } from './options.ts'
import { readProfiles } from './profiles.ts'
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

type Prompting = { readonly json: boolean; readonly quiet: boolean; readonly noInput: boolean }

/** Throws if the command line names no order and the user cannot be asked. Call it before anything is opened. */
export const requireOrder = (
  context: Context,
  command: Command,
  isNamed: boolean,
  options: Prompting,
): void => {
  if (isNamed || mayAsk(context, options)) return
  throw new Failure('usage', "missing required argument 'order'", { fix: `orderctl ${command} --help` })
}

const pickOrder = async (context: Context, session: CommandSession, command: Command): Promise<string> =>
  (await import('./pick-order.ts')).pickOrder(context, session, command)

/** The ids of the named orders, or of the one that the user picks. */
export const findOrderIds = async (
  context: Context,
  session: CommandSession,
  command: Command,
  named: readonly string[],
): Promise<readonly string[]> => {
  const given = named.length > 0 ? named : [await pickOrder(context, session, command)]
  const texts = given.map((text) => text.trim())
  await checkIds(context, session, commands[command], texts)
  if (!texts.some(needsJournal)) return texts
  const { journals, owner } = session
  const journal = await journals.openToRead()
  return (await readInParallel(texts, (text) => findOrders({ journal, owner }, text))).flat()
}

/** The id of the named order, or of the one that the user picks. */
export const findOrderId = async (
  context: Context,
  session: CommandSession,
  command: Command,
  named: string | undefined,
): Promise<string> =>
  findId(context, session, {
    write: commands[command],
    text: named ?? (await pickOrder(context, session, command)),
    find: findOrder,
  })

type Search = {
  readonly write: WriteCommand
  readonly text: string
  readonly find: typeof findOrder
}

const findId = async (
  context: Context,
  session: CommandSession,
  { write, text, find }: Search,
): Promise<string> => {
  const id = text.trim()
  await checkIds(context, session, write, [id])
  if (!needsJournal(id)) return id
  const { journals, owner } = session
  return find({ journal: await journals.openToRead(), owner }, id)
}

/**
 * For commands that spend. Refuses an id that the journal knows only from another account, where it names another order.
 * With --profile, the user chose the account, and is only warned.
 */
export const findIdToSpend = async (
  context: Context,
  session: CommandSession,
  { isProfileNamed, ...search }: Search & { readonly isProfileNamed: boolean },
): Promise<string> => {
  const id = search.text.trim()
  const { journals, owner } = session
  if (!isProfileNamed && !needsJournal(id)) {
    const journal = await journals.openToRead()
    await refuseElsewhere(context, journal, { owner, write: search.write, id, acceptsUnknown: true })
  }
  return findId(context, session, search)
}

type ToConfirm = {
  readonly order: string | undefined
  readonly profile: string | undefined
  readonly isAsked: boolean
}

/** The order that confirm spends. A user who is asked sees which order `@last` is; a script does not. */
export const findIdToConfirm = async (
  context: Context,
  session: CommandSession,
  { order, profile, isAsked }: ToConfirm,
): Promise<string> =>
  findIdToSpend(context, session, {
    write: commands.confirm,
    text: order ?? (await pickOrder(context, session, 'confirm')),
    find: isAsked ? findOrder : findOrderToConfirm,
    isProfileNamed: profile !== undefined,
  })

type Asked = {
  readonly owner: Owner
  readonly write: WriteCommand
  readonly id: string
  /** The command also takes an order that the journal does not know. */
  readonly acceptsUnknown?: boolean
}

/** Throws if the journal knows the id only from another account. */
export const refuseElsewhere = async (
  context: Context,
  journal: Journal | undefined,
  asked: Asked,
): Promise<void> => {
  const elsewhere = journal && (await findElsewhere(context, journal, asked))
  if (elsewhere === undefined) return
  const { owner, id: orderId, acceptsUnknown = false } = asked
  const { text, origin, there } = elsewhere
  const hasProfile = owner.profile !== environmentName
  throw new Failure('refused', `${text}; nothing was sent`, {
    orderId,
    fix: (suggest) => {
      const here =
        acceptsUnknown && hasProfile
          ? ` To use the order of ${owner.profile}, add ${suggest.flags({ profile: owner.profile })}.`
          : ''
      return there ?? `Set ORDERCTL_BASE_URL to ${origin}.${here}`
    },
  })
}

type Elsewhere = {
  readonly text: string
  readonly origin: string
  /** The command for the other account, if a profile points to it and the journal knows no third account. */
  readonly there: string | undefined
}

const findElsewhere = async (
  context: Context,
  journal: Journal,
  { owner, write, id }: Asked,
): Promise<Elsewhere | undefined> => {
  if ((await journal.findOrder(owner, id)) !== undefined) return undefined
  const [other, ...more] = await journal.findOnAnyAccount(id)
  if (other === undefined) return undefined
  const profile = more.length > 0 ? undefined : await findProfileOf(context, journal, other)
  return {
    text: `the order ${id} was placed with the profile ${other.profile}, at ${other.origin}, not with ${owner.profile}, at ${owner.origin}`,
    origin: other.origin,
    there: profile && write(context.suggest.onProfile(profile), id),
  }
}

/** The name of a profile that points to the account of the order, preferably the one that placed it. */
const findProfileOf = async (
  context: Context,
  journal: Journal,
  { account, profile }: Entry,
): Promise<string | undefined> => {
  const id = await journal.getAccount(account)
  if (id === undefined) return undefined
  if (isSameAccount(id, sandboxOwner.account)) return sandbox
  const names = readProfiles(context)
    .filter((each) => isSameAccount(id, getAccountId(each.baseUrl, each.account)))
    .map(({ name }) => name)
  return names.includes(profile) ? profile : names[0]
}

/** Warns of ids that the journal knows from another account, or as references. */
const checkIds = async (
  context: Context,
  { journals, owner }: CommandSession,
  write: WriteCommand,
  texts: readonly string[],
): Promise<void> => {
  if (texts.includes('')) {
    throw new Failure('usage', 'an order id is empty', { fix: (suggest) => suggest`list` })
  }
  const ids = texts.filter((text) => !needsJournal(text))
  if (ids.length === 0) return
  await journals.attempt('the account of the order was not checked', async (journal) => {
    const warnings = await readInParallel(ids, (id) => checkId(context, journal, { owner, write, id }))
    for (const text of warnings) if (text !== undefined) context.stderr.warn(`${sanitize(text)}`)
  })
}

/** Returns a warning if the journal has the id on another account, or as a reference. */
const checkId = async (context: Context, journal: Journal, asked: Asked): Promise<string | undefined> => {
  const { owner, id } = asked
  const other = await findElsewhere(context, journal, asked)
  if (other !== undefined) {
    const there = other.there === undefined ? '' : `. To ask the other account: ${other.there}`
    return `${other.text}; orderctl asks ${owner.origin} now${there}`
  }
  if ((await journal.findOrder(owner, id)) !== undefined) return undefined
  const [named] = await journal.findByReference(owner, id)
  return (
    named &&
    `${id} is the reference of an order, not its id. To name the order: ${context.suggest.quote(formatReference(id))}`
  )
}
