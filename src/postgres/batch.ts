// Statements that travel to PostgreSQL together, in one round trip.
import { Query, type QueryResult } from 'pg'

export type Statement = { readonly text: string; readonly values: readonly (string | null)[] }

export type Callback = (error: Error | null, result: QueryResult) => void

/** The methods that pg calls. Its types omit them. */
type Wire = {
  parse(message: { readonly text: string }): void
  bind(message: object): void
  execute(message: object): void
}
type PgQuery = {
  prepare(wire: Wire): void
  handleCommandComplete(message: unknown, wire: Wire): void
  handleDataRow(message: unknown): void
}
const PgQuery = Query as unknown as new (config: object, callback: Callback) => PgQuery

/**
 * Up to the end of the batch, PostgreSQL treats its statements as one: if one fails, it skips the rest. Without a BEGIN
 * in it, the batch is a transaction.
 */
class Batch extends PgQuery {
  readonly #before: readonly string[]
  #pending: number

  constructor(statement: Statement, before: readonly string[], callback: Callback) {
    super({ ...statement, queryMode: 'extended' }, callback)
    this.#before = before
    this.#pending = before.length
  }

  override prepare(wire: Wire): void {
    for (const text of this.#before) {
      wire.parse({ text })
      wire.bind({})
      wire.execute({})
    }
    super.prepare(wire)
  }

  override handleCommandComplete(message: unknown, wire: Wire): void {
    if (this.#pending > 0) this.#pending -= 1
    else super.handleCommandComplete(message, wire)
  }

  override handleDataRow(message: unknown): void {
    if (this.#pending === 0) super.handleDataRow(message)
  }
}

/** The result is that of the statement. The results of `before` are dropped. */
export const createBatch = (statement: Statement, before: readonly string[], callback: Callback): Query =>
  new Batch(statement, before, callback) as unknown as Query
