// Renders JSON for stdout: exact numbers, and only the fields that `--fields a,b.c` names. A response is masked before.

import { writeJson } from '../../contract/json.ts'
import { listEntries } from '../../contract/shape.ts'
import { Failure } from '../../errors.ts'
import { sanitize, sanitizeJson } from '../terminal/text.ts'

/** The steps of a path. */
export type FieldPath = readonly string[]

const usageFailure = (message: string, advice?: string): Failure =>
  new Failure('usage', message, { field: '--fields', advice })

/** All values at the path, which may go through lists. The fields of null and of an empty list are unknown. */
const listAt = (value: unknown, path: FieldPath): unknown[] => {
  const [key, ...rest] = path
  if (key === undefined) return [value]
  if (value === null || (Array.isArray(value) && value.length === 0)) return [null]
  if (Array.isArray(value)) return value.flatMap((each) => listAt(each, path))
  const entry = listEntries(value)?.find(([name]) => name === key)
  return entry === undefined ? [] : listAt(entry[1], rest)
}

const hasPath = (value: unknown, path: FieldPath): boolean => listAt(value, path).length > 0

const listKeys = (value: unknown): string[] => {
  if (Array.isArray(value)) return [...new Set(value.flatMap(listKeys))]
  return (listEntries(value) ?? []).map(([key]) => key)
}

/** Names the part of the path that exists, and the fields that exist there. */
const unknownField = (value: unknown, path: FieldPath): Failure => {
  const count = path.findIndex((_, index) => !hasPath(value, path.slice(0, index + 1)))
  const found = path.slice(0, count)
  const parent = count === 0 ? '' : ` in '${sanitize(found.join('.'))}'`
  const keys = listKeys(listAt(value, found))
  return usageFailure(
    `--fields: no field '${sanitize(path.slice(count).join('.'))}'${parent}`,
    keys.length === 0 ? undefined : `Choose from: ${keys.map(sanitize).join(', ')}`,
  )
}

/** Throws for a path that no result has, before the result is read. */
export const requireFields = (names: readonly string[], paths: readonly FieldPath[]): void => {
  const missing = paths.find(([name = '']) => !names.includes(name))
  if (missing !== undefined) throw unknownField(new Map(names.map((name) => [name, null])), missing)
}

const pickFields = (value: unknown, paths: readonly FieldPath[]): unknown => {
  if (paths.some((path) => path.length === 0)) return value
  if (Array.isArray(value)) return value.map((each) => pickFields(each, paths))
  const entries = listEntries(value)
  if (entries === undefined) return value
  const wanted = Map.groupBy(paths, ([key]) => key)
  const picked = new Map<string, unknown>()
  for (const [key, each] of entries) {
    const below = wanted.get(key)?.map(([, ...rest]) => rest)
    if (below !== undefined) picked.set(key, pickFields(each, below))
  }
  return picked
}

/** Keeps the order of the value, not of the paths. A path through a list applies to each item. */
const selectFields = (value: unknown, paths: readonly FieldPath[]): unknown => {
  const missing = paths.find((path) => !hasPath(value, path))
  if (missing !== undefined) throw unknownField(value, missing)
  return pickFields(value, paths)
}

export type JsonView = {
  /** Default: all. */
  readonly fields?: readonly FieldPath[]
  /** For streams: one document a line. */
  readonly oneLine?: boolean
}

export const renderJson = (value: unknown, view: JsonView = {}): string => {
  const { fields, oneLine = false } = view
  const selected = fields === undefined ? value : selectFields(value, fields)
  return `${sanitizeJson(writeJson(selected, oneLine ? undefined : 2))}\n`
}

/** Keeps the order of the names: in an object, names such as `2026` would come first. An absent value is null. */
export const renderJsonLine = (names: readonly string[], values: readonly unknown[]): string => {
  const fields = names.map((name, index) => `${writeJson(name)}:${writeJson(values[index] ?? null)}`)
  return sanitizeJson(`{${fields.join(',')}}`).concat('\n')
}
