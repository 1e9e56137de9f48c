// Turns the values of one row into a row of the batch, or reports everything that is wrong with it. Reads numbers as
// spreadsheets write them: with a decimal comma, and with separators between thousands. Recognises totals below the rows,
// which must not be bought, nor be left out silently.

import { findProductProblems, type ProductList } from '../../app/product-list.ts'
import { writeJson } from '../../contract/json.ts'
import { allowedValues, describeLabel, isLabel } from '../../contract/limits.ts'
import {
  type Decimal,
  decimal,
  formatDecimal,
  getMinorDigits,
  isDecimal,
  parseDecimal,
  sum,
} from '../../contract/money/decimal.ts'
import { toDecimal } from '../../contract/shape.ts'
import { formatGiven, formatViolation } from '../../contract/violations.ts'
import { type BatchRow, batchLimits } from '../../operations/batch-limits.ts'
import { describeCount } from '../../ui/text/formats.ts'
import { type Columns, type Field, fields, fold } from './columns.ts'

type Style = ',' | '.'

/** Whole number, with the separator of its thousands; decimal separator; decimals. */
const form = /^(\d+|\d{1,3}(?:([.,'\u2019 \u00a0\u202f])\d{3})(?:\2\d{3})*)(?:([.,])(\d+))?$/

type NumberRead =
  | {
      readonly plain: string
      /** Undefined if the number shows none. */
      readonly style?: Style
    }
  /** It can be either. */
  | { readonly either: readonly [whole: string, decimal: string] }

/** A text of any other form is returned as it is. */
const readForm = (text: string, hasThreeDecimals: boolean): NumberRead => {
  const [, written, thousands, style, decimals] = form.exec(text) ?? []
  if (written === undefined || (style !== undefined && style === thousands)) return { plain: text }
  const whole = written.replaceAll(/\D/g, '')
  if (style === undefined || decimals === undefined) {
    const other = thousands === '.' ? ',' : thousands === ',' ? '.' : undefined
    return { plain: whole, ...(other && { style: other }) }
  }
  const plain = `${whole}.${decimals}`
  const looksLikeThousands = decimals.length === 3 && thousands === undefined && /^[1-9]\d{0,2}$/.test(whole)
  return looksLikeThousands && !hasThreeDecimals
    ? { either: [`${whole}${decimals}`, plain] }
    : { plain, style: style as Style }
}

type NumberReader = {
  /** `plain`: the number with a dot. `allowed`: why it is refused. */
  (
    line: number,
    text: string,
    hasThreeDecimals: boolean,
  ): { readonly plain: string } | { readonly allowed: string }
  readonly isLocal: boolean
  readonly style: () => Style | undefined
}

/** All numbers of a file have one decimal separator: with `isLocal` any, otherwise a dot, without thousands. */
export const createNumberReader = (isLocal: boolean): NumberReader => {
  let first: { readonly style: Style; readonly line: number; readonly text: string } | undefined
  const read = (line: number, text: string, hasThreeDecimals: boolean) => {
    const number = readForm(text, hasThreeDecimals)
    if ('either' in number) {
      const [whole, decimal] = number.either
      return { allowed: `${whole} or ${decimal}0, because ${text} can be either` }
    }
    if (!isLocal) return { plain: text }
    const { plain, style } = number
    if (style === undefined) return { plain }
    first ??= { style, line, text }
    if (style === first.style) return { plain }
    const name = first.style === ',' ? 'comma' : 'dot'
    return { allowed: `a decimal ${name} as in line ${first.line} (${first.text}): a file uses one style` }
  }
  return Object.assign(read, { isLocal, style: () => first?.style })
}

/** In English, German, French, Spanish, Italian and Dutch. */
const totals =
  /^(grand |sub ?|zwischen|end|gesamt|sous |eind)?(totals?|sum|summe|gesamt|insgesamt|somme|totale|suma|totaal|som|montante)( general| generale| geral)?$/

const createTotalsCheck = ({ indexOf, headers }: Columns) => {
  let [rows, cards] = [0, 0]
  /** How many rows and cards have each quote: a batch has many rows and few prices. */
  const counts = new Map<string, { rows: number; cards: number }>()
  const addUp = (countOf: (count: { rows: number; cards: number }) => number): Decimal =>
    sum([...counts].map(([quote, count]) => decimal(quote).times(decimal(String(countOf(count))))))
  return {
    add: ({ quote, quantity }: Pick<BatchRow, 'quote' | 'quantity'>): void => {
      const count = counts.get(quote) ?? { rows: 0, cards: 0 }
      counts.set(quote, { rows: count.rows + 1, cards: count.cards + quantity })
      rows += 1
      cards += quantity
    },
    /** Whether a row is named as a total, or has no SKU and the sum of a column. */
    isTotal: (text: (index: number) => string): boolean => {
      const sku = text(indexOf.sku)
      if (sku !== '') return totals.test(fold(sku))
      const cells = [...headers.keys()].map(text).filter((cell) => cell !== '')
      if (cells.some((cell) => totals.test(fold(cell)))) return true
      const isSum = (index: number, sums: () => Decimal[]): boolean => {
        const number = parseDecimal(text(index))
        return number !== undefined && sums().some((each) => each.eq(number))
      }
      return (
        rows > 1 &&
        (isSum(indexOf.quantity, () => [decimal(String(cards))]) ||
          isSum(indexOf.quote, () => [addUp((count) => count.rows), addUp((count) => count.cards)]))
      )
    },
  }
}

const kinds = ['line', 'item', '--product'] as const

export type RowProblem = {
  /** What the number counts: the lines of a file, the items of a JSON array, or the values of --product. */
  readonly kind: (typeof kinds)[number]
  readonly number: number
  /** 'quote is missing; allowed: …' */
  readonly text: string
}

/** Values are the texts of CSV cells, or JSON. */
export type RowReader = (line: number, values: readonly unknown[]) => BatchRow | undefined

export type RowChecks = {
  /** Gets what makes a row invalid. */
  readonly invalid: RowProblem[]
  /** Gets valid products that the account does not sell. */
  readonly unsold: RowProblem[]
  /** The number of rows that got the default of the field. */
  readonly empty: { quantity: number; productType: number }
  /** Undefined if the products of the account are not known. */
  readonly list: ProductList | undefined
}

export const createChecks = (list: ProductList | undefined): RowChecks => ({
  ...{ list, invalid: [], unsold: [], empty: { quantity: 0, productType: 0 } },
})

export const createRowReader = (
  columns: Columns,
  kind: RowProblem['kind'],
  { invalid, unsold, empty, list }: RowChecks,
  readNumber?: NumberReader,
  /** For a workbook, which may store more decimals than it shows: the currency of a product that is not known. */
  walletOfWorkbook?: string,
): RowReader => {
  const { indexOf, headers, others } = columns
  const totals = createTotalsCheck(columns)
  const describe = readNumber?.isLocal ? () => `${allowedValues.quote}, such as 25 or 12,50` : describeQuote
  /** Columns at the end may have no header. */
  const leastCells = headers.findLastIndex((header) => header !== '') + 1
  const givenFields = fields
    .filter((field) => indexOf[field] !== -1)
    .sort((one, other) => indexOf[one] - indexOf[other])
  return (line, values) => {
    const refuse = (path: string, value: unknown, allowed: string, problems = invalid): void => {
      const given = isBlank(value) ? undefined : formatGiven(value)
      problems.push({ kind, number: line, text: formatViolation({ path, allowed, given }) })
    }
    const readField = <Out>(
      field: Field,
      parse: (text: string) => Out | undefined,
      allowed: (text: string) => string,
      whenBlank?: Out,
    ): Out | undefined => {
      const value = values[indexOf[field]]
      if (isBlank(value) && whenBlank !== undefined) {
        if (field === 'quantity' || field === 'productType') empty[field] += 1
        return whenBlank
      }
      const text = readText(value)?.trim() ?? ''
      const read = text === '' ? undefined : parse(text)
      if (read === undefined) refuse(headers[indexOf[field]] ?? field, value, allowed(text))
      return read
    }
    const textAt = (index: number): string => {
      const text = readText(values[index])?.trim() ?? ''
      const isNumber = index === indexOf.quote || index === indexOf.quantity
      const number = isNumber ? readNumber?.(line, text, false) : undefined
      return number !== undefined && 'plain' in number ? number.plain : text
    }
    if (totals.isTotal(textAt)) {
      invalid.push({
        kind,
        number: line,
        text: 'this looks like a totals row; remove it, or correct its sku',
      })
      return undefined
    }
    const readAmount = <Out>(
      field: Field,
      parse: (plain: string) => Out | undefined,
      allowed: (text: string) => string,
      hasThreeDecimals: boolean,
      whenBlank?: Out,
    ): Out | undefined => {
      const isText = typeof values[indexOf[field]] === 'string'
      const read = (text: string) =>
        (isText ? readNumber?.(line, text, hasThreeDecimals) : undefined) ?? { plain: text }
      const parseRead = (text: string): Out | undefined => {
        const number = read(text)
        return 'plain' in number ? parse(number.plain) : undefined
      }
      const explain = (text: string): string => {
        const number = read(text)
        return 'allowed' in number ? number.allowed : allowed(text)
      }
      return readField(field, parseRead, explain, whenBlank)
    }
    const sku = readField('sku', parseLabel, () => describeLabel(allowedValues.sku))
    const currency = list?.products.get(sku ?? '')?.price.currency
    const hasThreeDecimals = currency !== undefined && getMinorDigits(currency) === 3
    const quote = readAmount('quote', parseQuote, describe, hasThreeDecimals)
    const stored = values[indexOf.quote]
    const minorDigits = getMinorDigits(currency ?? walletOfWorkbook ?? '')
    if (walletOfWorkbook !== undefined && isDecimal(stored) && !stored.eq(stored.round(minorDigits)))
      refuse(
        headers[indexOf.quote] ?? 'quote',
        stored,
        `at most ${minorDigits} decimals; round the number in the cell`,
      )
    const quantity = readAmount('quantity', parseQuantity, () => wholeQuantity, false, 1)
    const type = readField('productType', parseLabel, () => describeLabel(allowedValues.productType), '')
    const extra = values.findIndex((value, at) => (headers[at] ?? '') === '' && !isBlank(value))
    if (extra !== -1)
      refuse(`column ${extra + 1}`, values[extra], 'nothing, because the column has no header')
    // Otherwise an unquoted decimal comma would move the next columns, of a row without its last cells, too.
    const isTooShort = values.length < leastCells
    if (extra === -1 && walletOfWorkbook === undefined && (isTooShort || values.length > headers.length)) {
      const expected = isTooShort ? leastCells : headers.length
      const more = isTooShort ? ', and separate empty cells, too' : ''
      const text = `has ${describeCount(values.length, 'cell')}, but the header has ${expected}; quote a cell that contains a separator${more}`
      invalid.push({ kind, number: line, text })
      return undefined
    }
    if (sku === undefined || quote === undefined || quantity === undefined || type === undefined)
      return undefined
    if (extra !== -1) return undefined
    const productType = type === '' ? (list?.products.get(sku)?.productType ?? 'fixed') : type
    const product = { sku, quote, productType }
    const problems =
      list === undefined ? [] : findProductProblems(list, { ...product, quote: decimal(quote) })
    for (const { part, allowed } of problems)
      refuse(headers[indexOf[part]] ?? part, values[indexOf[part]], allowed, unsold)
    totals.add({ quote, quantity })
    const row = { line, ...product, quantity, cells: others.map((at) => formatCell(values[at])) }
    const given = givenFields.map((field) => formatCell(values[indexOf[field]]))
    return givenFields.every((field, at) => String(row[field]) === given[at]) ? row : { ...row, given }
  }
}

const parseLabel = (text: string): string | undefined => (isLabel(text) ? text : undefined)

const parseQuote = (text: string): string | undefined => {
  const quote = parseDecimal(text)
  return quote?.gt('0') === true ? formatDecimal(quote) : undefined
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

const isBlank = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '')

/** The exact text of a number. Undefined for any other value that is not text. */
const readText = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : toDecimal(value)?.toFixed()

/** A value of a column that orderctl only keeps. */
const formatCell = (value: unknown): string =>
  value === undefined || value === null ? '' : (readText(value) ?? writeJson(value)).toWellFormed()

/** Returns the problems sorted by line. Rows with the same problem share one text. */
export const describeProblems = (problems: readonly RowProblem[]): string[] => {
  const sorted = problems.toSorted(
    (one, other) => kinds.indexOf(one.kind) - kinds.indexOf(other.kind) || one.number - other.number,
  )
  return [...Map.groupBy(sorted, ({ kind, text }) => `${kind} ${text}`).values()].map((same) => {
    const [{ kind, text } = { kind: 'line', text: '' }] = same
    const noun = same.length > 1 && kind !== '--product' ? `${kind}s` : kind
    return `${noun} ${formatNumbers(same.map(({ number }) => number))}: ${text}`
  })
}

const maxNumbers = 10

/** '2, 4, 12', or '2, 4, 6, … (267 rows)' if the list would be long. */
export const formatNumbers = (numbers: readonly number[]): string => {
  const first = numbers.slice(0, maxNumbers).join(', ')
  return numbers.length > maxNumbers ? `${first}, … (${numbers.length} rows)` : first
}
