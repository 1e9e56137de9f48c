// Parses the values of --map, such as quote=Amount, and finds the columns of the fields among the headers of the input.

import type { Given, Problem } from '../../../cli/spec.ts'
import type { HeaderColumn } from '../../../journal/tables/batches.ts'
import type { Suggest } from '../../../text/suggest.ts'
import { guessHeader } from './header-words.ts'
import type { InputError } from './input.ts'

export const fields = ['sku', 'quote', 'quantity', 'productType'] as const
export type Field = (typeof fields)[number]

export type Mapping = { readonly text: string; readonly field: Field; readonly header: string }

/** The columns that the user has chosen. */
export type ColumnChoice = {
  readonly map: readonly Mapping[]
  /** The columns that are kept for the export only. */
  readonly ignore: readonly string[]
}

const isSameName = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()

const describeMapping = (text: string): string => `--map is ${JSON.stringify(text)}`

export const parseMapping = (text: string, { problem }: Pick<Given, 'problem'>): Mapping | undefined => {
  const given = describeMapping(text)
  const at = text.indexOf('=')
  if (at === -1) return problem(`${given}; allowed: FIELD=COLUMN, such as quote=Amount`)
  const field = fields.find((each) => isSameName(each, text.slice(0, at).trim()))
  const header = text.slice(at + 1).trim()
  if (field === undefined) return problem(`${given}; allowed fields: ${fields.join(', ')}`)
  if (header === '') return problem(`${given}; the column after '=' is missing`)
  return { text, field, header }
}

/** Two values must not name the same field or the same column. */
export const findMapConflicts = ({ map: mappings, ignore }: ColumnChoice): readonly Problem[] => {
  const map = new Map<Field, string>()
  const problems: Problem[] = []
  for (const { text, field, header } of mappings) {
    const addProblem = (why: string): void =>
      void problems.push({ text: `${describeMapping(text)}, but --map ${why}`, field: '--map' })
    if (map.has(field)) addProblem(`already has a column for ${field}`)
    else if (map.values().some((other) => other === header)) addProblem(`already uses the column '${header}'`)
    else if (ignore.includes(header)) {
      problems.push({
        text: `${describeMapping(text)}, but --ignore excludes this column`,
        field: '--ignore',
      })
    } else map.set(field, header)
  }
  return problems
}

export type Columns = {
  readonly headers: readonly string[]
  /** The index of the column of each field, or -1. */
  readonly indexOf: Readonly<Record<Field, number>>
  /** The indexes of all other columns that have a header. */
  readonly others: readonly number[]
}

/** The journal keeps all columns, and must never get a code. */
const exportedColumns = ['order_id', 'reference', 'code', 'pin', 'serial']

export const maxColumns = 256

export const createTooManyColumns = (createError: InputError) =>
  createError(`has more than ${maxColumns} columns`, 'Remove the columns that you do not need.')

export const findColumns = (
  given: readonly string[],
  { map, ignore }: ColumnChoice,
  createError: InputError,
): Columns => {
  if (given.length > maxColumns) throw createTooManyColumns(createError)
  const headers = given.map((header) => header.trim())
  if (exportedColumns.every((name) => headers.includes(name))) {
    throw createError(
      'is an export of a batch, which contains codes',
      'Use the original file. To buy the failed cards again, run the batch with --retry-failed.',
    )
  }
  const unknown = ignore.find((name) => !headers.some((header) => isSameName(header, name)))
  if (unknown !== undefined) {
    const problem = `has no column '${unknown}' for --ignore; ${listHeaders(headers)}`
    throw createError(problem, 'Omit the flag, or correct the name of the column.')
  }
  const indexOf = findFieldIndexes(headers, { map, ignore }, createError)
  const taken = new Set(Object.values(indexOf))
  const others = [...headers.keys()].filter((index) => headers[index] !== '' && !taken.has(index))
  const names = others.map((index) => headers[index] ?? '')
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw createTwice(twice, createError)
  const missing = (['sku', 'quote'] as const).filter((field) => indexOf[field] === -1)
  if (missing.length > 0) {
    const absent = missing.map((field) => `'${field}'`).join(' and no column ')
    const mappings = missing.map((field) => `${field}=${guessHeader(field, names) ?? 'COLUMN'}`)
    const free = names.filter((name) => !mappings.some((mapping) => mapping.endsWith(`=${name}`)))
    const quantity = indexOf.quantity === -1 ? guessHeader('quantity', free) : undefined
    if (quantity !== undefined) mappings.push(`quantity=${quantity}`)
    throw createError(`has no column ${absent}; ${listHeaders(headers)}`, adviseMap(mappings))
  }
  return { headers, indexOf, others }
}

/** The columns of the input that are kept, in its order. */
export const listHeader = ({ headers, indexOf, others }: Columns): HeaderColumn[] =>
  headers.flatMap((name, index) => {
    const field = fields.find((each) => indexOf[each] === index)
    if (field !== undefined) return [{ name, field }]
    return others.includes(index) ? [{ name }] : []
  })

/** Finds a field by --map, otherwise by its name, in capitals or small letters. */
const findFieldIndexes = (
  headers: readonly string[],
  { map, ignore }: ColumnChoice,
  createError: InputError,
) => {
  const indexOf = { sku: -1, quote: -1, quantity: -1, productType: -1 }
  for (const { field, header } of map) {
    const exact = headers.indexOf(header)
    const index = exact === -1 ? headers.findIndex((each) => isSameName(each, header)) : exact
    const other = fields.find((each) => indexOf[each] === index)
    const problem =
      index === -1
        ? `has no column '${header}', which --map uses for ${field}`
        : other && `has one column '${header}', but --map uses it for both ${other} and ${field}`
    if (problem !== undefined)
      throw createError(`${problem}; ${listHeaders(headers)}`, adviseMap([`${field}=COLUMN`]))
    indexOf[field] = index
  }
  for (const field of fields.filter((each) => !map.some(({ field }) => field === each))) {
    const taken = new Set(Object.values(indexOf))
    const [found = -1, ...more] = [...headers.keys()].filter(
      (index) =>
        isSameName(headers[index] ?? '', field) &&
        !taken.has(index) &&
        !ignore.some((name) => isSameName(name, field)),
    )
    if (more.length > 0) throw createTwice(field, createError)
    indexOf[field] = found
  }
  return indexOf
}

const createTwice = (name: string, createError: InputError) =>
  createError(`has two columns '${name}'`, 'Rename or remove one of them.')

const adviseMap = (map: readonly string[]) => (suggest: Suggest) => `Use ${suggest.flags({ map })}`

const maxListed = 20

const listHeaders = (headers: readonly string[]): string => {
  const named = headers.filter((header) => header !== '').map((header) => `'${header}'`)
  const more = named.length > maxListed ? `, and ${named.length - maxListed} more` : ''
  return `columns: ${named.slice(0, maxListed).join(', ') || 'none'}${more}`
}
