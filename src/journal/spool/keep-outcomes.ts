// Saves the outcome of a call on this machine if the shared journal cannot record it.
import { Failure } from '../../errors.ts'
import type {
  ConfirmEnd,
  ConfirmIntent,
  CreateEnd,
  CreateIntent,
  RecordedCall,
  StartedCall,
} from '../calls.ts'
import type { Statements } from '../database/database.ts'
import type { Entry } from '../entry.ts'
import type { Calls } from '../journal.ts'
import type { OrderUpdate } from '../observations.ts'
import { findOthersById } from '../queries.ts'
import type { Replayer } from './replay.ts'
import type { SpooledOutcome } from './spool.ts'

type Options = {
  readonly journal: Pick<SpooledOutcome, 'journal' | 'address'>
  readonly replayer: Replayer
  readonly statements: Statements
  /** Called once a call, with the order id, or with the reference of an order without one. */
  readonly onSaved: (name: string) => void
}

type Intent = Pick<CreateIntent, 'reference' | 'at'> & Partial<Pick<ConfirmIntent, 'orderId'>>
type Ended = Pick<SpooledOutcome, 'operation' | 'end'> & { readonly found?: Omit<OrderUpdate, 'at'> }

export const keepOutcomes = (calls: Calls, { journal, replayer, statements, onSaved }: Options): Calls => {
  /** By the numbers of the calls that this process has begun. */
  const intents = new Map<number, Intent>()
  const reported = new Set<number>()

  const begin = async <Start extends { readonly kind: string }>(
    operation: SpooledOutcome['operation'],
    intent: Intent,
    work: () => Promise<Start>,
  ): Promise<Start> => {
    try {
      const start = await work()
      if (isStarted(start)) intents.set(start.call, intent)
      return start
    } catch (error) {
      const start = replayer.findLostResult(error)
      if (isStarted(start)) withdraw(start, { operation, end: { outcome: 'not-sent' } }, intent)
      throw error
    }
  }

  /** The intent may be recorded, and nothing was sent. Without this, the call would stay open until it is settled. */
  const withdraw = (start: RecordedCall, ended: Ended, intent: Intent): void => {
    try {
      replayer.save({ ...toOutcome(start, ended, intent, intent.at), isUncertain: true })
    } catch {
      // The error that led here says more.
    }
  }

  const toOutcome = (
    { order, call }: RecordedCall,
    ended: Ended,
    intent: Intent,
    at: number,
  ): SpooledOutcome =>
    ({
      ...journal,
      name: findName(intent, ended.end),
      order,
      call,
      startedAt: intent.at,
      at,
      ...ended,
    }) as SpooledOutcome

  /** Returns whether the journal has the outcome now. */
  const save = async (started: RecordedCall, ended: Ended, at: number): Promise<boolean> => {
    const intent = intents.get(started.call)
    if (intent === undefined) throw new Error('the call was begun by another process')
    const outcome = toOutcome(started, ended, intent, at)
    replayer.save(outcome)
    try {
      // The server may accept a new connection at once.
      await replayer.replay()
      return true
    } catch {
      if (!reported.has(started.call)) onSaved(outcome.name)
      reported.add(started.call)
      return false
    }
  }

  /** Throws the error of `record` if it is a defect, or the outcome cannot be saved either. */
  const keep = async <Result>(
    record: () => Promise<Result>,
    saveInstead: () => Promise<Result>,
  ): Promise<Result> => {
    try {
      return await record()
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      return saveInstead().catch(() => {
        throw error
      })
    }
  }

  const findOlder = async ({ order }: RecordedCall, end: CreateEnd): Promise<Entry[]> =>
    'orderId' in end ? findOthersById(statements, order, end.orderId) : []

  return {
    ...calls,
    beginCreate: (intent) => begin('create', intent, () => calls.beginCreate(intent)),
    beginConfirm: (intent) => begin('confirm', intent, () => calls.beginConfirm(intent)),
    endCreate: (started, end, at) =>
      keep(
        () => calls.endCreate(started, end, at),
        async () => {
          const isRecorded = await save(started, { operation: 'create', end }, at)
          return isRecorded ? findOlder(started, end).catch(() => []) : []
        },
      ),
    endConfirm: (started, end, at) =>
      keep(
        () => calls.endConfirm(started, end, at),
        async () => void (await save(started, { operation: 'confirm', end }, at)),
      ),
    endConfirmByOrder: (started, { at, ...found }) =>
      keep(
        () => calls.endConfirmByOrder(started, { ...found, at }),
        async () =>
          void (await save(started, { operation: 'confirm', end: { outcome: 'unknown' }, found }, at)),
      ),
  }
}

const findName = ({ orderId, reference }: Intent, end: CreateEnd | ConfirmEnd): string =>
  orderId ?? ('orderId' in end ? end.orderId : reference)

const isStarted = (start: unknown): start is StartedCall =>
  (start as Partial<StartedCall> | undefined)?.kind === 'started'
