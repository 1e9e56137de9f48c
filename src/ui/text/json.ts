// Renders JSON for stdout: exact numbers, and only the fields that `--fields a,b.c` names. A response is masked before.

import { writeJson } from '../../contract/json.ts'
import { type Entries, listEntries } from '../../contract/shape.ts'
import { Failure } from '../../errors.ts'
import { sanitize, sanitizeJson } from '../terminal/text.ts'

/** The steps of a path. A key with dots may be several steps. */
export type FieldPath = readonly string[]

const usageFailure = (message: string, advice?: string): Failure =>
  new Failure('usage', message, { field: '--fields', advice })

/** The longest key at the start of the path whose value has the rest of the path. */
const splitPath = (path: FieldPath, entries: Entries) => {
  for (let count = path.length; count > 0; count -= 1) {
    const [key, rest] = [path.slice(0, count).join('.'), path.slice(count)]
    const entry = entries.find(([name]) => name === key)
    if (entry !== undefined && hasPath(entry[1], rest)) return { key, rest, value: entry[1] }
  }
  return undefined
}

const hasPath = (value: unknown, path: FieldPath): boolean => {
  if (path.length === 0) return true
  // The fields of null and of an empty list are unknown.
  if (value === null) return true
  if (Array.isArray(value)) return value.length === 0 || value.some((each) => hasPath(each, path))
  const entries = listEntries(value)
  return entries !== undefined && splitPath(path, entries) !== undefined
}

const listKeys = (value: unknown): string[] => {
  if (Array.isArray(value)) return [...new Set(value.flatMap(listKeys))]
  return (listEntries(value) ?? []).map(([key]) => key)
}

/** Names the part of the path that exists, and the fields that exist there. */
const unknownField = (value: unknown, path: FieldPath): Failure => {
  let count = 0
  while (count < path.length && hasPath(value, path.slice(0, count + 1))) count += 1
  const found = path.slice(0, count)
  const parent = count === 0 ? '' : ` in '${sanitize(found.join('.'))}'`
  const keys = listKeys(readPath(value, found))
  return usageFailure(
    `--fields: no field '${sanitize(path.slice(count).join('.'))}'${parent}`,
    keys.length === 0 ? undefined : `Choose from: ${keys.map(sanitize).join(', ')}`,
  )
}

/** The path must exist. */
const readPath = (value: unknown, path: FieldPath): unknown => {
  if (path.length === 0) return value
  if (Array.isArray(value))
    return value.filter((each) => hasPath(each, path)).flatMap((each) => readPath(each, path))
  const found = splitPath(path, listEntries(value) ?? [])
  return found && readPath(found.value, found.rest)
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
  const found = paths.map((path) => splitPath(path, entries)).filter((each) => each !== undefined)
  const wanted = Map.groupBy(found, ({ key }) => key)
  const picked = new Map<string, unknown>()
  for (const [key, each] of entries) {
    const rests = wanted.get(key)?.map(({ rest }) => rest)
    if (rests !== undefined) picked.set(key, pickFields(each, rests))
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
