// Saves a call's outcome on this machine if the shared journal cannot record it. Writes it to the journal later, like
// the reveals that a different command has saved. Several processes may do so at once.
import { Failure } from '../../errors.ts'
import { getErrorReason } from '../../files.ts'
import { UnknownCommit } from '../../postgres/failure.ts'
import { createRunner, noCaller, type Run } from '../access.ts'
import { getOrAddActor } from '../actors.ts'
import type { Database, Statements } from '../database/database.ts'
import { type Calls, isStarted, type StartedCall } from '../orders/calls.ts'
import { findOthersById } from '../orders/queries.ts'
import { insertReveal } from '../orders/reveals.ts'
import { applyFact, lockOrder } from '../orders/write-order.ts'
import type { Machine } from './machine-file.ts'
import {
  isOutcome,
  type KeptEvent,
  type KeptOutcome,
  type KeptReveals,
  keepEvent,
  listEvents,
  removeEvent,
} from './outbox.ts'

export type OutboxOptions = {
  readonly machine: Machine
  /** Called once a call, with the order id, or with the reference of an order without one. */
  readonly onSaved: (name: string) => void
  /** Called once for each event that stays in the file. `isRecorded` is false if the journal does not contain it. */
  readonly onProblem: (problem: string, isRecorded: boolean) => void
}

/** How the machine file names the journal. */
type Names = Pick<KeptOutcome, 'journal' | 'address'> & Pick<KeptReveals, 'database'>

type Ended =
  | Pick<KeptOutcome & { operation: 'create' }, 'operation' | 'end'>
  | Pick<KeptOutcome & { operation: 'confirm' }, 'operation' | 'end' | 'found'>

/** Writes what earlier commands could not record. Throws if the journal cannot be written. */
export const openOutbox = async (database: Database, names: Names, options: OutboxOptions) => {
  const replayer = createReplayer(database, names, options)
  await replayer.replay()
  return {
    database: replayer.database,
    keepOutcomes: (calls: Calls): Calls => keepOutcomes(calls, names, { ...options, ...replayer }),
  }
}

type Replayer = ReturnType<typeof createReplayer>

const createReplayer = (database: Database, { journal, database: name }: Names, options: OutboxOptions) => {
  const { machine, onProblem } = options
  const runTransaction = createRunner(database)
  const reported = new Set<string>()
  // A different process, or an earlier command, may have saved some.
  let isPending = true
  let running: Promise<void> | undefined

  const report = (problem: string, isRecorded: boolean): void => {
    if (!reported.has(problem)) onProblem(problem, isRecorded)
    reported.add(problem)
  }

  const replayEvent = async (kept: KeptEvent): Promise<void> => {
    const { number, event } = kept
    if (event === undefined) {
      report(`the saved outcome ${number} in ${machine.file} is damaged`, false)
      return
    }
    if (!isOutcome(event)) await database.transaction((access) => replayReveals(access, event))
    else if (!(await replayOutcome(runTransaction, event))) {
      report(
        `the journal does not contain the ${event.operation} of ${event.name} whose outcome was saved`,
        false,
      )
      return
    }
    try {
      await removeEvent(machine, kept)
    } catch (error) {
      // The next command writes it again, which changes nothing.
      report(`a saved outcome was recorded, but not removed: ${getErrorReason(error)}`, true)
    }
  }

  const replayAll = async (): Promise<void> => {
    // An outcome that is saved meanwhile sets it again.
    isPending = false
    try {
      for (const kept of listEvents(machine, [journal, name])) await replayEvent(kept)
    } catch (error) {
      isPending = true
      throw error
    }
  }

  const replay = async (): Promise<void> => {
    if (!isPending) return running
    running ??= replayAll().finally(() => {
      running = undefined
    })
    return running
  }

  return {
    replay,
    save: async (outcome: KeptOutcome): Promise<void> => {
      await keepEvent(machine, outcome)
      isPending = true
    },
    /** Until the saved outcomes are written, a statement would not see them. */
    database: {
      ...database,
      all: (sql, values) => replay().then(() => database.all(sql, values)),
      run: (sql, values) => replay().then(() => database.run(sql, values)),
      transaction: (work) => replay().then(() => database.transaction(work)),
    } satisfies Database,
  }
}

const keepOutcomes = (
  calls: Calls,
  { journal, address }: Names,
  { onSaved, replay, save: saveOutcome, database }: OutboxOptions & Replayer,
): Calls => {
  const reported = new Set<number>()

  const toOutcome = (started: StartedCall, ended: Ended, at: number): KeptOutcome => {
    const { order, call, startedAt } = started
    const name = 'orderId' in ended.end ? ended.end.orderId : started.name
    return { journal, address, name, order, call, startedAt, at, ...ended }
  }

  const begin = <Start>(operation: KeptOutcome['operation'], start: Promise<Start>): Promise<Start> =>
    start.catch(async (error) => {
      const begun = error instanceof UnknownCommit ? error.result : undefined
      // The intent may be recorded, and nothing was sent. Otherwise, the call would stay open until it is settled.
      if (isStarted(begun)) {
        const outcome = toOutcome(begun, { operation, end: { outcome: 'not-sent' } }, begun.startedAt)
        try {
          await saveOutcome({ ...outcome, isUncertain: true })
        } catch {
          // The original error explains more.
        }
      }
      throw error
    })

  /** Returns whether the journal contains the outcome now. */
  const save = async (started: StartedCall, ended: Ended, at: number): Promise<boolean> => {
    const outcome = toOutcome(started, ended, at)
    await saveOutcome(outcome)
    try {
      // The server may accept a new connection at once.
      await replay()
      return true
    } catch {
      if (!reported.has(started.call)) onSaved(outcome.name)
      reported.add(started.call)
      return false
    }
  }

  /** Throws the journal's error if it is a defect, or the outcome cannot be saved either. */
  const keep = <Result>(recorded: Promise<Result>, saveInstead: () => Promise<Result>): Promise<Result> =>
    recorded.catch((error) => {
      if (!(error instanceof Failure)) throw error
      return saveInstead().catch(() => Promise.reject(error))
    })

  return {
    beginCreate: (intent) => begin('create', calls.beginCreate(intent)),
    beginConfirm: (intent) => begin('confirm', calls.beginConfirm(intent)),
    endCreate: (started, end, at, split) =>
      keep(calls.endCreate(started, end, at, split), async () => {
        const isRecorded = await save(started, { operation: 'create', end }, at)
        if (!isRecorded || !('orderId' in end)) return []
        return findOthersById({ ...database, ...noCaller }, started.order, end.orderId).catch(() => [])
      }),
    endConfirm: (started, end, at) =>
      keep(calls.endConfirm(started, end, at), async () => {
        await save(started, { operation: 'confirm', end }, at)
      }),
    recordConfirmedOrder: (started, update) =>
      keep(calls.recordConfirmedOrder(started, update), async () => {
        const { at, ...found } = update
        await save(started, { operation: 'confirm', end: { outcome: 'unknown' }, found }, at)
      }),
  }
}

/** Returns false if the journal does not contain the call, but must. */
const replayOutcome = (runTransaction: Run, outcome: KeptOutcome): Promise<boolean> =>
  runTransaction(async (access) => {
    const { order, call, at } = outcome
    const known = (await lockOrder(access, order))?.calls.find(({ number }) => number === call)
    const isKnown = known?.operation === outcome.operation && known.startedAt === outcome.startedAt
    if (!isKnown) return outcome.isUncertain === true
    if (outcome.operation === 'create') {
      await applyFact(access, order, { kind: 'create-ended', call, at, ...outcome.end })
      return true
    }
    await applyFact(access, order, { kind: 'confirm-ended', call, at, ...outcome.end })
    // Recorded last, because it may prove more than the response.
    if (outcome.found !== undefined) await applyFact(access, order, { kind: 'seen', at, ...outcome.found })
    return true
  })

/** Does nothing for reveals that are in the journal: a command may end before it deletes the file. */
const replayReveals = async (access: Statements, { by, reveals }: KeptReveals): Promise<void> => {
  const { role, user: osUser, host } = by
  const actor = await getOrAddActor(access, 'CAST($role AS TEXT)', { role, osUser, host })
  for (const reveal of reveals) await insertReveal(access, reveal, actor, { unlessKnown: true })
}
