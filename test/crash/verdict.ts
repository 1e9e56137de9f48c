// What a journal says against what its service knows. Each breach of the promise is a line of text.
import { existsSync } from 'node:fs'
import { isPastPending } from '../../src/contract/states.ts'
import { type Call, type Entry, isOpen } from '../../src/journal/entry.ts'
import { openJournal } from '../../src/journal/journal.ts'
import { confirmsOf, isUnproven, settlementOf, standingOf } from './truth.ts'
import type { ServiceOrder, World } from './world.ts'

export type Noted = Entry & { readonly calls: readonly Call[]; readonly open: readonly Call[] }

export const notedIn = (file: string): Noted[] => {
  if (!existsSync(file)) return []
  const journal = openJournal(file)
  try {
    return journal.listOrders({ limit: 1_000 }).map((entry) => {
      const calls = journal.listCalls(entry.number)
      return { ...entry, calls, open: calls.filter(isOpen) }
    })
  } finally {
    journal.close()
  }
}

const repeated = (keys: readonly string[]): string[] =>
  [...new Set(keys)].filter((key) => keys.filter((each) => each === key).length > 1)

/** Sent without a line in the journal, confirmed twice, bought twice, or lost. */
export const brokenPromises = async (world: World): Promise<string[]> => {
  const orders = await world.orders()
  const bought = orders.filter(({ state }) => isPastPending(state))
  const confirms = world.asked.filter(({ operation }) => operation === 'confirm')
  return [
    ...world.wrongs,
    ...repeated(confirms.map(({ key }) => key)).map((id) => `${id} was confirmed more than once`),
    ...repeated(bought.map(({ reference }) => reference)).map((each) => `${each} was bought more than once`),
    ...lostOrders(orders, notedIn(world.journalFile)),
  ]
}

/** Each order has an entry with its id, or one of its own that waits for the answer to its create. */
const lostOrders = (orders: readonly ServiceOrder[], noted: readonly Noted[]): string[] => {
  const waiting = noted.filter(
    ({ orderId, open }) => orderId === undefined && open.some(({ operation }) => operation === 'create'),
  )
  return orders.flatMap(({ id, reference, state }) => {
    if (noted.some(({ orderId }) => orderId === id)) return []
    const index = waiting.findIndex((entry) => entry.reference === reference)
    if (index !== -1 && !isPastPending(state)) {
      waiting.splice(index, 1)
      return []
    }
    return [`the order ${id} of ${reference}, ${state}, is not in the journal`]
  })
}

/** How far the clock is put ahead, and what is certain by then. */
export const stages = {
  now: 0,
  /** Past the deadline of every call. */
  quiet: 61_000,
  /** Past the expiry of every order so far and 60 s: the first `get` that counts for the proof. */
  over: 16 * 60_000,
  /** The second one. */
  proven: 17 * 60_000 + 1_000,
} as const

export type Stage = keyof typeof stages

export const stageNames = Object.keys(stages) as Stage[]

type Steps = {
  /** Added to each stage. */
  readonly fromMs?: number
  /** Done at each stage before it is reconciled; returns what went wrong. */
  readonly atStage?: (stage: Stage) => Promise<readonly string[]>
}

/** Reconciles as a person would, now and later; what is not the truth then. */
export const untruths = async (world: World, { fromMs = 0, atStage }: Steps = {}): Promise<string[]> => {
  const wrongs: string[] = []
  for (const stage of stageNames) {
    world.putAhead(fromMs + stages[stage])
    const all = [...((await atStage?.(stage)) ?? []), ...(await untruthsNow(world))]
    wrongs.push(...all.map((wrong) => `${stage}: ${wrong}`))
  }
  return wrongs
}

const untruthsNow = async (world: World): Promise<string[]> => {
  const sent = world.asked.length
  const { end, stderr } = await world.runHere('reconcile')
  const orders = await world.orders()
  const pairs = notedIn(world.journalFile).map((entry) => ({
    entry,
    order: orders.find(({ id }) => id === entry.orderId),
  }))
  const hasUnproven = pairs.some(({ entry, order }) => order && isUnproven(entry, order, world))
  const expected = hasUnproven ? 6 : 0
  return [
    ...(end === expected ? [] : [`reconcile ended with ${end}, not ${expected}: ${stderr}`]),
    ...(world.asked.length === sent ? [] : ['reconcile sent a create or confirm']),
    ...pairs.flatMap(({ entry, order }) => untruthsOf(world, entry, order)),
  ]
}

const untruthsOf = (world: World, entry: Noted, order: ServiceOrder | undefined): string[] => {
  const name = `the entry ${entry.orderId ?? entry.reference}`
  const standing = standingOf(entry, order, world)
  const wrongs = entry.state === standing ? [] : [`${name} says ${entry.state}, and is ${standing}`]
  if (order === undefined) return wrongs
  if ((entry.confirmedAt !== undefined) !== isPastPending(order.state)) {
    wrongs.push(`${name} has confirmed_at ${entry.confirmedAt}, and is ${order.state}`)
  }
  const truth = settlementOf(order, world)
  for (const { outcome, settled } of confirmsOf(entry)) {
    const isTrue = outcome === 'done' ? isPastPending(order.state) : settled === truth
    if (!isTrue) wrongs.push(`${name} has a confirm that is ${outcome} and ${settled}, not ${truth}`)
  }
  return wrongs
}
