// Runs the same command again and compares its exit code and requests with what the facts require.
import { pendingState } from '../../src/contract/states.ts'
import { type JournalEntry, readJournalEntries } from './checks.ts'
import { confirmsOf, isDead } from './expected-journal.ts'
import type { RunResult, ServiceOrder, World } from './world.ts'

type Expected = {
  readonly end: number
  readonly sends: readonly string[]
  /** The error says whether the same command may succeed later. */
  readonly isRetryable?: boolean
}

type Known = { readonly entry: JournalEntry; readonly order: ServiceOrder }

const nothing = { sends: [] } as const

/** A different create may be waiting for its response, until its deadline and 60 s at most. */
const isUnderWay = ({ orderId, calls }: JournalEntry, now: number): boolean =>
  orderId === undefined &&
  calls.some(
    ({ operation, outcome, startedAt, until }) =>
      operation === 'create' && outcome === 'sending' && now < Math.min(until, startedAt + 60_000),
  )

const expectCreateResult = (
  alive: readonly Known[],
  entries: readonly JournalEntry[],
  now: number,
  words: Words,
): Expected => {
  const confirms = words.includes('--confirm') ? ['confirm'] : []
  const [first] = alive
  const waits = words.includes('--idempotent')
  if (first === undefined) {
    return !waits && entries.some((entry) => isUnderWay(entry, now))
      ? { ...nothing, end: 11, isRetryable: true }
      : { end: 0, sends: ['create', ...confirms] }
  }
  if (!waits) return { ...nothing, end: 11, isRetryable: false }
  if (alive.some(({ order }) => order.state !== pendingState)) return { ...nothing, end: 0 }
  return confirmsOf(first.entry).length > 0 ? { ...nothing, end: 6 } : { end: 0, sends: confirms }
}

const expectConfirmResult = ([first]: readonly Known[]): Expected => {
  if (first === undefined) return { ...nothing, end: 10 }
  if (first.order.state !== pendingState) return { ...nothing, end: 3 }
  return confirmsOf(first.entry).length > 0 ? { ...nothing, end: 6 } : { end: 0, sends: ['confirm'] }
}

type Words = readonly string[]

const referenceIn = (words: Words): string => {
  const [command, operand = ''] = words
  return command === 'confirm'
    ? operand.replace(/^ref:/, '')
    : (words[words.indexOf('--reference') + 1] ?? '')
}

const expectResult = async (world: World, words: Words): Promise<Expected> => {
  const orders = await world.orders()
  const entries = (await readJournalEntries(world.journalFile)).filter(
    ({ reference }) => reference === referenceIn(words),
  )
  const alive = entries.flatMap((entry): Known[] => {
    const order = orders.find(({ id }) => id === entry.orderId)
    return order === undefined || isDead(entry, order, world) ? [] : [{ entry, order }]
  })
  return words[0] === 'confirm'
    ? expectConfirmResult(alive)
    : expectCreateResult(alive, entries, world.now(), words)
}

const retryableIn = (stderr: string): boolean | undefined =>
  /"retryable":(true|false)/.exec(stderr)?.[1] === 'true'

/** Describes each difference. `sent` lists the operations that the run requested. */
const compareResult = (
  { end: wanted, sends, isRetryable }: Expected,
  { end, stderr }: RunResult,
  sent: readonly string[],
): string[] => [
  ...(end === wanted ? [] : [`on the second run, it ended with ${end}, not ${wanted}: ${stderr}`]),
  ...(sent.join() === sends.join()
    ? []
    : [`on the second run, it sent ${sent.join()}, not ${sends.join()}: ${stderr}`]),
  ...(isRetryable === undefined || retryableIn(stderr) === isRetryable
    ? []
    : [`on the second run, it did not say that it is ${isRetryable ? '' : 'not '}retryable: ${stderr}`]),
]

/** Runs the command in this process. */
export const runAgain = async (world: World, words: Words): Promise<string[]> => {
  const expected = await expectResult(world, words)
  const before = world.asked.length
  const ended = await world.runHere(...words)
  const sent = world.asked.slice(before).map(({ operation }) => operation)
  return compareResult(expected, ended, sent)
}
