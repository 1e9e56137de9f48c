// What list says on stderr about the orders that it printed, and about those that it did not.
import type { Context } from '../../context.ts'
import { maxAttempts } from '../../journal/list-orders.ts'
import { writeNote } from '../shared/notes.ts'

export type Listed = {
  readonly printed: number
  readonly hasMore: boolean
  /** The number of attempts that are hidden. */
  readonly attempts: number
  /** The number of orders that were not refreshed for a while. */
  readonly stale: number
  /** Flags select some of the orders. */
  readonly isSelection: boolean
}

export const printNotes = (
  { stderr, suggest }: Pick<Context, 'stderr' | 'suggest'>,
  { printed, hasMore, attempts, stale, isSelection }: Listed,
): void => {
  const notes: string[] = []
  const advise = (what: string, flag: 'all' | 'refresh'): string =>
    isSelection ? `${what} with --${flag}.` : `${what}: ${suggest`list ${{ [flag]: true }}`}`
  if (printed === 0) notes.push('No matching orders')
  if (hasMore) {
    const shown = printed === 1 ? 'order only' : `${printed} orders`
    notes.push(`Showing the newest ${shown}. Use --limit to see more.`)
  }
  if (attempts > 0) {
    const show = attempts === 1 ? 'Show it' : 'Show them'
    notes.push(`${countAttempts(attempts)} hidden. ${advise(show, 'all')}`)
  }
  if (stale > 0) {
    const count = stale === 1 ? 'The state of 1 order is' : `The states of ${stale} orders are`
    notes.push(`${count} more than 1 h old. ${advise('Update', 'refresh')}`)
  }
  writeNote({ stderr }, notes.map((note) => `${note}\n`).join(''))
}

const countAttempts = (attempts: number): string => {
  if (attempts === 1) return '1 attempt that never became an order is'
  const count = attempts < maxAttempts ? String(attempts) : `At least ${attempts.toLocaleString('en-US')}`
  return `${count} attempts that never became an order are`
}
