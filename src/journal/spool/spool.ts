// The folder of outcomes and reveals that a shared journal could not record. Each file is complete or missing.
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { getErrorReason, makeFolder, syncFolder, writeDurably } from '../../files.ts'
import type { Actor } from '../actors.ts'
import type { ConfirmEnd, CreateEnd } from '../calls.ts'
import type { OrderUpdate } from '../observations.ts'
import type { Reveal } from '../reveals.ts'
import { reveals as revealsTable } from '../tables/orders.ts'
import { isAmount, isTime } from '../tables/sql.ts'

export type SpoolFile = {
  readonly path: string
  readonly outcome?: SpooledOutcome
  readonly reveals?: SpooledReveals
  /** Why there is neither. Follows the path. */
  readonly problem?: string
}

/** Its folder is created at the first outcome. */
export type Spool = {
  /** When this returns, the outcome or the reveals are on disk. */
  readonly save: (outcome: SpooledOutcome | SpooledReveals) => void
  /** The oldest outcome first. */
  readonly list: () => SpoolFile[]
  /** Does nothing if another process has removed it. Throws if it cannot be removed. */
  readonly remove: (file: SpoolFile) => void
}

const ending = '.json'

export const createSpool = (folder: string): Spool => ({
  save: (outcome) => {
    makeFolder(folder, 0o700)
    // Sorted by name, the outcomes are in the order of their times.
    const call = 'call' in outcome ? outcome.call : 'reveals'
    const name = `${String(outcome.at).padStart(15, '0')}-${call}-${randomUUID()}`
    writeDurably(path.join(folder, `${name}${ending}`), Buffer.from(`${JSON.stringify(outcome)}\n`))
    syncFolder(path.dirname(folder))
  },

  list: () => {
    try {
      return listNames(folder).flatMap((name) => readOutcome(path.join(folder, name)) ?? [])
    } catch (error) {
      return [{ path: folder, problem: describeFailedRead(error) }]
    }
  },

  remove: (file) => {
    rmSync(file.path, { force: true })
    syncFolder(folder)
  },
})

const describeFailedRead = (error: unknown): string => `cannot be read: ${getErrorReason(error)}`

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'

const listNames = (folder: string): string[] => {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(ending) && !name.startsWith('.'))
      .sort()
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

/** Undefined if another process has removed the file. */
const readOutcome = (file: string): SpoolFile | undefined => {
  try {
    const text = readFileSync(file, 'utf8')
    const outcome = parseOutcome(text)
    if (outcome !== undefined) return { path: file, outcome }
    const reveals = parseReveals(text)
    return { path: file, ...(reveals === undefined ? { problem: 'is damaged' } : { reveals }) }
  } catch (error) {
    return isMissing(error) ? undefined : { path: file, problem: describeFailedRead(error) }
  }
}

export type SpooledOutcome = {
  /** The id of the journal (see SharedState). */
  readonly journal: string
  /** The address of the journal, for people who read the file. */
  readonly address: string
  /** The order id, or the reference of an order without one. */
  readonly name: string
  /** The numbers of the order and the call in the journal. */
  readonly order: number
  readonly call: number
  /** When the call was recorded. A restored backup may have given its number to another call. */
  readonly startedAt: number
  readonly at: number
  /** The connection was lost while the intent was committed, so the journal may not have the call. Nothing was sent. */
  readonly isUncertain?: boolean
} & (
  | { readonly operation: 'create'; readonly end: CreateEnd }
  | {
      readonly operation: 'confirm'
      readonly end: ConfirmEnd
      /** What `get` showed afterwards. */
      readonly found?: Omit<OrderUpdate, 'at'>
    }
)

type Fields = Readonly<Record<string, unknown>>

const toFields = (found: unknown): Fields =>
  typeof found === 'object' && found !== null ? (found as Fields) : {}

const isText = (value: unknown): boolean => typeof value === 'string'
const isFlag = (value: unknown): boolean => typeof value === 'boolean'
// The constraints of the database refuse other values.
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0
const isMissingOr = (is: (value: unknown) => boolean, value: unknown): boolean =>
  value === undefined || is(value)

/** Undefined if the text is not an outcome that orderctl wrote. */
export const parseOutcome = (text: string): SpooledOutcome | undefined => {
  let found: unknown
  try {
    found = JSON.parse(text)
  } catch {
    return undefined
  }
  const fields = toFields(found)
  const isComplete =
    [fields.journal, fields.address, fields.name].every(isText) &&
    [fields.order, fields.call].every(isCount) &&
    [fields.startedAt, fields.at].every(isTime) &&
    isMissingOr(isFlag, fields.isUncertain) &&
    isEnd(fields.operation, toFields(fields.end)) &&
    isMissingOr(isFound, fields.found)
  return isComplete ? (found as SpooledOutcome) : undefined
}

const isFound = (value: unknown): boolean => {
  const { state, hasCards, total, isInOtherCurrency, products } = toFields(value)
  return (
    isText(state) &&
    isMissingOr(isFlag, hasCards) &&
    isMissingOr(isAmount, total) &&
    isMissingOr(isFlag, isInOtherCurrency) &&
    isMissingOr(isText, products)
  )
}

const isEnd = (operation: unknown, end: Fields): boolean => {
  const isResponse =
    ['done', 'not-sent', 'refused', 'unknown'].includes(String(end.outcome)) &&
    isMissingOr(isCount, end.status) &&
    isMissingOr(isText, end.refusal)
  if (operation !== 'create') return operation === 'confirm' && isResponse
  const hasFacts =
    isText(end.orderId) &&
    isMissingOr(isAmount, end.total) &&
    isMissingOr(isText, end.products) &&
    [end.createdAt, end.expiresAt].every(isTime)
  return isResponse && (hasFacts || (end.orderId === undefined && end.outcome !== 'done'))
}

export type SpooledReveals = {
  /** The database of the journal (see nameDatabase). The journal could not be asked for its id. */
  readonly database: string
  /** The address of the journal, for people who read the file. */
  readonly address: string
  readonly at: number
  readonly by: Omit<Actor, 'writtenBy'>
  readonly reveals: readonly Reveal[]
}

const isReveal = (found: unknown): boolean => {
  const { profile, origin, orderId, skus, at, who, how } = (found ?? {}) as Record<string, unknown>
  return (
    [profile, origin, orderId, who].every((value) => typeof value === 'string') &&
    (revealsTable.columns.how.words as readonly unknown[]).includes(how) &&
    isTime(at) &&
    Array.isArray(skus) &&
    skus.every((sku) => typeof sku === 'string')
  )
}

const isActor = (found: unknown): boolean => {
  const { role, user, host } = (found ?? {}) as Record<string, unknown>
  return [role, user, host].every((value) => typeof value === 'string')
}

/** Undefined if the text is not what orderctl wrote. */
export const parseReveals = (text: string): SpooledReveals | undefined => {
  let found: Partial<SpooledReveals> | null
  try {
    found = JSON.parse(text)
  } catch {
    return undefined
  }
  const { database, address, at, by, reveals } = found ?? {}
  const isComplete =
    [database, address].every((value) => typeof value === 'string') &&
    isTime(at) &&
    isActor(by) &&
    Array.isArray(reveals) &&
    reveals.every(isReveal)
  return isComplete ? (found as SpooledReveals) : undefined
}
