// The folder of outcomes and reveals that a shared journal could not record. They have no code and no key. Each file is
// complete or missing.
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

export type SpooledReveals = {
  /** The database of the journal (see nameDatabase). The journal could not be asked for its id. */
  readonly database: string
  /** The address of the journal, for people who read the file. */
  readonly address: string
  readonly at: number
  readonly by: Omit<Actor, 'writtenBy'>
  readonly reveals: readonly Reveal[]
}

export type SpoolFile = {
  readonly path: string
  readonly outcome?: SpooledOutcome | undefined
  readonly reveals?: SpooledReveals | undefined
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

  list: () =>
    ifPresent(folder, () =>
      readdirSync(folder)
        .filter((name) => name.endsWith(ending) && !name.startsWith('.'))
        .sort()
        .flatMap((name) => {
          const file = path.join(folder, name)
          return ifPresent(file, () => [parseFile(file, readFileSync(file, 'utf8'))])
        }),
    ),

  remove: (file) => {
    rmSync(file.path, { force: true })
    syncFolder(folder)
  },
})

/** Another process may have removed the file. */
const ifPresent = (file: string, read: () => SpoolFile[]): SpoolFile[] => {
  try {
    return read()
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    return isMissing ? [] : [{ path: file, problem: `cannot be read: ${getErrorReason(error)}` }]
  }
}

/** Neither, if the text is not what orderctl wrote. */
export const parseFile = (file: string, text: string): SpoolFile => {
  let found: unknown
  try {
    found = JSON.parse(text)
  } catch {
    // Damaged.
  }
  if (isOutcome(found)) return { path: file, outcome: found as SpooledOutcome }
  if (areReveals(found)) return { path: file, reveals: found as SpooledReveals }
  return { path: file, problem: 'is damaged' }
}

type Check = (value: unknown) => boolean

const isText: Check = (value) => typeof value === 'string'
const isFlag: Check = (value) => typeof value === 'boolean'
// The constraints of the database refuse other values.
const isCount: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0
const isNone: Check = (value) => value === undefined
const isOneOf =
  (...words: readonly unknown[]): Check =>
  (value) =>
    words.includes(value)
const optional =
  (is: Check): Check =>
  (value) =>
    value === undefined || is(value)
const listOf =
  (is: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(is)
const either =
  (...checks: readonly Check[]): Check =>
  (value) =>
    checks.some((is) => is(value))
/** An object whose fields pass their checks. */
const hasFields =
  (checks: Readonly<Record<string, Check>>): Check =>
  (value) => {
    if (typeof value !== 'object' || value === null) return false
    return Object.entries(checks).every(([name, is]) => is((value as Record<string, unknown>)[name]))
  }

const response = { status: optional(isCount), refusal: optional(isText) }
const created = {
  ...response,
  orderId: isText,
  total: optional(isAmount),
  products: optional(isText),
  createdAt: isTime,
  expiresAt: isTime,
}
const saved = {
  journal: isText,
  address: isText,
  name: isText,
  order: isCount,
  call: isCount,
  startedAt: isTime,
  at: isTime,
  isUncertain: optional(isFlag),
}
const endings = ['not-sent', 'refused', 'unknown']
const found = {
  state: isText,
  hasCards: optional(isFlag),
  total: optional(isAmount),
  isInOtherCurrency: optional(isFlag),
  products: optional(isText),
}

const isOutcome = either(
  hasFields({
    ...saved,
    operation: isOneOf('create'),
    end: either(
      hasFields({ ...created, outcome: isOneOf('done', ...endings) }),
      hasFields({ ...response, outcome: isOneOf(...endings), orderId: isNone }),
    ),
  }),
  hasFields({
    ...saved,
    operation: isOneOf('confirm'),
    end: hasFields({ ...response, outcome: isOneOf('done', ...endings) }),
    found: optional(hasFields(found)),
  }),
)

const areReveals = hasFields({
  database: isText,
  address: isText,
  at: isTime,
  by: hasFields({ role: isText, user: isText, host: isText }),
  reveals: listOf(
    hasFields({
      profile: isText,
      origin: isText,
      orderId: isText,
      skus: listOf(isText),
      at: isTime,
      who: isText,
      how: isOneOf(...revealsTable.columns.how.words),
    }),
  ),
})
