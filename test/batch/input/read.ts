// Reads rows of a batch from a real file, as the commands do.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { Readable } from 'node:stream'
import type { ProductList } from '../../../src/app/product-list.ts'
import { parseMapping } from '../../../src/batch/input/columns.ts'
import { readBatchRows } from '../../../src/batch/input/read-file.ts'
import type { Context } from '../../../src/context.ts'
import { Failure, writeRemedy } from '../../../src/errors.ts'
import type { BatchRows } from '../../../src/operations/batch-limits.ts'
import { type ProductInput, parseProduct } from '../../../src/text/flags.ts'
import { openScratch } from '../../support/scratch.ts'
import { suggest } from '../../support/suggest.ts'

export type Content = string | Uint8Array

type Given = {
  /** The name decides the format. '-' is standard input. */
  readonly name?: string
  /** Read instead of a file with the content. */
  readonly file?: string
  readonly products?: readonly string[]
  readonly map?: readonly string[]
  readonly sheet?: string
  readonly ignore?: readonly string[]
  /** The products of the account. */
  readonly list?: ProductList
}

const createContext = (folder: string, input: Content): Context =>
  ({
    stdin: { isTerminal: false, stream: () => Readable.from(Buffer.from(input)) },
    absolute: (file: string) => path.resolve(folder, file),
    interrupted: new AbortController().signal,
  }) as unknown as Context

const mappingOf = (text: string) =>
  parseMapping(text, {
    problem: (said) => {
      throw new Error(said)
    },
  }) ?? []

/** Without content, there is no file. */
export const readRows = async (content: Content | undefined, given: Given = {}): Promise<BatchRows> => {
  const { name = 'orders.csv', products = [], map = [], ignore = [] } = given
  using scratch = openScratch()
  if (content !== undefined && name !== '-') writeFileSync(path.join(scratch.folder, name), content)
  const input = {
    file: content === undefined ? undefined : (given.file ?? name),
    product: products.map((text) => parseProduct(text) as ProductInput),
    map: map.flatMap(mappingOf),
    ...{ ignore, sheet: given.sheet, wallet: 'USD' },
  }
  const context = createContext(scratch.folder, content ?? '')
  const { rows, unsold } = await readBatchRows(context, input, given.list)
  if (unsold !== undefined) throw unsold
  return rows
}

/** A line for each row: its line, product and cells. */
export const describeRows = ({ columns, rows }: BatchRows): string[] => [
  columns.join(' | '),
  ...rows.map(({ line, sku, quote, quantity, productType, cells }) =>
    [`${line}: ${sku}:${quote}x${quantity}/${productType}`, ...cells].join(' | '),
  ),
]

/** The message, the violations, and the fix or the advice of the failure. */
export const refusalOf = async (content: Content | undefined, given: Given = {}): Promise<string[]> => {
  const failure = await readRows(content, given).then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!(failure instanceof Failure)) throw failure ?? new Error('nothing was refused')
  const { message, kind, details } = failure
  const { fix, advice } = writeRemedy(details, suggest)
  return [
    kind === 'usage' ? message : `${kind}: ${message}`,
    ...(details.violations ?? []),
    fix ?? advice ?? '',
  ]
}
