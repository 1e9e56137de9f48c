// What is wrong with a document, all of it at once: where, what was given, what is allowed.
import { writeJson } from './json.ts'

export type Violation = {
  /** Where it lies, as one would write it in code: `productList[2].quantity`. */
  readonly path: string
  /** The value found there, short; undefined where nothing stands. */
  readonly given?: string
  readonly allowed: string
  /** The value would be good, were there less of it. */
  readonly tooBig?: true
}

type Path = readonly PropertyKey[]

/** What zod and our shapes say of a mistake. */
type Issue = { readonly path: Path; readonly message: string; readonly code?: string; readonly keys?: Path }

export const pathText = (path: Path): string =>
  path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`
    const name = String(key)
    if (!/^[\w-]+$/.test(name)) return `${text}[${JSON.stringify(name)}]`
    return text === '' ? name : `${text}.${name}`
  }, '')

const valueAt = (value: unknown, path: Path): unknown => {
  let found = value
  for (const key of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined
    found = (found as Record<PropertyKey, unknown>)[key]
  }
  return found
}

const maxGivenLength = 60

const givenText = (value: unknown): string | undefined => {
  if (value === undefined) return undefined
  const text = writeJson(value) ?? String(value)
  return text.length > maxGivenLength ? `${text.slice(0, maxGivenLength - 1).toWellFormed()}…` : text
}

export const violationAt = (document: unknown, path: Path, allowed: string): Violation => {
  const given = givenText(valueAt(document, path))
  return { path: pathText(path), allowed, ...(given === undefined ? {} : { given }) }
}

/** The schemas' messages say what is allowed; this adds where and what was given. */
export const violationsOf = (issues: readonly Issue[], document: unknown): Violation[] => {
  const found = new Map<string, Violation>()
  for (const { path: at, message, code, keys } of issues) {
    for (const path of keys?.map((key) => [...at, key]) ?? [at]) {
      const violation = {
        ...violationAt(document, path, message),
        ...(code === 'too_big' ? { tooBig: true as const } : {}),
      }
      // One statement a place: a value of the wrong type also breaks its range.
      if (!found.has(violation.path)) found.set(violation.path, violation)
    }
  }
  return [...found.values()]
}

export const violationText = ({ path, given, allowed }: Violation): string => {
  const place = path === '' ? 'the document' : path
  return `${place} is ${given ?? 'missing'}; allowed: ${allowed}`
}
