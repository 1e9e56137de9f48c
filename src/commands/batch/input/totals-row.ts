// Recognises the totals that spreadsheets have below their rows. They must not be bought, nor be left out silently.
import { type Decimal, decimal, parseDecimal, sum } from '../../../contract/money/decimal.ts'
import type { BatchRow } from '../../../operations/batch/plan/rows.ts'
import type { Columns } from './columns.ts'
import { fold } from './header-words.ts'

/** In English, German, French, Spanish, Italian and Dutch. */
const totals =
  /^(grand |sub ?|zwischen|end|gesamt|sous |eind)?(totals?|sum|summe|gesamt|insgesamt|somme|totale|suma|totaal|som|montante)( general| generale| geral)?$/

export const createTotalsCheck = ({ indexOf, headers }: Columns) => {
  let [rows, cards] = [0, 0]
  /** How many rows and cards have each quote: a batch has many rows and few prices. */
  const counts = new Map<string, { rows: number; cards: number }>()
  const known = new Map<string, boolean>()
  /** Products repeat, and a batch may have 100,000 rows. */
  const isNamedTotal = (cell: string): boolean => {
    const isTotal = known.get(cell) ?? totals.test(fold(cell))
    known.set(cell, isTotal)
    return isTotal
  }
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
      if (sku !== '') return isNamedTotal(sku)
      const cells = [...headers.keys()].map(text).filter((cell) => cell !== '')
      if (cells.some(isNamedTotal)) return true
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
