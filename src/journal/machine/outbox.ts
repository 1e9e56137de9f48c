// The outcomes and reveals that a shared journal could not record, in the machine file. They contain no code and no
// key.
import { list, object, readAs, text, union, wholeNumber } from '../../contract/shape.ts'
import type { Actor } from '../actors.ts'
import type { CallFact } from '../orders/apply.ts'
import type { Call } from '../orders/entry.ts'
import type { Reveal } from '../orders/reveals.ts'
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

export type KeptReveals = {
  /** The database of the journal (see nameDatabase). The journal could not be asked for its id. */
  readonly database: string
  readonly address: string
  readonly at: number
  readonly by: Omit<Actor, 'writtenBy'>
  readonly reveals: readonly Reveal[]
}

type Event = KeptOutcome | KeptReveals

/** `event`: undefined if its row is damaged. */
export type KeptEvent = { readonly number: number; readonly event: Event | undefined }

export const isOutcome = (event: KeptOutcome | KeptReveals): event is KeptOutcome => 'call' in event

/** When this resolves, the event is on disk. */
export const keepEvent = (machine: Machine, event: KeptOutcome | KeptReveals): Promise<unknown> => {
  const journal = isOutcome(event) ? event.journal : event.database
  return machine.write((database) =>
    database.prepare('INSERT INTO outbox (journal, event) VALUES (?, ?)').run(journal, JSON.stringify(event)),
  )
}

/** The oldest first. `journals`: only one journal's events, by its id or database. */
export const listEvents = (machine: Machine, journals?: readonly string[]): readonly KeptEvent[] =>
  machine.read((database) =>
    database
      .prepare(
        'SELECT number, event FROM outbox WHERE $all OR journal IN (SELECT value FROM json_each($ids)) ORDER BY number',
      )
      .all({ all: journals === undefined ? 1 : 0, ids: JSON.stringify(journals ?? []) })
      .map(({ number, event }) => ({ number: Number(number), event: readEvent(String(event)) })),
  ) ?? []

const kinds: readonly string[] = ['create-ended', 'confirm-ended', 'seen'] satisfies CallFact['kind'][]
const outcomeShape = object({
  ...{
    journal: text,
    address: text,
    name: text,
    operation: text,
    fact: object({ kind: text, at: wholeNumber }),
  },
  ...{ order: wholeNumber, call: wholeNumber, startedAt: wholeNumber },
})
const revealsShape = object({
  ...{ database: text, address: text, at: wholeNumber, by: object({}) },
  reveals: list(object({ orderId: text, how: text })),
})

const readEvent = (written: string): Event | undefined => {
  try {
    const event = JSON.parse(written)
    const isIntact = readAs(union<unknown>([outcomeShape, revealsShape], ''), event).issues === undefined
    return isIntact && (!isOutcome(event) || kinds.includes(event.fact.kind)) ? event : undefined
  } catch {
    return undefined
  }
}

/** Does nothing if a different process has removed it. */
export const removeEvent = (machine: Machine, { number }: KeptEvent): Promise<unknown> =>
  machine.write((database) => database.prepare('DELETE FROM outbox WHERE number = ?').run(number))
