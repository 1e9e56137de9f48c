// Turns the values of one row into a row of the batch, or reports everything that is wrong with it.
import { parseDecimal } from '../../../contract/decimal.ts'
import { writeJson } from '../../../contract/json.ts'
import { allowedValues, describeLabel, isLabel } from '../../../contract/limits.ts'
import { toDecimal } from '../../../contract/shape.ts'
import { formatGiven, formatViolation } from '../../../contract/violations.ts'
import { type BatchRow, batchLimits } from '../../../operations/batch/plan/rows.ts'
import { findProductProblems, type ProductProblem } from '../../shared/products/check-product.ts'
import type { ProductList } from '../../shared/products/product-list.ts'
import type { Columns, Field } from './columns.ts'
import type { RowProblem } from './row-problems.ts'

/** Values are the texts of CSV cells, or JSON. */
export type RowReader = (line: number, values: readonly unknown[]) => BatchRow | undefined

export type RowChecks = {
  /** Gets what makes a row invalid. */
  readonly invalid: RowProblem[]
  /** Gets valid products that the account does not sell. */
  readonly unsold: RowProblem[]
  /** Undefined if the products of the account are not known. */
  readonly list: ProductList | undefined
}

export const createRowReader = (
  { indexOf, headers, others }: Columns,
  kind: RowProblem['kind'],
  { invalid, unsold, list }: RowChecks,
): RowReader => {
  const readers = createFieldReaders()
  const fieldIndexes = Object.values(indexOf)
    .filter((index) => index !== -1)
    .sort((one, other) => one - other)
  const findProblems = list === undefined ? undefined : createProblemFinder(list)
  const refuse = (
    number: number,
    path: string,
    value: unknown,
    allowed: string,
    problems = invalid,
  ): void => {
    const given = isBlank(value) ? undefined : formatGiven(value)
    problems.push({ kind, number, text: formatViolation({ path, allowed, given }) })
  }
  const readField = <Out>(
    field: Field,
    { parse, allowed, whenBlank }: FieldReader<Out>,
    line: number,
    values: readonly unknown[],
  ): Out | undefined => {
    const index = indexOf[field]
    const value = values[index]
    if (isBlank(value) && whenBlank !== undefined) return whenBlank
    const text = readText(value)?.trim()
    const read = text === undefined || text === '' ? undefined : parse(text)
    if (read === undefined) refuse(line, headers[index] ?? field, value, allowed(text ?? ''))
    return read
  }
  const hasExtra = (line: number, values: readonly unknown[]): boolean => {
    const index = values.findIndex((value, at) => (headers[at] ?? '') === '' && !isBlank(value))
    if (index === -1) return false
    refuse(line, `column ${index + 1}`, values[index], 'nothing, because the column has no header')
    return true
  }
  return (line, values) => {
    const sku = readField('sku', readers.sku, line, values)
    const quote = readField('quote', readers.quote, line, values)
    const quantity = readField('quantity', readers.quantity, line, values)
    const type = readField('productType', readers.productType, line, values)
    if (hasExtra(line, values)) return undefined
    if (sku === undefined || quote === undefined || quantity === undefined || type === undefined) {
      return undefined
    }
    const productType = type === '' ? (list?.products.get(sku)?.productType ?? 'fixed') : type
    for (const { part, allowed } of findProblems?.({ sku, quote, productType }) ?? []) {
      const index = indexOf[part]
      refuse(line, headers[index] ?? part, values[index], allowed, unsold)
    }
    const cells = others.map((index) => formatCell(values[index]))
    const row = { line, sku, quote, productType, quantity, cells }
    const given = fieldIndexes.map((index) => formatCell(values[index]))
    const normal = new Map([
      [indexOf.sku, sku],
      [indexOf.quote, quote.toFixed()],
      [indexOf.quantity, String(quantity)],
      [indexOf.productType, productType],
    ])
    return fieldIndexes.every((index, at) => normal.get(index) === given[at]) ? row : { ...row, given }
  }
}

/** A batch has many rows and few products. */
const createProblemFinder = (list: ProductList) => {
  const known = new Map<string, readonly ProductProblem[]>()
  return (product: Pick<BatchRow, 'sku' | 'quote' | 'productType'>): readonly ProductProblem[] => {
    const key = `${product.sku}\n${product.productType}\n${product.quote.toFixed()}`
    const found = known.get(key) ?? findProductProblems(list, product)
    known.set(key, found)
    return found
  }
}

type FieldReader<Out> = {
  readonly parse: (text: string) => Out | undefined
  /** What is allowed, for an error about this text. */
  readonly allowed: (text: string) => string
  readonly whenBlank?: Out
}

const createFieldReaders = () => {
  const parseLabel = shareResults((text) => (isLabel(text) ? text : undefined))
  const parseQuote = shareResults((text) => {
    const quote = parseDecimal(text)
    return quote?.gt('0') === true ? quote : undefined
  })
  const createLabel = (what: string) => ({ parse: parseLabel, allowed: () => describeLabel(what) })
  return {
    sku: createLabel(allowedValues.sku),
    quote: { parse: parseQuote, allowed: describeQuote },
    quantity: { parse: parseQuantity, allowed: () => wholeQuantity, whenBlank: 1 },
    productType: { ...createLabel(allowedValues.productType), whenBlank: '' },
  }
}

const wholeQuantity = `a whole number from 1 to ${batchLimits.cards}`

const parseQuantity = (text: string): number | undefined => {
  const quantity = Number(parseDecimal(text)?.toFixed())
  return Number.isInteger(quantity) && quantity >= 1 && quantity <= batchLimits.cards ? quantity : undefined
}

const describeQuote = (text: string): string =>
  text.includes(',')
    ? `${allowedValues.quote}, with a dot as the decimal separator, such as 25.00`
    : `${allowedValues.quote}, such as 25 or 12.50`

/** Returns the same object for the same text: products repeat, and a batch may have 100,000 rows. */
const shareResults = <Out>(parse: (text: string) => Out | undefined) => {
  const known = new Map<string, Out | undefined>()
  return (text: string): Out | undefined => {
    const found = known.get(text)
    if (found !== undefined) return found
    const parsed = parse(text)
    known.set(text, parsed)
    return parsed
  }
}

const isBlank = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '')

/** The exact text of a number. Undefined for any other value that is not text. */
const readText = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : toDecimal(value)?.toFixed()

/** A value of a column that orderctl only keeps. */
const formatCell = (value: unknown): string => {
  if (value === undefined || value === null) return ''
  return (readText(value) ?? writeJson(value)).toWellFormed()
}
