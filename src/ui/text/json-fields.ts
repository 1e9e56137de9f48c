// `--fields a,b.c`: narrows a JSON value to the named fields.

import { Failure } from '../../errors.ts'
import { safeText } from '../terminal/safe-text.ts'
import { type Entries, entriesOf } from './entries.ts'

/** The steps of a path. A key that has dots may be several steps. */
export type FieldPath = readonly string[]

const usageFailure = (message: string, fix?: string): Failure =>
  new Failure('usage', message, { field: '--fields', ...(fix === undefined ? {} : { fix }) })

/** Reads `uid,invoice.total,products["A.B,C"].sku`. */
export const parseFields = (text: string): FieldPath[] => {
  const step = /\s*(?:\[("(?:[^"\\]|\\.)*")\]|([^.,[\]\s][^.,[\]]*))\s*(\.(?=\s*[^\s.,])|,|$|(?=\[))/y
  const paths: string[][] = [[]]
  while (step.lastIndex < text.length || text === '') {
    const at = step.lastIndex
    const [, quoted, plain = '', end] = step.exec(text) ?? []
    if (end === undefined)
      throw usageFailure(
        `--fields cannot be read from '${safeText(text.slice(at))}' on`,
        'uid,invoice.total or products["A.B"].sku',
      )
    paths.at(-1)?.push(quoted === undefined ? plain.trim() : keyOf(quoted))
    if (end === ',') paths.push([])
  }
  if (paths.at(-1)?.length === 0) throw usageFailure('--fields ends with a comma', 'uid,invoice.total')
  return paths
}

const keyOf = (quoted: string): string => {
  try {
    return JSON.parse(quoted)
  } catch {
    throw usageFailure(`--fields: ${safeText(quoted)} is not a key in double quotes`)
  }
}

/** The longest key that the path can go through, and the rest of the path; undefined if there is no such key. */
const restBelow = (
  path: FieldPath,
  entries: Entries,
): readonly [key: string, rest: FieldPath] | undefined => {
  for (let count = path.length; count > 0; count -= 1) {
    const key = path.slice(0, count).join('.')
    const rest = path.slice(count)
    const entry = entries.find(([name]) => name === key)
    if (entry !== undefined && leadsOn(entry[1], rest)) return [key, rest]
  }
  return undefined
}

const leadsOn = (value: unknown, path: FieldPath): boolean => {
  if (path.length === 0) return true
  // An empty list does not tell which fields its items have.
  if (Array.isArray(value)) return value.length === 0 || value.some((each) => leadsOn(each, path))
  const entries = entriesOf(value)
  return entries !== undefined && restBelow(path, entries) !== undefined
}

const keysIn = (value: unknown): string[] => {
  if (Array.isArray(value)) return [...new Set(value.flatMap(keysIn))]
  return (entriesOf(value) ?? []).map(([key]) => key)
}

/** The error names the part of the path that exists and the fields that are there. */
const unknownField = (value: unknown, path: FieldPath): Failure => {
  let count = 0
  while (count < path.length && leadsOn(value, path.slice(0, count + 1))) count += 1
  const way = path.slice(0, count)
  const where = count === 0 ? '' : ` in '${safeText(way.join('.'))}'`
  const keys = keysIn(valueAt(value, way))
  return usageFailure(
    `--fields: there is no '${safeText(path.slice(count).join('.'))}'${where}`,
    keys.length === 0 ? undefined : keys.map(safeText).join(', '),
  )
}

/** The path must exist. */
const valueAt = (value: unknown, path: FieldPath): unknown => {
  if (path.length === 0) return value
  if (Array.isArray(value))
    return value.filter((each) => leadsOn(each, path)).flatMap((each) => valueAt(each, path))
  const entries = entriesOf(value) ?? []
  const [key, rest = []] = restBelow(path, entries) ?? []
  return valueAt(entries.find(([name]) => name === key)?.[1], rest)
}

const pick = (value: unknown, paths: readonly FieldPath[]): unknown => {
  if (paths.some((path) => path.length === 0)) return value
  if (Array.isArray(value)) return value.map((each) => pick(each, paths))
  const entries = entriesOf(value)
  if (entries === undefined) return value
  const wanted = Map.groupBy(
    paths.map((path) => restBelow(path, entries)).filter((found) => found !== undefined),
    ([key]) => key,
  )
  return new Map(
    entries.flatMap(([key, each]) => {
      const found = wanted.get(key)
      return found === undefined
        ? []
        : [
            [
              key,
              pick(
                each,
                found.map(([, rest]) => rest),
              ),
            ] as const,
          ]
    }),
  )
}

/** Keeps the order of the value, not of the paths. A path through a list goes through each of its items. */
export const narrow = (value: unknown, paths: readonly FieldPath[]): unknown => {
  const missing = paths.find((path) => !leadsOn(value, path))
  if (missing !== undefined) throw unknownField(value, missing)
  return pick(value, paths)
}
