// The outcomes that a shared journal could not record: kept in the machine file, without codes and keys, and
// written to the journal later, also those of a different command. Several processes may do so at once.

import { object, readAs, refine, textShape, wholeNumber } from '../../contract/shape.ts'
import { UnknownCommit } from '../../postgres/failure.ts'
import { createRunner, type Run } from '../access.ts'
import type { Database } from '../database/database.ts'
import { type CallFact, toUnsent } from '../orders/apply.ts'
import { type Call, isStarted, type StartedCall } from '../orders/entries.ts'
import { applyFact, lockOrder } from '../orders/write-order.ts'
import type { Machine } from './machine-file.ts'

export type KeptOutcome = {
  /** The journal's id (see SharedState). */
  readonly journal: string
  readonly address: string
  /** The order id, or the reference of an order without one. */
  readonly name: string
  /** The numbers of the order and the call in the journal. */
  readonly order: number
  readonly call: number
  readonly operation: Call['operation']
  /** When the call was recorded. A restored backup may have given its number to a different call. */
  readonly startedAt: number
  readonly fact: CallFact
  /**
   * The connection was lost while the intent was committed, so the journal may not contain the call. Nothing was sent.
   */
  readonly isUncertain?: boolean
}

/** `event`: undefined if its row is damaged. */
export type KeptEvent = { readonly number: number; readonly event: KeptOutcome | undefined }

/** When this resolves, the event is on disk. */
export const keepEvent = (machine: Machine, event: KeptOutcome): Promise<unknown> =>
  machine.write((database) =>
    database
      .prepare('INSERT INTO outbox (journal, event) VALUES (?, ?)')
      .run(event.journal, JSON.stringify(event)),
  )

/** The oldest first. `journal`: the id of the only journal whose events are listed. */
export const listEvents = (machine: Machine, journal?: string): readonly KeptEvent[] =>
  machine.read((database) =>
    database
      .prepare('SELECT number, event FROM outbox WHERE journal = coalesce(?, journal) ORDER BY number')
      .all(journal ?? null)
      .map(({ number, event }) => ({ number: Number(number), event: readEvent(String(event)) })),
  ) ?? []

const kinds: readonly string[] = ['create-ended', 'confirm-ended', 'seen'] satisfies CallFact['kind'][]
const outcomeShape = object({
  ...{ journal: textShape, address: textShape, name: textShape, operation: textShape },
  ...{ order: wholeNumber, call: wholeNumber, startedAt: wholeNumber },
  fact: object({ kind: refine(textShape, (kind) => kinds.includes(kind), ''), at: wholeNumber }),
})

/** Undefined if it is damaged. Every command would fail if the journal refused such a row. */
const readEvent = (written: string): KeptOutcome | undefined => {
  try {
    const event = JSON.parse(written)
    const { issues } = readAs<unknown>(outcomeShape, event)
    return issues === undefined ? event : undefined
  } catch {
    return undefined
  }
}

export type OutboxOptions = {
  readonly machine: Machine
  /** Called once a call, with the order id, or with the reference of an order without one. */
  readonly onSaved: (name: string) => void
  /** Called once for each event that stays in the file, because the journal does not contain its call. */
  readonly onProblem: (problem: string) => void
}

/** How the machine file names the journal. */
type Names = Pick<KeptOutcome, 'journal' | 'address'>

/** Keeps what became of calls on this machine. */
export type Outbox = {
  /** Keeps 'not sent' if `error` says that the intent may be recorded. Otherwise the call would stay open. */
  readonly keepIntent: (error: unknown) => Promise<void>
  /** Returns whether the journal could record it after all. */
  readonly keep: (call: StartedCall, fact: CallFact) => Promise<boolean>
}

const deleteEvent = 'DELETE FROM outbox WHERE number = ?'

/** Writes what earlier commands could not record. Throws if the journal cannot be written. */
export const openOutbox = async (
  database: Database,
  { journal, address }: Names,
  { machine, onSaved, onProblem }: OutboxOptions,
): Promise<{ readonly database: Database; readonly outbox: Outbox }> => {
  const runTransaction = createRunner(database)
  /** Problems, and the numbers of calls. */
  const reported = new Set<string | number>()
  // A different process, or an earlier command, may have saved some.
  let isPending = true
  let running: Promise<void> | undefined

  const report = (problem: string): void => {
    if (!reported.has(problem)) onProblem(problem)
    reported.add(problem)
  }

  const replayEvent = async ({ number, event }: KeptEvent): Promise<void> => {
    if (event === undefined) report(`the saved outcome ${number} in ${machine.file} is damaged`)
    else if (!(await replayOutcome(runTransaction, event)))
      report(`the journal does not contain the ${event.operation} of ${event.name} whose outcome was saved`)
    // If this fails, the next command writes it again, which changes nothing.
    else await machine.write((file) => file.prepare(deleteEvent).run(number)).catch(() => {})
  }

  const replayAll = async (): Promise<void> => {
    // An outcome that is saved meanwhile sets it again.
    isPending = false
    try {
      for (const kept of listEvents(machine, journal)) await replayEvent(kept)
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

  /** Returns the name of the order. */
  const save = async (started: StartedCall, fact: CallFact, isUncertain?: boolean): Promise<string> => {
    const { operation, order, call, startedAt } = started
    const name = 'orderId' in fact ? fact.orderId : started.name
    await keepEvent(machine, {
      ...{ journal, address, name, order, call, operation, startedAt, fact },
      ...(isUncertain && { isUncertain }),
    })
    isPending = true
    return name
  }

  await replay()
  return {
    /** Until the saved outcomes are written, a statement would not see them. */
    database: {
      ...database,
      all: (sql, values) => replay().then(() => database.all(sql, values)),
      transaction: (work) => replay().then(() => database.transaction(work)),
    },
    outbox: {
      keepIntent: async (error) => {
        const begun = error instanceof UnknownCommit ? error.result : undefined
        // If this fails, the original error explains more.
        if (isStarted(begun)) await save(begun, toUnsent(begun), true).catch(() => {})
      },
      keep: async (started, fact) => {
        const name = await save(started, fact)
        try {
          // The server may accept a new connection at once.
          await replay()
          return true
        } catch {
          if (!reported.has(started.call)) onSaved(name)
          reported.add(started.call)
          return false
        }
      },
    },
  }
}

/** Returns false if the journal does not contain the call, but must. */
const replayOutcome = (runTransaction: Run, outcome: KeptOutcome): Promise<boolean> =>
  runTransaction(async (access) => {
    const { order, call, fact } = outcome
    const known = (await lockOrder(access, order))?.calls.find(({ number }) => number === call)
    const isKnown = known?.operation === outcome.operation && known.startedAt === outcome.startedAt
    if (!isKnown) return outcome.isUncertain === true
    await applyFact(access, order, fact)
    return true
  })
