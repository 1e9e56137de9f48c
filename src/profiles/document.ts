// Reads the profiles file strictly. An invalid file is refused and left untouched.
import { lstatSync, readFileSync, statSync } from 'node:fs'
import { JsonError, jsonLimits, readJson } from '../contract/json.ts'
import { Failure } from '../errors.ts'
import { getErrorReason } from '../files.ts'
import { type Profile, readProfile, sandbox } from './profile.ts'

const kind = 'orderctl profiles'
const version = 1

/** The parsed file, with fields that only a newer orderctl knows. */
export type RawDocument = Readonly<Record<string, unknown>> & {
  readonly current?: string
  readonly profiles: readonly (Readonly<Record<string, unknown>> & { readonly name: string })[]
}

export type Document = {
  readonly raw: RawDocument
  /** The name of the profile in use. */
  readonly current?: string
  /** False if there is no file, so no profile was ever saved. */
  readonly isSaved: boolean
  readonly profiles: readonly Profile[]
}

const emptyRaw: RawDocument = { kind, version, profiles: [] }

/** The violations name only the allowed values, because an invalid value may be a key. */
export const checkDocument = (raw: object): Document | { readonly violations: readonly string[] } => {
  const { current, profiles: found } = raw as { current?: unknown; profiles?: unknown }
  if (!Array.isArray(found)) return { violations: ['profiles: a list of profiles'] }
  const violations: string[] = []
  const profiles = found
    .map((each, index) =>
      readProfile(each, (field, allowed) => violations.push(`profiles[${index}].${field}: ${allowed}`)),
    )
    .filter((each) => each !== undefined)
  const names = profiles.map(({ name }) => name)
  for (const [index, name] of names.entries()) {
    if (names.indexOf(name) !== index) violations.push(`profiles: ${name} occurs twice`)
  }
  if (violations.length > 0) return { violations }
  const read = { raw: raw as RawDocument, isSaved: true, profiles }
  // Earlier versions omitted it if the sandbox was in use. 'None' is the safe reading.
  if (current === undefined) return read
  if (typeof current === 'string' && [sandbox, ...names].includes(current)) return { ...read, current }
  return { violations: ['current: the name of a profile'] }
}

const repairAdvice = 'It was left untouched. Repair it, or move it away and add the profiles again.'

/** Throws if the file is invalid or unreadable. A missing file has no profiles. */
export const readDocument = (file: string): Document => {
  const found = readIfExists(file)
  if (found === undefined) {
    // A link without a target once had profiles. Its disk may not be mounted.
    const isLink = lstatSync(file, { throwIfNoEntry: false }) !== undefined
    return { raw: emptyRaw, isSaved: isLink, profiles: [] }
  }
  const createRefusal = (problem: string, details = {}) =>
    new Failure('local-state', `${file} ${problem}`, { fix: repairAdvice, field: file, ...details })
  let raw: unknown
  try {
    raw = readJson(found)
  } catch (error) {
    throw error instanceof JsonError ? createRefusal(error.message) : error
  }
  const head = raw as { kind?: unknown; version?: unknown } | null
  if (typeof head !== 'object' || head?.kind !== kind)
    throw createRefusal('is not a profiles file of orderctl')
  if (head.version !== version) {
    throw typeof head.version === 'number' && head.version > version
      ? createRefusal('was written by a newer orderctl', { fix: 'It was left untouched. Update orderctl.' })
      : createRefusal('has an unsupported version')
  }
  const checked = checkDocument(head)
  if ('violations' in checked) throw createRefusal('is not valid', checked)
  return checked
}

const readIfExists = (file: string): Uint8Array | undefined => {
  try {
    const stats = statSync(file)
    // Opening a pipe would wait until another process writes to it.
    if (!stats.isFile()) throw new Failure('local-state', `${file} is not a file`, { fix: repairAdvice })
    if (stats.size > jsonLimits.maxBytes) {
      throw new Failure('local-state', `${file} is too large for a profiles file`, { fix: repairAdvice })
    }
    return readFileSync(file)
  } catch (error) {
    if (error instanceof Failure) throw error
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw new Failure('local-state', `cannot read the profiles ${file}: ${getErrorReason(error)}`, {
      fix: 'Make the file readable, or set ORDERCTL_CONFIG_DIR to another folder.',
      field: file,
      cause: error,
    })
  }
}
