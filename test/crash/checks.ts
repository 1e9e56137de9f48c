// Compares the journal with the service. Each broken promise is a line of text.

import { existsSync } from 'node:fs'
import { expect } from 'vitest'
import { isPastPending } from '../../src/contract/states.ts'
import { openJournal } from '../../src/journal/file-journal.ts'
import { findStanding } from '../../src/journal/orders/apply.ts'
import { type Call, type Entry, listCalls } from '../../src/journal/orders/entries.ts'
import { listOrders } from '../../src/journal/orders/list-orders.ts'
import { isOpen } from '../../src/journal/orders/standings.ts'
import { collectFailures, isFullRun } from '../support/cases.ts'
import { prepareWorld, type Scenario } from './scenarios.ts'
import type { RunResult, ServiceOrder, World } from './world.ts'

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

/** Finds unrecorded requests, repeated confirms and purchases, lost orders, and standings that do not follow from the calls. */
const findBrokenPromises = async (world: World): Promise<string[]> => {
  const orders = await world.orders()
  const bought = orders.filter(({ state }) => isPastPending(state))
  const confirms = world.asked.filter(({ operation }) => operation === 'confirm')
  const entries = await readJournalEntries(world.journalFile)
  return [
    ...world.problems,
    ...entries.flatMap(({ calls, ...entry }) =>
      findStanding({ entry, calls }) === entry.standing ? [] : [`${entry.orderId} is not ${entry.standing}`],
    ),
    ...repeated(confirms.map(({ key }) => key)).map((id) => `${id} was confirmed more than once`),
    ...repeated(bought.map(({ reference }) => reference)).map((each) => `${each} was bought more than once`),
    ...findLostOrders(orders, entries),
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
const stages = [
  0,
  // Past the deadline of every call, and past the settling of every confirm.
  140_000,
  // Past the expiry of every order so far and 60 s: the first `get` that counts for the proof, and the second.
  16 * 60_000,
  17 * 60_000 + 1_000,
  // The same for an order that replaced it.
  33 * 60_000,
  34 * 60_000 + 1_000,
]

/** Runs the command and reconcile again at each stage. Then the journal knows what each order spent. */
const checkAftermath = async (world: World, words: readonly string[]): Promise<string[]> => {
  const problems = await findBrokenPromises(world)
  let last: RunResult | undefined
  for (const ms of stages) {
    world.putAhead(ms)
    const again = await world.runHere(...words)
    const sent = world.asked.length
    last = await world.runHere('reconcile')
    for (const { end, stderr } of [again, last])
      if (end === 1 || /^\s+at /m.test(stderr)) problems.push(`a defect: ${stderr}`)
    if (world.asked.length > sent) problems.push('reconcile sent a create or confirm')
  }
  const [orders, entries] = [await world.orders(), await readJournalEntries(world.journalFile)]
  const bought = orders.filter(({ state }) => isPastPending(state))
  if (words.includes('--idempotent') && bought.length !== 1)
    problems.push(`in the end it has bought ${bought.length} times`)
  if (last?.end !== 0) problems.push(`in the end reconcile ended with ${last?.end}: ${last?.stderr}`)
  for (const { id, state } of orders) {
    const entry = entries.find(({ orderId }) => orderId === id)
    if (entry !== undefined && (entry.confirmedAt !== undefined) !== isPastPending(state))
      problems.push(`the journal says that ${id} is ${entry.state}, and it is ${state}`)
  }
  return [...new Set([...problems, ...(await findBrokenPromises(world))])]
}

export type Case = {
  readonly name: string
  readonly scenario: Scenario
  /** Runs the command of the scenario, disturbed, and returns what is wrong with its end. */
  readonly run: (world: World) => Promise<readonly string[]>
  /** The folder of the journal. What the stack holds ends after the case. */
  readonly openFolder?: (stack: DisposableStack) => string
}

/** Runs each case in a world of its own, and expects that it breaks no promise. */
export const expectNoProblems = async (cases: readonly Case[]): Promise<void> => {
  const lines = await collectFailures(cases, async ({ scenario, run, openFolder }) => {
    using stack = new DisposableStack()
    await using world = await prepareWorld(scenario, openFolder && { stateFolder: openFolder(stack) })
    return [...(await run(world)), ...(await checkAftermath(world, scenario.words))]
  })
  expect(lines).toEqual([])
  if (isFullRun) console.info(`${cases.length} cases, the last one ${cases.at(-1)?.name}`)
}
