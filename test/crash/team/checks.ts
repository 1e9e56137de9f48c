// Compares the log of the service with the journal of a team. Each broken promise is a line of text.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { findCards } from '../../../src/contract/redeem-cards.ts'
import { isPastPending } from '../../../src/contract/states.ts'
import type { TeamOrder } from './service.ts'
import type { Home, Team, TeamRun } from './world.ts'

/** How a process may end while others are killed and the journal fails. The service itself never fails. */
const expectedEnds: readonly (number | string | undefined)[] = [0, 3, 6, 9, 10, 11, 12, 13, 'SIGKILL']

/** The command's precondition was not recorded before, because a different command was killed or is late. */
const tooEarly = [
  'no order with reference',
  'because the response to create was lost',
  'is not started, so a worker cannot take part',
]

export const findWrongEnds = (runs: readonly TeamRun[]): string[] =>
  runs.flatMap(({ home, words, end, stderr }) => {
    const isTooEarly = end === 2 && tooEarly.some((text) => stderr.includes(text))
    const isExpected = (expectedEnds.includes(end) || isTooEarly) && !/^\s+at .+:\d+/m.test(stderr)
    return !isExpected ? [`${home.name}: ${words.join(' ')} ended with ${end}: ${stderr}`] : []
  })

const findRepeated = (keys: readonly string[]): string[] => [
  ...new Set(keys.filter((key, index) => keys.indexOf(key) !== index)),
]

/** An order that replaces a lost one has the reference of its slot and a number. */
const findSlot = (reference: string): string => reference.replace(/^(gifts-\d{4})-\d+$/, '$1')

const sumTotals = (orders: readonly TeamOrder[]): number => orders.reduce((sum, { total }) => sum + total, 0)

const isInBatch = ({ reference }: TeamOrder): boolean => reference.startsWith('gifts-')

/** In cents. */
export type Limits = { readonly cap: number; readonly budget: number }

/** What the service was told to confirm must be within the limits, and no order or reference may be confirmed twice. */
export const findOverspending = async ({ service }: Team, { cap, budget }: Limits): Promise<string[]> => {
  const orders = await service.listOrders()
  const confirms = service.log.filter(({ method, path }) => method === 'PUT' && path === '/order/confirm')
  const refused = confirms.filter(({ status }) => status !== 200)
  const bought = orders.filter(({ state }) => isPastPending(state))
  const ofBatch = bought.filter(isInBatch)
  return [
    ...refused.map(({ orderId, status }) => `the response to the confirm of ${orderId} was ${status}`),
    ...findRepeated(confirms.map(({ orderId = '' }) => orderId)).map((id) => `${id} was confirmed twice`),
    ...findRepeated(bought.map(({ reference }) => findSlot(reference))).map(
      (each) => `${each} was bought twice`,
    ),
    ...(confirms.length === bought.length + refused.length
      ? []
      : [`the service logged ${confirms.length} confirms, and has ${bought.length} confirmed orders`]),
    ...(sumTotals(ofBatch) <= cap ? [] : [`the batch spent ${sumTotals(ofBatch)}, its cap is ${cap}`]),
    ...(sumTotals(bought) <= budget
      ? []
      : [`the account spent ${sumTotals(bought)}, its budget is ${budget}`]),
  ]
}

/** Each order of the service needs an entry with its id, or an entry whose create never got a response. */
export const findLost = async (
  { service, database }: Team,
  { isSettled = false } = {},
): Promise<string[]> => {
  const entries = await database.admin('SELECT order_id, reference, standing, confirmed_at FROM orders')
  const unread = entries.filter(({ order_id }) => order_id === null).map(({ reference }) => reference)
  return (await service.listOrders()).flatMap(({ id, reference, state }) => {
    const entry = entries.find(({ order_id }) => order_id === id)
    if (entry === undefined) {
      const index = unread.indexOf(reference)
      if (index < 0 || isPastPending(state)) return [`${id} of ${reference}, ${state}, is not in the journal`]
      unread.splice(index, 1)
      return []
    }
    const isKnown = entry.confirmed_at !== null
    if (isKnown && !isPastPending(state)) return [`${id} is ${state}, and the journal says it is confirmed`]
    return !isSettled || isKnown === isPastPending(state)
      ? []
      : [`the journal does not know that ${id} is ${state}`]
  })
}

const readCodes = async (team: Team, orders: readonly TeamOrder[]): Promise<string[]> => {
  const all = await Promise.all(
    orders.map(async ({ id }) => findCards((await team.service.getOrder(id)).data.redeem)),
  )
  return all.flat().map(({ code = '' }) => code)
}

type Line = { readonly name: string; readonly code: string }

/** Each code that the service sold for the batch is in exactly one line of the export. */
export const findWrongCards = async (team: Team, home: Home, rows: readonly number[]): Promise<string[]> => {
  await team.mustRun(home, 'batch', 'export', 'gifts', 'codes.jsonl', '--force')
  const text = readFileSync(path.join(home.folder, 'codes.jsonl'), 'utf8')
  const lines: Line[] = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const orders = (await team.service.listOrders()).filter(
    (order) => isInBatch(order) && isPastPending(order.state),
  )
  const sold = (await readCodes(team, orders)).toSorted()
  const exported = lines.map(({ code }) => code).toSorted()
  const counts = rows.map((_, row) => lines.filter((line) => line.name === `row ${row}`).length)
  return [
    ...findRepeated(exported).map((code) => `${home.name}: the code ${code} is in two lines`),
    ...(exported.join() === sold.join()
      ? []
      : [`${home.name}: the export has ${exported.length} codes, the service sold ${sold.length}`]),
    ...(counts.join() === rows.join() ? [] : [`${home.name}: the rows got ${counts}, and want ${rows}`]),
  ]
}
