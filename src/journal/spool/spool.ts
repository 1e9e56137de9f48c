// The folder of outcomes and reveals that a shared journal could not record. They have no code and no key. Each file is
// complete or missing.
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { getErrorReason, makeFolder, syncFolder, writeDurably } from '../../files.ts'
import type { Actor } from '../actors.ts'
import type { ConfirmEnd, CreateEnd } from '../orders/calls.ts'
import type { OrderUpdate } from '../orders/observations.ts'
import type { Reveal } from '../orders/reveals.ts'
import { reveals as revealsTable } from '../tables/cards.ts'
import { isAmount, isTime } from '../tables/table.ts'

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

const ending = '.json'

/** Its folder is created at the first outcome. */
export const createSpool = (folder: string) => ({
  /** When this returns, the outcome or the reveals are on disk. */
  save: (saved: SpooledOutcome | SpooledReveals): void => {
    makeFolder(folder, 0o700)
    // Sorted by name, the outcomes are in the order of their times.
    const name = `${String(saved.at).padStart(15, '0')}-${'call' in saved ? saved.call : 'reveals'}-${randomUUID()}`
    writeDurably(path.join(folder, `${name}${ending}`), Buffer.from(`${JSON.stringify(saved)}\n`))
    syncFolder(path.dirname(folder))
  },

  /** The oldest outcome first. */
  list: (): SpoolFile[] =>
    ifPresent(folder, () =>
      readdirSync(folder)
        .filter((name) => name.endsWith(ending) && !name.startsWith('.'))
        .sort()
        .map((name) => path.join(folder, name))
        .flatMap((file) => ifPresent(file, () => [parseFile(file, readFileSync(file, 'utf8'))])),
    ),

  /** Does nothing if another process has removed it. Throws if it cannot be removed. */
  remove: (file: SpoolFile): void => {
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
  let saved: unknown
  try {
    saved = JSON.parse(text)
  } catch {
    // Damaged.
  }
  if (outcomes.some((shape) => hasShape(saved, shape)))
    return { path: file, outcome: saved as SpooledOutcome }
  if (hasShape(saved, reveals)) return { path: file, reveals: saved as SpooledReveals }
  return { path: file, problem: 'is damaged' }
}

type Check = (value: unknown) => boolean

const isText: Check = (value) => typeof value === 'string'
const isFlag: Check = (value) => typeof value === 'boolean'
// The constraints of the database refuse other values.
const isCount: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0
const isNone: Check = (value) => value === undefined
const is = (...words: readonly unknown[]): Check => words.includes.bind(words)

/** The fields of an object, or the elements of a list. A field whose name ends with '?' is optional. */
type Shape = Check | readonly [Shape] | { readonly [field: string]: Shape }

const hasShape = (value: unknown, shape: Shape): boolean => {
  if (typeof shape === 'function') return shape(value)
  if (typeof value !== 'object' || value === null) return false
  if (isList(shape)) return Array.isArray(value) && value.every((each) => hasShape(each, shape[0]))
  return Object.entries(shape).every(([name, each]) => {
    const field = (value as Record<string, unknown>)[name.replace('?', '')]
    return (field === undefined && name.endsWith('?')) || hasShape(field, each)
  })
}

const isList = (shape: object): shape is readonly [Shape] => Array.isArray(shape)

const response = { 'status?': isCount, 'refusal?': isText }
const created = {
  ...response,
  orderId: isText,
  'total?': isAmount,
  'products?': isText,
  'createdAt?': isTime,
  'expiresAt?': isCount,
}
const call = {
  journal: isText,
  address: isText,
  name: isText,
  order: isCount,
  call: isCount,
  startedAt: isTime,
  at: isTime,
  'isUncertain?': isFlag,
}
const found = {
  state: isText,
  isPaid: isFlag,
  'createdDate?': isCount,
  'serverTime?': isTime,
  'total?': isAmount,
  'isInOtherCurrency?': isFlag,
  'products?': isText,
}
const notDone = ['not-sent', 'refused', 'unknown']

const outcomes: readonly Shape[] = [
  { ...call, operation: is('create'), end: { ...created, outcome: is('done', ...notDone) } },
  { ...call, operation: is('create'), end: { ...response, outcome: is(...notDone), orderId: isNone } },
  {
    ...call,
    operation: is('confirm'),
    end: { ...response, outcome: is('done', ...notDone) },
    'found?': found,
  },
]

const reveals: Shape = {
  database: isText,
  address: isText,
  at: isTime,
  by: { role: isText, user: isText, host: isText },
  reveals: [
    {
      profile: isText,
      origin: isText,
      orderId: isText,
      skus: [isText],
      at: isTime,
      who: isText,
      how: is(...revealsTable.columns.how.words),
    },
  ],
}
