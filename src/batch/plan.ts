// The steps of `orderctl batch plan`: options → rows and name → plan → saved in the journal → shown. A plan packs the cards into as
// few orders as the documented limits allow. Its ids identify its rows and its products when they are given again.

import path from 'node:path'
import { accountOf } from '../app/account.ts'
import { journalsOf, ownerOf } from '../app/journals.ts'
import { formatOf, outputFor } from '../app/output/output.ts'
import { readProductList } from '../app/product-list.ts'
import { writeNote, writeProse } from '../app/terminal.ts'
import { builtin } from '../builtin.ts'
import { findAssistant } from '../cli/variables.ts'
import type { Context } from '../context.ts'
import type { AccountId } from '../contract/account-id.ts'
import { orderLimits } from '../contract/limits.ts'
import { formatDecimal } from '../contract/money/decimal.ts'
import { assistantPrefix } from '../contract/order/reference.ts'
import { Failure } from '../errors.ts'
import type { StoredPlan } from '../journal/batches/approvals.ts'
import {
  type Batch,
  canReplaceRows,
  type NewBatch,
  type SavedBatch,
  type StoredRow,
  saveBatch,
} from '../journal/batches/batches.ts'
import { listBatchRows } from '../journal/batches/cards.ts'
import type { Journal } from '../journal/journal.ts'
import type { Owner } from '../journal/orders/entries.ts'
import {
  type BatchRow,
  type BatchRows,
  batchNameForm,
  formatProductKey,
  isBatchName,
  normalizeBatchName,
  type RowProduct,
} from '../operations/batch-limits.ts'
import type { Account } from '../profiles/account.ts'
import type { Suggest } from '../text/suggest.ts'
import { compareTexts } from '../text/words.ts'
import { viewOf } from '../ui/terminal/view.ts'
import { listNames, readFields } from '../ui/text/result-fields.ts'
import { readBatchRows } from './input/read-file.ts'
import { formatNumbers } from './input/row-reader.ts'
import { renderPlan } from './print-batch.ts'
import { adviseBuy, type ColumnReading, plannedFields, renderReading } from './screens/batches.ts'
import type { PlanOptions } from './spec.ts'
import { findFaceValueIn, findFaceValues, summarizeBatch } from './summary.ts'

export const planBatch = async (context: Context, options: PlanOptions): Promise<void> => {
  const account = await accountOf(context, options, { needsKey: false })
  const { plan, reading, unsold } = await readPlan(context, account, options)
  if (unsold !== undefined) throw unsold
  const faceValues = await findFaceValues(context, account, plan.rows)
  await using journals = journalsOf(context, account, options)
  const journal = await journals.openOrCreate()
  const { batch, isNew, hasCancelled } = await savePlan(journal, plan, {
    at: journals.clock.now(),
    // A person may have read the rows already.
    replacesPlan:
      context.assistant === undefined &&
      (account.kind === 'sandbox' || findAssistant(context.environment) === undefined),
  })
  const { summary } = await summarizeBatch({ journal, batch })
  await outputFor(context, options).print({
    names: listNames(plannedFields),
    data: () => readFields(plannedFields, { batch, summary, faceValues, reading }),
    ids: [batch.name],
    screen: () => {
      const view = viewOf(context)
      const columns = reading === undefined ? '' : `${renderReading(reading, view)}\n`
      return `${renderPlan({ batch, summary, faceValues }, view)}${columns}`
    },
  })
  if (hasCancelled) writeNote(context, 'The earlier batch of this name bought nothing, and is cancelled\n')
  noteEqualRows(context, plan)
  if (formatOf(options) === 'screen') {
    const needed = findFaceValueIn(batch.wallet, faceValues)
    const done = isNew ? 'Nothing was sent' : 'This plan was saved earlier'
    const cap = batch.maxTotal ?? (needed && formatDecimal(needed))
    writeProse(context, `${done}. ${adviseBuy(batch, context.suggest, cap)}\n`)
  }
}

export type ReadPlan = {
  readonly plan: Plan
  /** Undefined without a file. */
  readonly reading: ColumnReading | undefined
  /** Says which products the account does not sell. */
  readonly unsold: Failure | undefined
}

export const readPlan = async (context: Context, account: Account, input: PlanOptions): Promise<ReadPlan> => {
  const name = readBatchName(input.name, input.file) ?? generateName(context)
  // `@last` skips batches with such a name, so it would mean an older batch.
  if (context.assistant === undefined && name.toLowerCase().startsWith(assistantPrefix)) {
    const problem = `the name ${JSON.stringify(name)} begins with ${assistantPrefix}, as the batches of an assistant do`
    throw createNameFailure(`${problem}; nothing was sent`)
  }
  const wallet = input.wallet ?? (account.kind === 'service' ? account.wallet : undefined)
  if (wallet === undefined) {
    throw new Failure('usage', 'the wallet is missing', {
      field: '--wallet',
      advice: 'Name the wallet to pay from, such as --wallet USD.',
    })
  }
  const list = await readProductList(context, account)
  const { rows, ...read } = await readBatchRows(context, { ...input, wallet }, list)
  return { plan: createPlan(rows, ownerOf(account), name, wallet), ...read }
}

const createNameFailure = (
  problem: string,
  advice = 'Choose another name, such as --name march-rewards.',
): Failure => new Failure('usage', problem, { field: '--name', advice })

const maxNotes = 5

/** A row that was pasted twice is bought twice. */
export const noteEqualRows = (context: Pick<Context, 'stderr'>, plan: Plan): void => {
  const equal = findEqualLines(plan)
  for (const lines of equal.slice(0, maxNotes)) {
    const all = lines.length === 2 ? 'both' : 'all'
    const numbers = lines.length === 2 ? lines.join(' and ') : formatNumbers(lines)
    writeNote(context, `Lines ${numbers} are equal; ${all} are bought\n`)
  }
  const more = equal.length - maxNotes
  if (more > 0) writeNote(context, `${more} more ${more === 1 ? 'set' : 'sets'} of equal lines\n`)
}

const generateName = ({ clock }: Context): string =>
  `batch-${new Date(clock.now()).toISOString().slice(0, 10)}-${clock.newId().replaceAll('-', '').slice(0, 6)}`

/** Undefined if the rows come from flags only, so that the caller generates a name. */
export const readBatchName = (name: string | undefined, file: string | undefined): string | undefined => {
  if (name !== undefined) {
    if (isBatchName(name)) return normalizeBatchName(name)
    throw createNameFailure(`--name is ${JSON.stringify(name)}; allowed: ${batchNameForm}`)
  }
  if (file === undefined) return undefined
  const advice =
    'Name the batch, such as --name march-rewards. The references of its orders begin with the name.'
  if (file === '-' || isPipe(file))
    throw createNameFailure('a batch from standard input or a pipe needs --name', advice)
  const fromFile = path.parse(file).name
  if (isBatchName(fromFile)) return normalizeBatchName(fromFile)
  const problem = `the file name ${JSON.stringify(fromFile)} is not a valid name for a batch`
  throw createNameFailure(`${problem}; allowed: ${batchNameForm}`, advice)
}

/** For `<(…)`, the shell makes a file with another name each time. */
const isPipe = (file: string): boolean => /^\/(dev|proc\/[^/]+)\/(fd\/|stdin$)/.test(file)

/** The cards of one SKU, quote and type. `next` is the index of its next card in the lines of all groups. */
type Group = { readonly sku: string; cards: number; next: number }

/**
 * A line holds up to five cards of one SKU, quote and type. An order holds up to five lines, each SKU once. So there
 * are at least as many orders as lines of one SKU, and as a fifth of all lines. No more are needed: the lines, sorted
 * by SKU, are dealt to that many orders in turn. So the lines of one SKU go to different orders.
 */
export const packRows = (rows: readonly (RowProduct & { readonly quantity: number })[]) => {
  const groups = new Map<string, Group>()
  const groupOf = rows.map((row) => {
    const key = formatProductKey(row)
    const group = groups.get(key) ?? { sku: row.sku, cards: 0, next: 0 }
    group.cards += row.quantity
    groups.set(key, group)
    return group
  })

  const linesBySku = new Map<string, number>()
  let lines = 0
  for (const group of [...groups.values()].sort((one, other) => compareTexts(one.sku, other.sku))) {
    const needed = Math.ceil(group.cards / orderLimits.quantityPerSku)
    group.next = lines * orderLimits.quantityPerSku
    linesBySku.set(group.sku, (linesBySku.get(group.sku) ?? 0) + needed)
    lines += needed
  }
  const least = Math.ceil(lines / orderLimits.skusPerOrder)
  const orders = linesBySku.values().reduce((most, ofSku) => Math.max(most, ofSku), least)

  /** The number of the order that buys each card. Cards follow the rows. Both numbers start at 0. */
  const orderOf = new Int32Array(rows.reduce((sum, { quantity }) => sum + quantity, 0))
  let card = 0
  for (const [index, group] of groupOf.entries()) {
    const end = card + (rows[index]?.quantity ?? 0)
    for (; card < end; card += 1) {
      orderOf[card] = Math.floor(group.next / orderLimits.quantityPerSku) % orders
      group.next += 1
    }
  }
  return { orders, orderOf }
}

type Plan = Omit<NewBatch, 'at'>

const createPlan = (rows: BatchRows, owner: Owner, name: string, wallet: string): Plan => {
  const { orders, orderOf } = packRows(rows.rows)
  return {
    ...owner,
    ...rows,
    ...{ name, wallet, lastSlot: orders },
    slotOf: (card) => (orderOf[card] ?? 0) + 1,
    id: identifyBatch(rows, owner.account, wallet),
    demand: identifyDemand(rows, owner.account, wallet),
  }
}

/** Returns the batch with this name. Throws if its rows differ. */
export const savePlan = async (
  journal: Journal,
  plan: Plan,
  { at, replacesPlan }: { readonly at: number; readonly replacesPlan: boolean },
): Promise<SavedBatch> => {
  const saved = await saveBatch(journal, { ...plan, at }, replacesPlan)
  if (saved.batch.id !== plan.id) throw await createOtherRowsFailure(journal, saved.batch, plan)
  return saved
}

const createOtherRowsFailure = async (journal: Journal, batch: Batch, plan: Plan): Promise<Failure> => {
  const { name, wallet, columns, startedAt } = batch
  const rows = await listBatchRows(journal.read, batch.number)
  const compared = compareRows({ columns, rows }, plan)
  const { columns: differing, isReordered } = compared
  const violations = [
    ...(wallet === plan.wallet ? [] : [`the wallet is ${plan.wallet}; in the batch: ${wallet}`]),
    ...differing.missing.map((column) => `the column '${column}' is missing now`),
    ...differing.added.map((column) => `the column '${column}' is new`),
    ...compared.added.map((row) => `${nameRow(row)}: ${describeRow(row)}; not in the batch`),
    ...compared.missing.map((row) => `${nameRow(row)} of the batch is missing now: ${describeRow(row)}`),
    ...(isReordered ? ['the rows are the same, but in a different order'] : []),
  ]
  // The id of a batch depends on the account, too.
  if (violations.length === 0) {
    const problem = `the batch ${name} already has these rows, but its account had a different name or address; nothing was sent`
    return new Failure('batch-exists', problem, {
      field: '--name',
      fix: (suggest) => suggest`batch show ${name}`,
      advice: (suggest) => `If it is the same account, continue the batch: ${suggest`batch run ${name}`}`,
    })
  }
  const { length } = plan.rows
  return new Failure(
    'batch-exists',
    `the batch ${name} already exists with different rows; nothing was sent`,
    {
      field: '--name',
      violations,
      advice:
        startedAt === undefined || (await canReplaceRows(journal.read, batch))
          ? 'The batch has bought nothing. Choose a different name, or plan the same input to replace its rows.'
          : (suggest) => adviseOtherName(name, length, length - compared.added.length, suggest),
    },
  )
}

/** Under a different name, the same rows would be bought a second time. */
const adviseOtherName = (name: string, rows: number, same: number, suggest: Suggest): string => {
  const flag = suggest.flags({ name: `${name}-2` })
  if (same === 0) return `To buy these rows, give the batch a different name: ${flag}`
  return same === rows
    ? `To continue the batch as it was planned: ${suggest`batch run ${name}`}. ${flag} would buy the same rows again.`
    : `Put only the other rows into a file of their own. ${flag} would buy all ${rows} rows, of which ${same} ${same === 1 ? 'is' : 'are'} already in the batch.`
}

/** The place of a row in its input. */
const nameRow = ({ line }: BatchRow): string => (line === 0 ? '--product' : `line ${line}`)

const describeRow = ({ sku, quote, quantity, productType, cells }: BatchRow): string => {
  const others = cells.filter((cell) => cell !== '').map((cell) => JSON.stringify(cell))
  return [`${quantity} x ${sku} at ${quote} (${productType})`, ...others].join(', ')
}

/** Rows are equal if their products and the columns that both sides use are. */
export const compareRows = (saved: BatchRows, given: BatchRows) => {
  const savedColumns = listUsedColumns(saved)
  const givenColumns = listUsedColumns(given)
  const common = savedColumns.filter((name) => givenColumns.includes(name))
  const [before, now] = [keyRows(saved, common), keyRows(given, common)]
  const [added, missing] = [subtractRows(now, before), subtractRows(before, now)]
  const isMoved = ({ key }: KeyedRow, index: number): boolean => key !== now[index]?.key
  return {
    /** Columns with values on one side only. */
    columns: {
      missing: savedColumns.filter((name) => !givenColumns.includes(name)),
      added: givenColumns.filter((name) => !savedColumns.includes(name)),
    },
    ...{ added, missing },
    isReordered: added.length + missing.length === 0 && before.some(isMoved),
  }
}

/** The columns with a value in any row. */
const listUsedColumns = ({ columns, rows }: BatchRows): string[] =>
  columns.filter((_, index) => rows.some(({ cells }) => (cells[index] ?? '') !== ''))

/** Equal rows have the same key. */
type KeyedRow = { readonly row: BatchRow; readonly key: string }

const keyRows = ({ columns, rows }: BatchRows, common: readonly string[]): KeyedRow[] => {
  const indexes = common.map((name) => columns.indexOf(name))
  return rows.map((row) => {
    const cells = indexes.map((index) => row.cells[index] ?? '')
    return { row, key: JSON.stringify([row.sku, row.productType, row.quote, row.quantity, cells]) }
  })
}

/** The rows that are left when each of the others takes one equal row away. */
const subtractRows = (rows: readonly KeyedRow[], others: readonly KeyedRow[]): BatchRow[] => {
  const counts = new Map<string, number>()
  for (const { key } of others) counts.set(key, (counts.get(key) ?? 0) + 1)
  return rows.flatMap(({ row, key }) => {
    const count = counts.get(key) ?? 0
    counts.set(key, count - 1)
    return count > 0 ? [] : [row]
  })
}

/** The lines of rows that are equal in every column, one list for each set of equal rows. Rows of flags have no lines. */
export const findEqualLines = (rows: BatchRows): number[][] => {
  const ofFile = keyRows(rows, rows.columns).filter(({ row }) => row.line !== 0)
  return [...Map.groupBy(ofFile, ({ key }) => key).values()]
    .filter((equal) => equal.length > 1)
    .map((equal) => equal.map(({ row }) => row.line))
}

/**
 * The id of the rows, in their order. It does not depend on the format of the file, the order of the columns, empty
 * columns or line numbers.
 */
export const identifyBatch = ({ columns, rows }: BatchRows, account: AccountId, wallet: string) => {
  const hash = createIncrementalHash(['rows', account, wallet])
  const named = [...columns.entries()].sort(([, one], [, other]) => compareTexts(one, other))
  for (const { sku, productType, quote, quantity, cells } of rows) {
    const parts = [sku, productType, quote, quantity]
    for (const [index, name] of named) {
      const cell = cells[index] ?? ''
      if (cell !== '') parts.push(name, cell)
    }
    hash.add(parts)
  }
  return `bat_${hash.finish()}`
}

/** The id of the demand: the number of cards of each product, without the other columns. */
export const identifyDemand = ({ rows }: Pick<BatchRows, 'rows'>, account: AccountId, wallet: string) => {
  const hash = createIncrementalHash(['demand', account, wallet])
  const byProduct = [...Map.groupBy(rows, formatProductKey)]
  for (const [key, same] of byProduct.sort(([one], [other]) => compareTexts(one, other)))
    hash.add([key, same.reduce((sum, { quantity }) => sum + quantity, 0)])
  return `dem_${hash.finish()}`
}

// Crockford's base 32: one case, no punctuation, and no letter that looks like a digit.
const digits = '0123456789abcdefghjkmnpqrstvwxyz'

/** 32 digits, which are 160 bits: to plan two batches with one id takes about 2^80 attempts. */
const formatHash = (hex: string): string =>
  BigInt(`0x${hex.slice(0, 40)}`)
    .toString(32)
    .padStart(32, '0')
    .replace(/./g, (digit) => digits.charAt(Number.parseInt(digit, 32)))

/** Hashes the values as lines of JSON, so that different values never give the same bytes. */
const createIncrementalHash = ([kind, { address, name }, wallet]: [string, AccountId, string]) => {
  const hash = builtin.crypto().createHash('sha256')
  const add = (values: readonly unknown[]) => void hash.update(`${JSON.stringify(values)}\n`)
  add([kind, address, name ?? null, wallet])
  return { add, finish: (): string => formatHash(hash.digest('hex')) }
}

type KnownPlan = Pick<Batch, 'id' | 'columns' | 'wallet'>

/** Whether the plan's id matches the rows. */
export const hasRows = (plan: KnownPlan, account: AccountId, rows: readonly StoredRow[]): boolean =>
  identifyBatch({ ...plan, rows }, account, plan.wallet) === plan.id

/** An approver sees only the rows, so each row must have exactly as many cards as it wants. */
export const isGenuinePlan = (plan: KnownPlan, account: AccountId, { rows, cardsOf }: StoredPlan): boolean =>
  hasRows(plan, account, rows) &&
  rows.length === cardsOf.size &&
  rows.every(({ row, quantity }) => cardsOf.get(row) === quantity)
