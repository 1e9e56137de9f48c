// The same words once more: how they have to end, and what they have to send, by what is true before them.
import { pendingState } from '../../src/contract/states.ts'
import { confirmsOf, isDead } from './truth.ts'
import { type Noted, notedIn } from './verdict.ts'
import type { Ended, ServiceOrder, World } from './world.ts'

export type Expected = {
  readonly end: number
  readonly sends: readonly string[]
  /** The error says whether the same command may succeed later. */
  readonly isRetryable?: boolean
}

type Known = { readonly entry: Noted; readonly order: ServiceOrder }

const nothing = { sends: [] } as const

/** Another create may be waiting for its answer: until its deadline, and 60 s at most. */
const isUnderWay = ({ orderId, calls }: Noted, now: number): boolean =>
  orderId === undefined &&
  calls.some(
    ({ operation, outcome, startedAt, until }) =>
      operation === 'create' && outcome === 'sending' && now < Math.min(until, startedAt + 60_000),
  )

const expectedOfCreate = (
  alive: readonly Known[],
  noted: readonly Noted[],
  now: number,
  words: Words,
): Expected => {
  const confirms = words.includes('--confirm') ? ['confirm'] : []
  const [first] = alive
  if (first === undefined) {
    return noted.some((entry) => isUnderWay(entry, now))
      ? { ...nothing, end: 11, isRetryable: true }
      : { end: 0, sends: ['create', ...confirms] }
  }
  if (!words.includes('--idempotent')) return { ...nothing, end: 11, isRetryable: false }
  if (alive.some(({ order }) => order.state !== pendingState)) return { ...nothing, end: 0 }
  return confirmsOf(first.entry).length > 0 ? { ...nothing, end: 6 } : { end: 0, sends: confirms }
}

const expectedOfConfirm = ([first]: readonly Known[]): Expected => {
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

export const expectedOf = async (world: World, words: Words): Promise<Expected> => {
  const orders = await world.orders()
  const noted = notedIn(world.journalFile).filter(({ reference }) => reference === referenceIn(words))
  const alive = noted.flatMap((entry): Known[] => {
    const order = orders.find(({ id }) => id === entry.orderId)
    return order === undefined || isDead(entry, order, world) ? [] : [{ entry, order }]
  })
  return words[0] === 'confirm'
    ? expectedOfConfirm(alive)
    : expectedOfCreate(alive, noted, world.now(), words)
}

const retryableIn = (stderr: string): boolean | undefined =>
  /"retryable":(true|false)/.exec(stderr)?.[1] === 'true'

/** How a run differs from what was expected. `sent` is what the service was asked by it. */
export const differences = (
  { end: wanted, sends, isRetryable }: Expected,
  { end, stderr }: Ended,
  sent: readonly string[],
): string[] => [
  ...(end === wanted ? [] : [`again, it ended with ${end}, not ${wanted}: ${stderr}`]),
  ...(sent.join() === sends.join() ? [] : [`again, it sent ${sent.join()}, not ${sends.join()}: ${stderr}`]),
  ...(isRetryable === undefined || retryableIn(stderr) === isRetryable
    ? []
    : [`again, it did not say that it is ${isRetryable ? '' : 'not '}retryable: ${stderr}`]),
]

/** Runs the words in this process. */
export const again = async (world: World, words: Words): Promise<string[]> => {
  const expected = await expectedOf(world, words)
  const before = world.asked.length
  const ended = await world.runHere(...words)
  const sent = world.asked.slice(before).map(({ operation }) => operation)
  return differences(expected, ended, sent)
}
