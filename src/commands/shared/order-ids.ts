// Finds the ids of the orders that the command line names.
import type { Context } from '../../context.ts'
import { getAccountId, isSameAccount } from '../../contract/account-id.ts'
import { needsJournal } from '../../contract/order-words.ts'
import { Failure } from '../../errors.ts'
import type { Entry, Owner } from '../../journal/entry.ts'
import type { Journal } from '../../journal/journal.ts'
import { findOrder, findOrders, formatReference, type JournalAccess } from '../../operations/find-order.ts'
import { environmentName, sandbox } from '../../profiles/profile.ts'
import type { Suggest } from '../../text/suggest.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { sandboxOwner } from './journal/place.ts'
import { readInParallel } from './journal/read-in-parallel.ts'
import { readProfiles } from './profiles.ts'
import type { CommandSession } from './session.ts'

/** Writes the command with the id of an order. */
type WriteCommand = (suggest: Suggest, id: string) => string

/** For commands that take several orders. */
export const resolveOrderIds = (
  context: Context,
  session: CommandSession,
  write: WriteCommand,
  texts: readonly string[],
): Promise<readonly string[]> => resolveIds(context, session, { write, texts, find: findOrders })

/** For commands that take one order. */
export const resolveOrderId = async (
  context: Context,
  session: CommandSession,
  write: WriteCommand,
  text: string,
  findOne: FindOne = findOrder,
): Promise<string> => {
  const find = async (access: JournalAccess, named: string) => [await findOne(access, named)]
  const [id = ''] = await resolveIds(context, session, { write, texts: [text], find })
  return id
}

type FindOne = typeof findOrder

type ToSpend = {
  readonly write: WriteCommand
  readonly text: string
  readonly isProfileNamed: boolean
  readonly findOne?: FindOne
}

/**
 * For commands that spend. Refuses an id that the journal knows only from another account, where it names another order.
 * With --profile, the user chose the account, and is only warned.
 */
export const resolveIdToSpend = async (
  context: Context,
  session: CommandSession,
  { write, text, isProfileNamed, findOne }: ToSpend,
): Promise<string> => {
  const id = text.trim()
  const { journals, owner } = session
  if (!isProfileNamed && !needsJournal(id))
    await refuseElsewhere(context, await journals.openToRead(), { owner, write, id, acceptsUnknown: true })
  return resolveOrderId(context, session, write, text, findOne)
}

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

type Search = {
  readonly write: WriteCommand
  readonly texts: readonly string[]
  readonly find: typeof findOrders
}

/** Accepts ids, `@last`, `ref:REFERENCE` and `batch:NAME`. A pasted id may have spaces or a line break around it. */
const resolveIds = async (
  context: Context,
  { journals, owner }: CommandSession,
  { write, texts: given, find }: Search,
): Promise<readonly string[]> => {
  const texts = given.map((text) => text.trim())
  if (texts.includes('')) {
    throw new Failure('usage', 'an order id is empty', { fix: (suggest) => suggest`list` })
  }
  const ids = texts.filter((text) => !needsJournal(text))
  if (ids.length > 0) {
    await journals.attempt('the account of the order was not checked', async (journal) => {
      const warnings = await readInParallel(ids, (id) => checkId(context, journal, { owner, write, id }))
      for (const text of warnings)
        if (text !== undefined) context.stderr.write(`warning: ${sanitize(text)}\n`)
    })
  }
  if (ids.length === texts.length) return ids
  const journal = await journals.openToRead()
  return (await readInParallel(texts, (text) => find({ journal, owner }, text))).flat()
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
