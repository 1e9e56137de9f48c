// Reads the file of profiles strictly. A file that is not valid is refused and left untouched.
import { lstatSync, readFileSync, statSync } from 'node:fs'
import { JsonError, jsonLimits, readJson } from '../contract/json.ts'
import { Failure } from '../errors.ts'
import { reasonOf } from '../files.ts'
import { type Profile, readProfile, sandbox } from './profile.ts'

const kind = 'orderctl profiles'
const version = 1

/** The file as it is, with the fields that a newer orderctl put there. */
export type Raw = Readonly<Record<string, unknown>> & {
  readonly current?: string
  readonly profiles: readonly (Readonly<Record<string, unknown>> & { readonly name: string })[]
}

export type Document = {
  readonly raw: Raw
  /** The name of the profile in use, if one is. */
  readonly current?: string
  /** False if no profile was ever saved: there is no file. */
  readonly isSaved: boolean
  readonly profiles: readonly Profile[]
}

const emptyRaw: Raw = { kind, version, profiles: [] }

/** The violations say what is allowed, never what was found: that may be a key. */
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
    if (names.indexOf(name) !== index) violations.push(`profiles: ${name} stands there twice`)
  }
  if (violations.length > 0) return { violations }
  const read = { raw: raw as Raw, isSaved: true, profiles }
  // Earlier versions left it out if the sandbox was in use. To read that as 'none' never orders by mistake.
  if (current === undefined) return read
  if (typeof current === 'string' && [sandbox, ...names].includes(current)) return { ...read, current }
  return { violations: ['current: the name of a profile'] }
}

const untouched = 'It was left untouched. Mend it, or move it away and add the profiles again.'

/** Throws if the file is not valid or cannot be read. A missing file has no profiles. */
export const readDocument = (file: string): Document => {
  const found = readOrNothing(file)
  if (found === undefined) {
    // A link whose target is gone, on a disk that is not mounted for one, had profiles once.
    const isLink = lstatSync(file, { throwIfNoEntry: false }) !== undefined
    return { raw: emptyRaw, isSaved: isLink, profiles: [] }
  }
  const refused = (what: string, details = {}) =>
    new Failure('local-state', `${file} ${what}`, { fix: untouched, field: file, ...details })
  let raw: unknown
  try {
    raw = readJson(found)
  } catch (error) {
    throw error instanceof JsonError ? refused(error.message) : error
  }
  const head = raw as { kind?: unknown; version?: unknown } | null
  if (typeof head !== 'object' || head?.kind !== kind) throw refused('is not a profiles file of orderctl')
  if (head.version !== version) {
    throw typeof head.version === 'number' && head.version > version
      ? refused('was written by a newer orderctl', { fix: 'It was left untouched. Update orderctl.' })
      : refused('is not a profiles file that this orderctl can read')
  }
  const checked = checkDocument(head)
  if ('violations' in checked) throw refused('is not valid', checked)
  return checked
}

const readOrNothing = (file: string): Uint8Array | undefined => {
  try {
    const stats = statSync(file)
    // Opened, a pipe would wait for somebody to write.
    if (!stats.isFile()) throw new Failure('local-state', `${file} is not a file`, { fix: untouched })
    if (stats.size > jsonLimits.maxBytes) {
      throw new Failure('local-state', `${file} is too large for profiles`, { fix: untouched })
    }
    return readFileSync(file)
  } catch (error) {
    if (error instanceof Failure) throw error
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw new Failure('local-state', `cannot read the profiles ${file}: ${reasonOf(error)}`, {
      fix: 'Make it readable for you, or name another folder in ORDERCTL_CONFIG_DIR.',
      field: file,
      cause: error,
    })
  }
}
