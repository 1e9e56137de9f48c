// The commands of a team: what it buys, and within which limits.
import type { Limits } from './checks.ts'
import type { Team } from './world.ts'

export const cardCents = 2_500
/** The limit of order-service.md 8. */
export const cardsPerOrder = 5

/** How many cards each row wants. Together they fill the orders. */
export const planRows = (orders: number): number[] => {
  const rows: number[] = []
  for (let left = orders * cardsPerOrder; left > 0; left -= rows.at(-1) ?? 0)
    rows.push(Math.min(left, 1 + (rows.length % 7)))
  return rows
}

const format = (cents: number): string => (cents / 100).toFixed(2)

export const setBudget = (team: Team, { budget }: Limits): Promise<string> =>
  team.mustRun(team.ana, 'profile', 'limits', '--budget', `${format(budget)}USD/month`)

export const createWords = (reference: string, ...more: readonly string[]): string[] =>
  ['create', '--product', 'GAME-US:25', '--wallet', 'USD', '--reference', reference, '--json'].concat(more)

/** The commands that buy one order. Both homes try each of them. */
export const listSingleWords = (index: number): string[][] => {
  const reference = `single-${index}`
  if (index % 3 === 0) return [createWords(reference), ['confirm', `ref:${reference}`, '--json']]
  return [createWords(reference, '--confirm', ...(index % 3 === 1 ? ['--idempotent'] : []))]
}

export const batchWords = ({ cap }: Limits): string[] =>
  ['batch', 'run', 'gifts', '--json', '--max-total'].concat(format(cap))

export const workerWords = ['batch', 'run', 'gifts', '--worker', '--json']
