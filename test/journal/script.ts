// Tests of the journal as text (../support/steps.ts). A step begins or ends a call, records a response, or asks for what
// the journal has. A call that is started, and a change that is made, have no result.
//
// `create REFERENCE` and `confirm ORDER REFERENCE` default to the reference r, and to the one that ORDER was placed with.
// `again` is --allow-duplicate. `#label` names a call that does not end next: `create #first; create; created o1 #first`.
import { describe, expect, test } from 'vitest'
import { getAccountId } from '../../src/contract/account-id.ts'
import { formatMillionths, toMillionths } from '../../src/contract/money/decimal.ts'
import {
  type BudgetUse,
  type Commitment,
  listLimits,
  type NewLimit,
  readBudgets,
  removeLimit,
  setLimit,
  type Use,
} from '../../src/journal/limits.ts'
import type { ConfirmEnd, CreateEnd } from '../../src/journal/orders/apply.ts'
import type { ConfirmIntent, CreateIntent } from '../../src/journal/orders/calls.ts'
import type { Call, Entry, StartedCall } from '../../src/journal/orders/entries.ts'
import { recordCards } from '../../src/journal/orders/seen-cards.ts'
import { readScripts, runScript, type Step, type Verbs } from '../support/steps.ts'
import { bindTo, type JournalKind, type SharedJournal } from './journals.ts'
import { openFor } from './open.ts'
import { callsOf, confirmIntent, createOrderDesk, done, intent, owner, update } from './order-desk.ts'

type Start = {
  readonly kind: string
  readonly by?: Entry | undefined
  readonly state?: string
  readonly call?: number | Call
  readonly use?: Use
  /** Why it needs an approval, and the role that may only prepare. */
  readonly limits?: readonly string[]
  readonly known?: Entry | undefined
  readonly role?: string
}

export const formatCommitted = ({ millionths, orders, isDamaged }: Commitment): string =>
  isDamaged ? 'damage' : `${formatMillionths(millionths)} by ${orders}`

const describeUse = (use: Use | BudgetUse): string => {
  const { scope, amount, kind, spent } = use
  const ofAccount = 'accountName' in use ? ` of ${use.accountName}` : ''
  const limit = scope === 'batch' ? `cap ${amount}` : `budget ${amount} per ${kind}${ofAccount}`
  return `over-${limit} with ${formatCommitted(spent)}`
}

export const describeStanding = ({ standing, voidReason }: Entry): string =>
  standing === 'void' ? `void ${voidReason}` : standing

const describeStart = ({ kind, by, state, call, use, limits, known, role }: Start): string =>
  [
    kind === 'started' || use ? '' : kind,
    by && `by ${by.orderId ?? by.reference}`,
    state,
    typeof call === 'object' && `since ${call.startedAt}`,
    use && describeUse(use),
    limits && `above ${limits}`,
    known && `for ${known.orderId}`,
    role,
  ]
    .filter(Boolean)
    .join(' ')

const accountOf = ({ origin = owner.origin, name }: Step['fields']) => getAccountId(origin, name)

const readTimes = ({ at, until }: Step['fields']) => ({
  ...(at === undefined ? {} : { at: Number(at), until: Number(at) + 45_000 }),
  ...(until === undefined ? {} : { until: Number(until) }),
})

const readIntent = ({ fields, isAgain }: Step): Partial<CreateIntent & ConfirmIntent> => {
  const { origin = owner.origin, profile, wallet, total, accepted, request } = fields
  const given = { profile, wallet, total, accepted, request }
  return {
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    ...{ origin, account: accountOf(fields), allowDuplicate: isAgain },
    ...(total === undefined ? {} : { counts: toMillionths(total) ?? 0n }),
    ...readTimes(fields),
  }
}

export const readEnd = ([outcome, status]: readonly string[]): ConfirmEnd =>
  ({ outcome, ...(status === undefined ? {} : { status: Number(status) }) }) as ConfirmEnd

/** The calls that were begun, by label. The last one has none. */
export type Begun = Map<string, StartedCall & { readonly isCreate: boolean }>

/** `readMore` reads more about an intent from the fields of its step. */
export const createOrderVerbs = (
  { journal, query, damage }: SharedJournal,
  begun: Begun = new Map(),
  readMore: (step: Step) => Promise<Partial<CreateIntent>> = async () => ({}),
): Verbs => {
  const desk = createOrderDesk(journal)
  const calls = callsOf(journal)
  const limits = bindTo(journal, { listLimits, readBudgets, removeLimit, setLimit })
  const keep = (start: Start, label: string, isCreate: boolean): string => {
    const call = { ...start, isCreate } as StartedCall & { readonly isCreate: boolean }
    if (start.kind === 'started') for (const key of ['', label]) begun.set(key, call)
    return describeStart(start)
  }
  const take = (label: string) => {
    const call = begun.get(label)
    if (call === undefined) throw new Error(`no call was begun ${label}`)
    return call
  }
  const references = new Map<string, string>()
  let now = 2_000
  const find = async (orderId = ''): Promise<Entry> => {
    const entry = await desk.findOrder(owner, orderId)
    if (entry === undefined) throw new Error(`there is no order ${orderId}`)
    return entry
  }
  const create = async (step: Step, reference?: string) => {
    const given = { ...readIntent(step), ...(await readMore(step)), ...(reference && { reference }) }
    return keep(await calls.beginCreate(intent(given)), step.label, true)
  }
  const created = async (orderId: string, label: string, { at = '1100', ...facts }: Step['fields']) => {
    const call = take(label)
    references.set(orderId, call.name)
    const { createdAt = '1050' } = facts
    const end = { ...done(orderId), ...facts, createdAt: Number(createdAt) } as CreateEnd
    const older = await calls.endCreate(call, end, Number(at))
    return older.map(({ reference }) => `reused from ${reference}`).join(', ')
  }
  return {
    create: (step) => create(step, step.words[0]),
    created: ({ words: [orderId = ''], label, fields }) => created(orderId, label, fields),
    place: async (step) => {
      const [orderId = '', reference] = step.words
      const refusal = await create(step, reference)
      const { total } = step.fields
      return refusal || created(orderId, step.label, total === undefined ? {} : { total })
    },
    confirm: async (step) => {
      const [orderId = '', reference = references.get(orderId) ?? 'r'] = step.words
      const { claim } = await readMore(step)
      const given = { ...readIntent(step), reference, claim }
      return keep(await calls.beginConfirm(confirmIntent(orderId, given)), step.label, false)
    },
    /** As a confirm or create that has no order id. */
    end: async ({ words, label, fields: { at = '2100' } }) => {
      const call = take(label)
      const end = readEnd(words)
      if (call.isCreate) await calls.endCreate(call, end as CreateEnd, Number(at))
      else await calls.endConfirm(call, end, Number(at))
    },
    /** Its result is the state that is shown, if the service said a different one. */
    get: async ({ words: [orderId, said = ''], fields }) => {
      now += 1_000
      const { number } = await find(orderId)
      await desk.recordOrder(number, update(said, { at: now, ...fields }))
      const { state, serviceState } = await find(orderId)
      return [state !== said && state, ![said, undefined].includes(serviceState) && `not ${said}`]
        .filter(Boolean)
        .join(', ')
    },
    /** Two responses after the expiry have proven that nothing was spent. */
    expire: async ({ words: [orderId] }) => {
      const entry = await find(orderId)
      await desk.expire(entry.number, entry.confirms)
    },
    decide: async ({ words: [orderId, outcome] }) => {
      const decision = { isSpent: outcome === 'spent', by: 'sam', reason: 'asked', at: 5_000 }
      const { kind } = await desk.recordDecision(await find(orderId), decision, () => 0)
      return kind === 'recorded' ? '' : 'not recorded'
    },
    state: async ({ words: [orderId] }) => (await find(orderId)).state,
    standing: async ({ words: [orderId] }) => {
      return describeStanding(await find(orderId))
    },
    calls: async ({ words: [orderId] }) =>
      (await desk.listCalls((await find(orderId)).number))
        .map(({ operation, outcome, settled, settledBy, reason, serviceState }) =>
          [
            ...[operation, serviceState && `of ${serviceState}`, outcome, settled],
            // PostgreSQL also has the role.
            settledBy && `by ${settledBy.split(' ')[0]}: ${reason}`,
          ]
            .filter(Boolean)
            .join(' '),
        )
        .join(', '),
    orders: async () =>
      (await desk.listOrders({ limit: 100 })).map(({ reference = '-' }) => reference).join(', '),
    reset: ({ fields }) => desk.deleteOrders(accountOf(fields)),
    /** The order shows cards, one letter for each. Its result is the orders that showed them first, if any. */
    shows: async ({ words: [orderId = '', codes = ''], fields }) => {
      const cards = [...codes].map((code) => (key: string) => `${key} ${code}`)
      const seen = await recordCards(journal, { account: accountOf(fields), orderId, cards })
      const others = seen.map(({ otherOrderId = '-' }) => otherOrderId)
      return others.some((other) => other !== '-') ? others.join(' ') : ''
    },
    limit: ({ words: [kind, amount = '', currency = 'USD'], fields }) =>
      limits.setLimit(accountOf(fields), { kind, amount, currency } as NewLimit),
    /** What counts against each budget. */
    spent: async ({ fields }) => {
      const account = accountOf(fields)
      const uses = await limits.readBudgets(account, await limits.listLimits(account))
      return uses.map(({ spent }) => formatMillionths(spent.millionths)).join(', ')
    },
    /** The limits that apply to the account, and the names of the accounts that they were set for. */
    limits: async ({ fields }) =>
      (await limits.listLimits(accountOf(fields)))
        .map(({ kind, amount, currency, accountName = '' }) =>
          `${kind} ${amount} ${currency} ${accountName}`.trim(),
        )
        .join(', '),
    /** Sets a column of an order to what its constraint refuses. */
    damage: ({ words: [orderId, column = '', value = ''] }) =>
      damage('orders', column, value, `order_id = '${orderId}'`),
    read: async ({ text }) => (await query(text)).map((row) => Object.values(row).join(' ')).join(', '),
    sql: ({ text }) => journal.write(async ({ run }) => void (await run(text))),
  }
}

/** A test for each script, on each kind of journal. */
export const testScripts = (
  kinds: readonly JournalKind[],
  texts: string,
  createVerbs: (shared: SharedJournal) => Verbs = (shared) => createOrderVerbs(shared),
): void => {
  describe.each(kinds)('on $name', (kind) => {
    test.each(readScripts(texts))('%s', async (_title, text) => {
      const shared = await openFor(kind)
      expect(await runScript(createVerbs(shared), text)).toBe(text)
    })
  })
}
