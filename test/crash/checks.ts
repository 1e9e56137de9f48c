// Compares the journal with the service. Each broken promise is a line of text.

import { existsSync } from 'node:fs'
import { isPastPending } from '../../src/contract/states.ts'
import { openJournal } from '../../src/journal/open-journal.ts'
import { type Call, type Entry, isOpen } from '../../src/journal/orders/entry.ts'
import { listOrders } from '../../src/journal/orders/list-orders.ts'
import { listCalls } from '../../src/journal/orders/queries.ts'
import { confirmsOf, expectedSettlementOf, expectedStateOf, isUnproven } from './expected-journal.ts'
import type { ServiceOrder, World } from './world.ts'

export type JournalEntry = Entry & { readonly calls: readonly Call[]; readonly open: readonly Call[] }

export const readJournalEntries = async (file: string): Promise<JournalEntry[]> => {
  if (!existsSync(file)) return []
  const journal = await openJournal(file)
  try {
    const orders = await listOrders(journal.read, { limit: 1_000 })
    return await Promise.all(
      orders.map(async (entry) => {
        const calls = await listCalls(journal.read, entry.number)
        return { ...entry, calls, open: calls.filter(isOpen) }
      }),
    )
  } finally {
    await journal.close()
  }
}

const repeated = (keys: readonly string[]): string[] =>
  [...new Set(keys)].filter((key) => keys.filter((each) => each === key).length > 1)

/** Finds unrecorded requests, repeated confirms, repeated purchases and lost orders. */
export const findBrokenPromises = async (world: World): Promise<string[]> => {
  const orders = await world.orders()
  const bought = orders.filter(({ state }) => isPastPending(state))
  const confirms = world.asked.filter(({ operation }) => operation === 'confirm')
  return [
    ...world.problems,
    ...repeated(confirms.map(({ key }) => key)).map((id) => `${id} was confirmed more than once`),
    ...repeated(bought.map(({ reference }) => reference)).map((each) => `${each} was bought more than once`),
    ...findLostOrders(orders, await readJournalEntries(world.journalFile)),
  ]
}

/** Each order needs an entry with its id, or an entry that waits for the response to its create. */
const findLostOrders = (orders: readonly ServiceOrder[], entries: readonly JournalEntry[]): string[] => {
  const waiting = entries.filter(
    ({ orderId, open }) => orderId === undefined && open.some(({ operation }) => operation === 'create'),
  )
  return orders.flatMap(({ id, reference, state }) => {
    if (entries.some(({ orderId }) => orderId === id)) return []
    const index = waiting.findIndex((entry) => entry.reference === reference)
    if (index !== -1 && !isPastPending(state)) {
      waiting.splice(index, 1)
      return []
    }
    return [`the order ${id} of ${reference}, ${state}, is not in the journal`]
  })
}

/** How far the clock is advanced, in milliseconds. */
const stages = {
  now: 0,
  /** Past the deadline of every call, and past the settling of every confirm. */
  quiet: 140_000,
  /** Past the expiry of every order so far and 60 s: the first `get` that counts for the proof. */
  over: 16 * 60_000,
  /** The second `get` for the proof. */
  proven: 17 * 60_000 + 1_000,
} as const

export type Stage = keyof typeof stages

export const stageNames = Object.keys(stages) as Stage[]

/**
 * Runs reconcile at each stage and compares the journal with the expected one. `atStage` is done before; it returns what
 * went wrong.
 */
export const findJournalErrors = async (
  world: World,
  atStage: (stage: Stage) => Promise<readonly string[]>,
): Promise<string[]> => {
  const problems: string[] = []
  for (const stage of stageNames) {
    world.putAhead(stages[stage])
    const all = [...(await atStage(stage)), ...(await findJournalErrorsNow(world))]
    problems.push(...all.map((wrong) => `${stage}: ${wrong}`))
  }
  return problems
}

const findJournalErrorsNow = async (world: World): Promise<string[]> => {
  const sent = world.asked.length
  const { end, stderr } = await world.runHere('reconcile')
  const orders = await world.orders()
  const pairs = (await readJournalEntries(world.journalFile)).map((entry) => ({
    entry,
    order: orders.find(({ id }) => id === entry.orderId),
  }))
  const hasUnproven = pairs.some(({ entry, order }) => order && isUnproven(entry, order, world))
  const expected = hasUnproven ? 6 : 0
  return [
    ...(end === expected ? [] : [`reconcile ended with ${end}, not ${expected}: ${stderr}`]),
    ...(world.asked.length === sent ? [] : ['reconcile sent a create or confirm']),
    ...pairs.flatMap(({ entry, order }) => findEntryErrors(world, entry, order)),
  ]
}

const findEntryErrors = (world: World, entry: JournalEntry, order: ServiceOrder | undefined): string[] => {
  const name = `the entry ${entry.orderId ?? entry.reference}`
  const expectedState = expectedStateOf(entry, order, world)
  const problems =
    entry.state === expectedState ? [] : [`${name} says ${entry.state}, and is ${expectedState}`]
  if (order === undefined) return problems
  if ((entry.confirmedAt !== undefined) !== isPastPending(order.state)) {
    problems.push(`${name} has confirmed_at ${entry.confirmedAt}, and is ${order.state}`)
  }
  const expectedSettlement = expectedSettlementOf(order, world)
  for (const { outcome, settled } of confirmsOf(entry)) {
    const isTrue = outcome === 'done' ? isPastPending(order.state) : settled === expectedSettlement
    if (!isTrue)
      problems.push(`${name} has a confirm that is ${outcome} and ${settled}, not ${expectedSettlement}`)
  }
  return problems
}
