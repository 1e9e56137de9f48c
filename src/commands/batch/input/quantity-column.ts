// Finds columns that are probably a field under a different name. A batch that misses such a column buys too few cards.

import { findNearest } from '../../../text/words.ts'
import type { Ask } from '../../../ui/prompts/asking.ts'
import type { ColumnChoice, Columns } from './columns.ts'
import { fold, headerWords, unclearQuantity } from './header-words.ts'
import type { InputError } from './input.ts'

/** The columns that may be the number of cards, and a function that sees the values of each row. */
export const findQuantityColumns = (
  { headers, indexOf, others }: Columns,
  { ignore }: Pick<ColumnChoice, 'ignore'>,
) => {
  const ignored = new Set(ignore.map((name) => name.toLowerCase()))
  const isFree = (index: number): boolean =>
    indexOf.quantity === -1 && !ignored.has(headers[index]?.toLowerCase() ?? '')
  const folded = new Map(others.filter(isFree).map((index) => [index, fold(headers[index] ?? '')]))
  const found = new Set<number>()
  const unclear = new Set<number>()
  for (const [index, header] of folded) {
    if (headerWords.quantity.test(header) || findNearest(header, ['quantity'], () => 2).length > 0)
      found.add(index)
    else if (unclearQuantity.test(header)) unclear.add(index)
  }
  return {
    addRow: (values: readonly unknown[]): void => {
      for (const index of unclear)
        if (!/^([1-9]\d{0,3})?$/.test(String(values[index] ?? '').trim())) unclear.delete(index)
    },
    list: (): readonly string[] =>
      others.filter((index) => found.has(index) || unclear.has(index)).map((index) => headers[index] ?? ''),
  }
}

/** Without a prompt, throws. */
export const decideQuantity = async (
  names: readonly string[],
  ask: Pick<Ask, 'choose'> | undefined,
  createError: InputError,
): Promise<ColumnChoice | undefined> => {
  const [first = ''] = names
  const quoted = names.map((name) => `'${name}'`).join(' and ')
  if (ask === undefined) {
    throw createError(
      `has no column 'quantity', but ${quoted} may contain the number of cards`,
      (suggest) =>
        `Use it with ${suggest.flags({ map: `quantity=${first}` })}, or buy 1 card a row with ${suggest.flags({ ignore: names })}`,
    )
  }
  const chosen = await ask.choose<string | undefined>('Which column contains the number of cards?', [
    ...names.map((name) => ({ value: name, name })),
    { value: '', name: 'none: buy 1 card for each row' },
  ])
  if (chosen === undefined) return undefined
  const map = { text: `quantity=${chosen}`, field: 'quantity', header: chosen } as const
  return { ignore: names.filter((name) => name !== chosen), map: chosen === '' ? [] : [map] }
}
