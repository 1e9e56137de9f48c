// What a journal says against what its service knows. Each breach of the promise is a line of text.
import { existsSync } from 'node:fs'
import { type Call, type Entry, isOpen } from '../../../src/journal/entry.ts'
import { openJournal } from '../../../src/journal/journal.ts'
import type { ServiceOrder, World } from './world.ts'

export type Noted = Entry & { readonly open: readonly Call[] }

export const notedIn = (file: string): Noted[] => {
  if (!existsSync(file)) return []
  const journal = openJournal(file)
  try {
    return journal
      .list({ limit: 1_000 })
      .map((entry) => ({ ...entry, open: journal.callsOf(entry.number).filter(isOpen) }))
  } finally {
    journal.close()
  }
}

/** The order that an entry stands for. */
const orderOf = (orders: readonly ServiceOrder[], { orderId, reference }: Noted): ServiceOrder | undefined =>
  orders.find((order) => (orderId === undefined ? order.reference === reference : order.id === orderId))

const repeated = (keys: readonly string[]): string[] =>
  [...new Set(keys)].filter((key) => keys.filter((each) => each === key).length > 1)

/** Sent without a line in the journal, sent twice, or lost. */
export const brokenPromises = async (world: World, references = 1): Promise<string[]> => {
  const noted = notedIn(world.journalFile)
  const orders = await world.orders()
  const begun = (operation: string) => world.passed.filter((call) => call.operation === operation).length
  const isKnown = (order: ServiceOrder): boolean =>
    noted.some(
      (entry) =>
        orderOf([order], entry) !== undefined &&
        (entry.orderId !== undefined || entry.open.some(({ operation }) => operation === 'create')),
    )
  return [
    ...world.wrongs,
    ...repeated(world.asked.map(({ operation, key }) => `${operation} of ${key}`)).map(
      (call) => `${call} was sent more than once`,
    ),
    ...['create', 'confirm']
      .filter((operation) => begun(operation) > references)
      .map((operation) => `${operation} was begun ${begun(operation)} times`),
    ...orders
      .filter((order) => !isKnown(order))
      .map(({ id, reference, state }) => `the order ${id} of ${reference}, ${state}, is not in the journal`),
  ]
}

/** How far the clock is put ahead, and what is certain by then. */
const stages = {
  now: 0,
  /** Past the deadline of every call, and 15 s. */
  quiet: 61_000,
  /** Past the expiry of every order, and every wait. */
  over: 16 * 60_000,
} as const

type Stage = keyof typeof stages

const truthOf = (entry: Noted, order: ServiceOrder | undefined, stage: Stage): string => {
  if (order === undefined) {
    return entry.standing === 'not-sent' ? entry.standing : stage === 'over' ? 'lapsed' : 'unknown'
  }
  if (order.state !== 'created') return order.state
  if (stage === 'over') return 'lapsed'
  const isUnclear = entry.orderId === undefined || (stage === 'now' && entry.open.length > 0)
  return isUnclear ? 'unknown' : 'created'
}

/** Reconciles as a person would, now and later; what is not the truth then. */
export const untruths = async (world: World): Promise<string[]> => {
  const wrong: string[] = []
  for (const [stage, aheadMs] of Object.entries(stages) as [Stage, number][]) {
    world.putAhead(aheadMs)
    const { end, stderr } = await world.runHere('reconcile')
    const noted = notedIn(world.journalFile)
    const orders = await world.orders()
    for (const entry of noted) {
      const truth = truthOf(entry, orderOf(orders, entry), stage)
      const name = `${stage}: the entry ${entry.orderId ?? entry.reference}`
      if (entry.standing !== truth) wrong.push(`${name} says ${entry.standing}, and is ${truth}`)
      if (stage === 'over' && entry.open.length > 0) wrong.push(`${name} has an open call`)
    }
    const expected = noted.some(({ standing }) => standing === 'unknown') ? 6 : 0
    if (end !== expected) wrong.push(`${stage}: reconcile ended with ${end}, not ${expected}: ${stderr}`)
  }
  return wrong
}
