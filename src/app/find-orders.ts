// Finds the orders that the command line names: an id, `@last`, `ref:REFERENCE` or `batch:NAME`. A pasted id may have spaces
// or a line break around it. First what commands call, then how the journal is searched, then ids of other accounts.

import type { Context } from '../context.ts'
import { isSameAccount } from '../contract/account-id.ts'
import {
  batchPrefix,
  lastWord,
  namesBatch,
  needsJournal,
  referencePrefix,
} from '../contract/order/reference.ts'
import { Failure } from '../errors.ts'
import { getAccount } from '../journal/accounts.ts'
import { findByBatch } from '../journal/batches/batch-names.ts'
import type { Journal } from '../journal/journal.ts'
import {
  type Entry,
  findByReference,
  findLast,
  findOrderById,
  findOrdersOnAnyAccount,
  type Owner,
} from '../journal/orders/entries.ts'
import { isHolding, isNeverCreated } from '../journal/orders/standings.ts'
import { readInParallel } from '../operations/parallel.ts'
import type { NamedOrder } from '../operations/read.ts'
import { environmentName, sandbox } from '../profiles/store.ts'
import type { Suggest } from '../text/suggest.ts'
import { sanitize } from '../ui/terminal/text.ts'
import { findProfilesOf, readProfiles } from './account.ts'
import { sandboxOwner } from './journals.ts'
import type { CommandSession } from './open-session.ts'
import { mayAsk } from './terminal.ts'

/** Writes the command with the id of an order. */
type WriteCommand = (suggest: Suggest, id: string) => string

const commands = {
  confirm: (suggest: Suggest, id: string) => suggest`confirm ${id}`,
  explain: (suggest: Suggest, id: string) => suggest`explain ${id}`,
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
  throw new Failure('usage', "missing required argument 'order'", {
    fix: () => `orderctl ${command} --help`,
  })
}

const pickOrder = async (session: CommandSession, command: Command): Promise<string> =>
  (await import('./pick-order.ts')).pickOrder(session, command)

/** The named orders, or the one that the user picks. A batch stands for all its orders. */
export const findOrders = async (
  session: CommandSession,
  command: Command,
  typed: readonly string[],
): Promise<readonly NamedOrder[]> => {
  const given = typed.length > 0 ? typed : [await pickOrder(session, command)]
  const texts = given.map((text) => text.trim())
  await checkIds(session, commands[command], texts)
  if (!texts.some(needsJournal)) return texts.map((orderId) => ({ orderId }))
  const access = await openAccess(session)
  const find = async (text: string): Promise<readonly NamedOrder[]> =>
    namesBatch(text) ? findOrdersOfBatch(access, text) : [await findOne(access, text)]
  return (await readInParallel(texts, find)).flat()
}

type Spending = {
  readonly profile: string | undefined
  /** A person sees the order before anything is spent. */
  readonly isReviewed: boolean
}

/**
 * The named order, or the one that the user picks. A command that spends refuses an id that the journal knows only from
 * another account, where it names another order. With --profile, the user chose the account, and is only warned.
 */
export const findOrder = async (
  session: CommandSession,
  command: Command | WriteCommand,
  typed: string | undefined,
  spending?: Spending,
): Promise<NamedOrder> => {
  const write = typeof command === 'string' ? commands[command] : command
  const picked = typed ?? (typeof command === 'string' ? await pickOrder(session, command) : '')
  const id = picked.trim()
  if (spending !== undefined && spending.profile === undefined && !needsJournal(id)) {
    const journal = await session.journals.openExisting()
    await refuseElsewhere(session.context, journal, { owner: session.owner, write, id, acceptsUnknown: true })
  }
  // The command that spends is suggested only with an id, because a reference may be that of an order nobody meant.
  await checkIds(session, spending === undefined ? write : commands.get, [id])
  if (!needsJournal(id)) return { orderId: id }
  const access = await openAccess(session)
  return spending === undefined || spending.isReviewed ? findOne(access, id) : findOneToSpend(access, id)
}

type JournalAccess = { readonly journal: Journal; readonly owner: Owner }

const openAccess = async ({ journals, owner }: CommandSession): Promise<JournalAccess> => ({
  journal: await journals.openExisting(),
  owner,
})

/** Newest first. A batch may have none. */
export const findEntries = async (
  access: JournalAccess,
  text: string,
  write?: WriteCommand,
): Promise<Entry[]> => {
  const {
    owner,
    journal: { read },
  } = access
  const here = `in this journal for the profile ${owner.profile}`
  if (namesBatch(text)) {
    const name = text.slice(batchPrefix.length)
    const ofBatch = await findByBatch(read, owner, name)
    if (ofBatch !== undefined) return ofBatch
    throw new Failure('usage', `no batch '${name}' ${here}`, { fix: (suggest) => suggest`batch list` })
  }
  const reference = text.startsWith(referencePrefix) ? text.slice(referencePrefix.length) : undefined
  const findOne = () => (text === lastWord ? findLast(read, owner.account) : findOrderById(read, owner, text))
  const found =
    reference === undefined
      ? [await findOne()].filter((entry) => entry !== undefined)
      : await findByReference(read, owner, reference)
  if (found.length > 0) return found
  const named = reference === undefined ? `no order '${text}'` : `no order with reference '${reference}'`
  if (write !== undefined && (await isOnlyReference(access, text))) throw createReferenceFailure(text, write)
  throw new Failure('not-found', `${text === lastWord ? 'you placed no orders' : named} ${here}`, {
    fix: (suggest) => suggest`list`,
  })
}

const isOnlyReference = async ({ journal: { read }, owner }: JournalAccess, id: string): Promise<boolean> =>
  (await findOrderById(read, owner, id)) === undefined && (await findByReference(read, owner, id)).length > 0

const createReferenceFailure = (reference: string, write: WriteCommand): Failure =>
  new Failure('not-found', `${reference} is the reference of an order, not its id`, {
    fix: (suggest) => write(suggest, `${referencePrefix}${reference}`),
  })

/** Without attempts that a later order of the batch has replaced. The oldest first. */
const findOrdersOfBatch = async (access: JournalAccess, text: string): Promise<NamedOrder[]> => {
  const placed = (await findEntries(access, text)).filter(isHolding)
  const named = placed.flatMap((entry) =>
    entry.orderId === undefined ? [] : [{ orderId: entry.orderId, entry }],
  )
  if (named.length > 0) return named.toReversed()
  const name = text.slice(batchPrefix.length)
  throw new Failure('usage', `the batch ${name} has no orders`, {
    fix: (suggest) => suggest`batch show ${name}`,
  })
}

/** Does not look up an id. */
export const findOne = async (access: JournalAccess, text: string): Promise<NamedOrder> => {
  if (namesBatch(text)) {
    const [only, ...others] = await findOrdersOfBatch(access, text)
    if (only !== undefined && others.length === 0) return only
    throw new Failure('usage', `${text} has ${others.length + 1} orders, but this command takes one`, {
      fix: (suggest) => suggest`list ${{ batch: text.slice(batchPrefix.length) }}`,
    })
  }
  if (!needsJournal(text)) return { orderId: text }
  const all = await findEntries(access, text)
  const holding = all.filter(isHolding)
  const live = holding.filter(({ result }) => result !== 'failed' && result !== 'rejected')
  const [meant = all] = [live, holding].filter(({ length }) => length > 0)
  const ids = new Set(meant.map(({ orderId }) => orderId))
  if (ids.size > 1) {
    const listed = meant.map(({ orderId, state }) => `${orderId ?? 'no id'} (${state})`)
    throw new Failure('usage', `${text} matches ${ids.size} orders: ${listed.join(', ')}`, {
      advice: 'Give the id of one order.',
      quotes: [...ids].filter((id) => id !== undefined),
    })
  }
  const [entry] = meant
  const { orderId, standing, voidReason } = entry ?? {}
  if (standing === 'void' && voidReason === 'stranger') {
    throw new Failure(
      'stranger',
      `the order id of ${text} is unknown, because the service showed a different order under the id from create`,
      {
        advice: 'Nothing was spent. Run create again.',
      },
    )
  }
  if (orderId !== undefined) return { orderId, entry }
  throw new Failure('usage', `the order id of ${text} is unknown, because the response to create was lost`, {
    fix: (suggest) => suggest`list`,
    advice: 'Nothing was spent. Run create again, or choose a different order.',
  })
}

/** For a command that spends without a prompt, so no one sees which order it is. */
const findOneToSpend = async (access: JournalAccess, text: string): Promise<NamedOrder> => {
  const { journal, owner } = access
  const last =
    text === lastWord ? await findLast(journal.read, owner.account, { isAttempt: true }) : undefined
  // After an attempt that created no order, `@last` is an older one: spending could buy the wrong order.
  if (last !== undefined && isNeverCreated(last)) {
    const problem = `the last order (reference ${last.reference ?? ''}) was never created: ${last.state}`
    throw new Failure('usage', problem, { fix: (suggest) => suggest`list`, advice: 'Give an order id.' })
  }
  const named = await findOne(access, text)
  const { orderId, entry } = named
  // An assistant may have used the reference before the script did, with other products.
  if (entry?.placedWith === undefined || entry.standing === 'confirmed') return named
  const problem = `${text} is the order ${orderId}, which an assistant prepared; nothing was sent`
  throw new Failure('order-of-assistant', problem, {
    orderId,
    fix: (suggest) => suggest`get ${orderId}`,
    advice: 'Read the order, then use its id.',
  })
}

export const refuseEmptyId = (texts: readonly string[]): void => {
  if (texts.includes(''))
    throw new Failure('usage', 'an order id is empty', { fix: (suggest) => suggest`list` })
}

/** Throws if an id is the reference of an order. Warns of ids that the journal knows from another account. */
const checkIds = async (
  { context, journals, owner }: CommandSession,
  write: WriteCommand,
  texts: readonly string[],
): Promise<void> => {
  refuseEmptyId(texts)
  const ids = texts.filter((text) => !needsJournal(text))
  if (ids.length === 0) return
  const references: string[] = []
  await journals.attempt('the account of the order was not checked', async (journal) => {
    const found = await readInParallel(ids, (id) => findElsewhere(context, journal, { owner, write, id }))
    for (const { text, there } of found.filter((each) => each !== undefined)) {
      const next = there === undefined ? '' : `. To ask the other account: ${there}`
      context.stderr.warn(sanitize(`${text}; orderctl asks ${owner.origin} now${next}`))
    }
    const areReferences = await readInParallel(ids, (id) => isOnlyReference({ journal, owner }, id))
    references.push(...ids.filter((_, index) => areReferences[index]))
  })
  const [reference] = references
  if (reference !== undefined) throw createReferenceFailure(reference, write)
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
