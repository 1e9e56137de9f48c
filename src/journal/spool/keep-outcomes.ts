// Saves the outcome of a call on this machine if the shared journal cannot record it.
import { Failure } from '../../errors.ts'
import { UnknownCommit } from '../../postgres/failure.ts'
import { isStarted, type StartedCall } from '../calls.ts'
import type { Statements } from '../database/database.ts'
import type { Calls } from '../journal.ts'
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

type Ended =
  | Pick<SpooledOutcome & { operation: 'create' }, 'operation' | 'end'>
  | Pick<SpooledOutcome & { operation: 'confirm' }, 'operation' | 'end' | 'found'>

export const keepOutcomes = (calls: Calls, { journal, replayer, statements, onSaved }: Options): Calls => {
  const reported = new Set<number>()

  const toOutcome = (
    { order, call, startedAt, name }: StartedCall,
    ended: Ended,
    at: number,
  ): SpooledOutcome => ({
    ...journal,
    name: 'orderId' in ended.end ? ended.end.orderId : name,
    order,
    call,
    startedAt,
    at,
    ...ended,
  })

  /** The intent may be recorded, and nothing was sent. Without this, the call would stay open until it is settled. */
  const withdraw = (error: unknown, operation: SpooledOutcome['operation']): void => {
    const start = error instanceof UnknownCommit ? error.result : undefined
    if (!isStarted(start)) return
    try {
      const outcome = toOutcome(start, { operation, end: { outcome: 'not-sent' } }, start.startedAt)
      replayer.save({ ...outcome, isUncertain: true })
    } catch {
      // The error that led here says more.
    }
  }

  const begin = async <Start>(
    operation: SpooledOutcome['operation'],
    start: Promise<Start>,
  ): Promise<Start> => {
    try {
      return await start
    } catch (error) {
      withdraw(error, operation)
      throw error
    }
  }

  /** Returns whether the journal has the outcome now. */
  const save = async (started: StartedCall, ended: Ended, at: number): Promise<boolean> => {
    const outcome = toOutcome(started, ended, at)
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

  /** Throws the error of the journal if it is a defect, or the outcome cannot be saved either. */
  const keep = async <Result>(
    recorded: Promise<Result>,
    saveInstead: () => Promise<Result>,
  ): Promise<Result> => {
    try {
      return await recorded
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      return saveInstead().catch(() => {
        throw error
      })
    }
  }

  return {
    beginCreate: (intent) => begin('create', calls.beginCreate(intent)),
    beginConfirm: (intent) => begin('confirm', calls.beginConfirm(intent)),
    endCreate: (started, end, at) =>
      keep(calls.endCreate(started, end, at), async () => {
        const isRecorded = await save(started, { operation: 'create', end }, at)
        if (!isRecorded || !('orderId' in end)) return []
        return findOthersById(statements, started.order, end.orderId).catch(() => [])
      }),
    endConfirm: (started, end, at) =>
      keep(calls.endConfirm(started, end, at), async () => {
        await save(started, { operation: 'confirm', end }, at)
      }),
    endConfirmByOrder: (started, update) =>
      keep(calls.endConfirmByOrder(started, update), async () => {
        const { at, ...found } = update
        await save(started, { operation: 'confirm', end: { outcome: 'unknown' }, found }, at)
      }),
  }
}
