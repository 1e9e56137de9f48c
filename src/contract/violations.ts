// Describes everything that is wrong with a document: the path, the given value and the allowed values.
import { writeJson } from './json.ts'

export type Violation = {
  /** The path as in code: `productList[2].quantity`. */
  readonly path: string
  /** The value at the path, shortened. Absent if there is none. */
  readonly given?: string
  readonly allowed: string
  /** The value exceeds a limit. */
  readonly isTooBig?: true
}

type Path = readonly PropertyKey[]

/** The common fields of the issues of zod and of shape.ts. */
type Issue = { readonly path: Path; readonly message: string; readonly code?: string; readonly keys?: Path }

export const formatPath = (path: Path): string =>
  path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`
    const name = String(key)
    if (!/^[\w-]+$/.test(name)) return `${text}[${JSON.stringify(name)}]`
    return text === '' ? name : `${text}.${name}`
  }, '')

const findValue = (value: unknown, path: Path): unknown => {
  let found = value
  for (const key of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined
    found = (found as Record<PropertyKey, unknown>)[key]
  }
  return found
}

const maxGivenLength = 60

/** The value as JSON, shortened. Undefined if there is none. */
export const formatGiven = (value: unknown): string | undefined => {
  if (value === undefined) return undefined
  const text = writeJson(value) ?? String(value)
  return text.length > maxGivenLength ? `${text.slice(0, maxGivenLength - 1).toWellFormed()}…` : text
}

export const createViolation = (document: unknown, path: Path, allowed: string): Violation => {
  const given = formatGiven(findValue(document, path))
  return { path: formatPath(path), allowed, ...(given === undefined ? {} : { given }) }
}

/** Adds the path and the given value to the messages of the schemas, which list the allowed values. */
export const collectViolations = (issues: readonly Issue[], document: unknown): Violation[] => {
  const found = new Map<string, Violation>()
  for (const { path: at, message, code, keys } of issues) {
    for (const path of keys?.map((key) => [...at, key]) ?? [at]) {
      const violation = {
        ...createViolation(document, path, message),
        ...(keys === undefined ? {} : { given: 'an unknown field' }),
        ...(code === 'too_big' ? { isTooBig: true as const } : {}),
      }
      // One violation per path: a value of the wrong type also violates its range.
      if (!found.has(violation.path)) found.set(violation.path, violation)
    }
  }
  return [...found.values()]
}

export const formatViolation = ({ path, given, allowed }: Violation): string => {
  const place = path === '' ? 'the document' : path
  return `${place} is ${given ?? 'missing'}; allowed: ${allowed}`
}
