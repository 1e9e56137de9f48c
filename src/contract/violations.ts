// Describes everything that is wrong with a document: the path, the given value and the allowed values.
import { writeJson } from './json.ts'

export type Violation = {
  /** The path as in code: `productList[2].quantity`. */
  readonly path: string
  /** The value at the path, shortened. Absent if there is none. */
  readonly given?: string
  readonly allowed: string
  /** The whole sentence, if it does not consist of the path, the value and what is allowed. */
  readonly problem?: string
  /** The value exceeds a limit. */
  readonly isTooBig?: true
}

export type Path = readonly PropertyKey[]

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

export const formatViolation = ({ path, given, allowed, problem }: Violation): string => {
  const place = path === '' ? 'the document' : path
  return problem ?? `${place} is ${given ?? 'missing'}; allowed: ${allowed}`
}
