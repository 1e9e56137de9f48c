// The profiles of this machine, in a file: the fields of a profile, checked without zod, which takes 10 ms to load. Then the
// file's folder, and its content. conf writes them under a lock, but does not read them.

import { lstatSync, readFileSync, statSync } from 'node:fs'
import path, { isAbsolute } from 'node:path'
import { maskBaseUrl, parseBaseUrl } from '../contract/account-id.ts'
import { defaultAuth, maskAuth, parseAuth } from '../contract/auth.ts'
import { tryReadJson } from '../contract/json.ts'
import { parseWebhookHost, webhookHostForm } from '../contract/limits.ts'
import { currencyForm, normalizeCurrency } from '../contract/shape.ts'
import { createViolation, type Violation } from '../contract/violations.ts'
import { Failure, type Remedy } from '../errors.ts'
import { findExposure, refuseExposure, suggestMode } from '../exposure.ts'
import { getErrorReason } from '../files.ts'

export type Credential =
  | { readonly kind: 'key'; readonly key: string }
  /**
   * The system's credential store contains the key. The id is new for each key, so that two folders of profiles never
   * share one.
   */
  | { readonly kind: 'system'; readonly id: string }
  /** The command runs each time the key is needed. Its output is never stored. */
  | { readonly kind: 'command'; readonly command: string }

export type Profile = {
  readonly name: string
  readonly baseUrl: string
  /** Set by the user if the address serves several accounts. */
  readonly account?: string
  readonly wallet?: string
  /** The absolute path of the product file. */
  readonly products?: string
  /** The value of --auth. */
  readonly auth: string
  readonly allowHttp?: boolean
  /** Whether an assistant in a shell may do what only a person may do. */
  readonly assistants?: 'allow' | 'refuse'
  /** The host that may get codes by webhook without a prompt. */
  readonly webhookHost?: string
  readonly credential?: Credential
  /** The address of the journal that a team shares. It contains no password. */
  readonly journal?: string
  /** A command that prints the journal's password. Its output is never stored. */
  readonly journalPasswordCommand?: string
}

/** The built-in profile: the embedded service. */
export const sandbox = 'sandbox'

/** The name of an account that only environment variables define. */
export const environmentName = 'environment'

/** Returns the allowed form if the name is invalid. */
export const findAccountNameProblem = (name: string): string | undefined =>
  /^[A-Za-z\d][\w.-]{0,63}$/.test(name)
    ? undefined
    : 'up to 64 letters, digits, . _ and -, beginning with a letter or digit'

/** Returns the allowed form if the name is invalid. */
export const findNameProblem = (name: string): string | undefined => {
  const problem = findAccountNameProblem(name)
  if (problem !== undefined) return problem
  const taken = [sandbox, environmentName].find((each) => each === name.toLowerCase())
  return taken === undefined ? undefined : `a different name: ${taken} is built in`
}

type Report = (field: string, allowed: string) => unknown

/** Lists the allowed values if the text is wrong. */
type FindProblem = (text: string) => string | undefined

const findGapProblem: FindProblem = (text) => (text === '' ? 'a text that is not empty' : undefined)

/** The texts that are kept as they are. Only the first two are required. */
const texts: Partial<Record<keyof Profile, FindProblem>> = {
  name: findNameProblem,
  auth: (text) => {
    const parsed = parseAuth(text)
    return 'allowed' in parsed ? parsed.allowed : undefined
  },
  account: findAccountNameProblem,
  wallet: (text) => (normalizeCurrency(text) === undefined ? currencyForm : undefined),
  products: (text) => (isAbsolute(text) ? undefined : 'the absolute path of a file'),
  assistants: (text) => (text === 'allow' || text === 'refuse' ? undefined : 'allow or refuse'),
  webhookHost: (text) => (parseWebhookHost(text) === text ? undefined : webhookHostForm),
  journal: findGapProblem,
  journalPasswordCommand: findGapProblem,
}

/** Reads a profile from the file. Returns undefined if any field is invalid. Omits unknown fields. */
const readProfile = (found: unknown, report: Report): Profile | undefined => {
  const given = toFields(found)
  const { baseUrl, allowHttp, credential } = given
  let isValid = true
  const reject: Report = (field, allowed) => {
    isValid = false
    report(field, allowed)
  }
  const address = parseBaseUrl(typeof baseUrl === 'string' ? baseUrl : '', allowHttp === true)
  if ('problems' in address) reject('baseUrl', address.problems.join('; '))
  const kept: Record<string, unknown> = { allowHttp }
  for (const [field, findProblem] of Object.entries(texts)) {
    const value = given[field]
    kept[field] = value
    if (value === undefined && field !== 'name' && field !== 'auth') continue
    const allowed = findProblem(typeof value === 'string' ? value : '')
    if (allowed !== undefined) reject(field, allowed)
  }
  if (allowHttp !== undefined && typeof allowHttp !== 'boolean') reject('allowHttp', 'true or false')
  if (typeof kept.wallet === 'string') kept.wallet = normalizeCurrency(kept.wallet)
  const key = credential === undefined ? undefined : readCredential(credential, reject)
  if (!isValid || 'problems' in address) return undefined
  return { ...kept, baseUrl: address.baseUrl, credential: key } as Profile
}

const toFields = (found: unknown): Readonly<Record<string, unknown>> =>
  typeof found === 'object' && found !== null ? (found as Record<string, unknown>) : {}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

const readCredential = (found: unknown, reject: Report): Credential | undefined => {
  const { kind, key, command, id } = toFields(found)
  if (kind === 'key' && isText(key)) return { kind, key }
  if (kind === 'command' && isText(command)) return { kind, command }
  if (kind === 'system' && typeof id === 'string' && /^\w[\w-]{0,63}$/.test(id)) return { kind, id }
  reject('credential', 'a key, an id of the credential store or a command')
  return undefined
}

export type ProfileInput = Omit<Profile, 'auth'> & {
  /** The value of `--auth` (default: bearer). */
  readonly auth?: string | undefined
}

/** Reports all violations, not only the first. */
export const checkProfile = (
  input: ProfileInput,
): { readonly profile: Profile } | { readonly violations: readonly Violation[] } => {
  const given = {
    ...input,
    baseUrl: maskBaseUrl(input.baseUrl),
    auth: maskAuth(input.auth ?? ''),
    credential: undefined,
  }
  const violations: Violation[] = []
  const reject: Report = (field, allowed) => violations.push(createViolation(given, [field], allowed))
  const { auth = defaultAuth, allowHttp } = input
  const profile = readProfile({ ...input, auth, allowHttp: allowHttp || undefined }, reject)
  return profile === undefined ? { violations } : { profile }
}

export type FolderOptions = {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The value of process.platform: linux, darwin, win32. */
  readonly platform: string
  readonly home?: string | undefined
}

/** Throws if no folder is configured, so call it only when the folder is needed. */
export const findProfilesFolder = ({ environment, platform, home }: FolderOptions): string => {
  const { isAbsolute, join } = platform === 'win32' ? path.win32 : path.posix
  const requireAbsolute = (name: string, folder: string): string => {
    if (isAbsolute(folder)) return folder
    throw new Failure('local-state', `${name} is ${JSON.stringify(folder)}, which is not an absolute path`, {
      field: name,
      advice: 'Set it to an absolute path.',
    })
  }
  const { ORDERCTL_CONFIG_DIR: own, XDG_CONFIG_HOME: xdg, APPDATA: appData } = environment
  // By the XDG specification, an empty variable counts as unset.
  if (own) return requireAbsolute('ORDERCTL_CONFIG_DIR', own)
  if (xdg) return join(requireAbsolute('XDG_CONFIG_HOME', xdg), 'orderctl')
  if (platform === 'win32' && appData) return join(requireAbsolute('APPDATA', appData), 'orderctl')
  if (!home) {
    throw new Failure('local-state', 'cannot store profiles: there is no home folder', {
      field: 'ORDERCTL_CONFIG_DIR',
      advice: 'Set ORDERCTL_CONFIG_DIR to a folder, or set ORDERCTL_BASE_URL and ORDERCTL_API_KEY.',
    })
  }
  return join(requireAbsolute('the home folder', home), defaults.get(platform) ?? '.config', 'orderctl')
}

export const profilesFile = 'profiles.json'

/** Why a different user could have changed the profiles, which decide where keys go and which commands run. */
const findProfilesExposure = (folder: string) =>
  findExposure(folder, { names: [profilesFile], variable: 'ORDERCTL_CONFIG_DIR' })

const defaults = new Map([
  // Preferences is reserved for macOS itself.
  ['darwin', 'Library/Application Support'],
  ['win32', 'AppData/Roaming'],
])

/** True if that cannot be known. */
export const mentionsJournal = (machine: FolderOptions): boolean => {
  try {
    const file = path.join(findProfilesFolder(machine), profilesFile)
    return !statSync(file).isFile() || readFileSync(file, 'utf8').includes('"journal"')
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT'
  }
}

type Options = {
  readonly folder: string
  /** The value of process.platform. On Windows, file modes are not checked because they mean nothing. */
  readonly platform: string
  /** Called at most once, if other users can read keys. */
  readonly onWarning?: (text: string) => void
}

export type Profiles = ReturnType<typeof openProfiles>

export const openProfiles = ({ folder, platform, onWarning }: Options) => {
  const file = path.join(folder, profilesFile)
  let isChecked = platform === 'win32'

  const read = (): Document => {
    const document = readDocument(file)
    if (isChecked || !document.isSaved) return document
    isChecked = true
    refuseExposure('the profiles', findProfilesExposure(folder))
    const hasKeys = document.profiles.some(({ credential }) => credential?.kind === 'key')
    // The next write of the file also makes it private again.
    if (hasKeys && (statSync(file).mode & 0o044) !== 0) {
      const fix = suggestMode('600', file)
      onWarning?.(
        `other users can read the keys in your profiles${fix === undefined ? '' : `. Type: ${fix}`}`,
      )
    }
    return document
  }

  const change = async (edit: (document: Document) => RawDocument): Promise<void> => {
    if (platform !== 'win32') refuseExposure('the profiles', findProfilesExposure(folder))
    const { changeFile } = await import('./replace-file.ts')
    changeFile(file, () => {
      const next = edit(readDocument(file))
      const checked = checkDocument(next)
      // Never write a file that orderctl could not read back.
      if ('violations' in checked) throw new Failure('usage', 'the profile is not valid', checked)
      return next
    })
  }

  return {
    /** Omits the built-in sandbox. */
    list: () => read().profiles,
    get: (name: string) => read().profiles.find((each) => each.name === name),
    /** The profile in use. The sandbox is the default until a profile is saved. */
    current: () => {
      const { current, isSaved } = read()
      if (current !== undefined) return { name: current, isDefault: false }
      return isSaved ? undefined : { name: sandbox, isDefault: true }
    },

    use: (name: string) =>
      change(({ raw, profiles }) => {
        if (name !== sandbox) requireProfile(profiles, name)
        return { ...raw, current: name }
      }),

    add: (profile: Profile) =>
      change(({ raw, profiles }) => {
        if (profiles.some(({ name }) => name === profile.name)) throw createTakenFailure(profile.name)
        return { ...raw, profiles: [...raw.profiles, profile] }
      }),

    /** Changes only these settings. Does nothing if the profile was removed. */
    update: (name: string, settings: Partial<Profile>) =>
      change(({ raw }) => ({
        ...raw,
        profiles: raw.profiles.map((each) => (each.name === name ? { ...each, ...settings } : each)),
      })),

    /** If the profile was in use, no profile is in use afterwards. */
    remove: (name: string) =>
      change(({ raw, current, profiles }) => {
        requireProfile(profiles, name)
        const { current: _, ...rest } = raw
        const kept = raw.profiles.filter((each) => each.name !== name)
        return { ...(current === name ? rest : raw), profiles: kept } as RawDocument
      }),
  }
}

const requireProfile = (profiles: readonly Profile[], name: string): void => {
  if (!profiles.some((each) => each.name === name)) throw createUnknownProfileFailure(name, profiles)
}

export const createTakenFailure = (name: string): Failure =>
  new Failure('usage', `the profile ${name} already exists`, {
    fix: (suggest) => suggest`profile show ${name}`,
    advice: 'To change its settings, use profile set.',
    field: 'name',
  })

export const createUnknownProfileFailure = (
  name: string,
  profiles: readonly Profile[],
  field = 'profile',
): Failure => {
  if (name === sandbox) return new Failure('usage', 'the sandbox is built in and cannot be changed')
  // An invalid name may be a key that was typed by mistake.
  const named = findNameProblem(name) === undefined ? ` '${name}'` : ' of that name'
  return new Failure('usage', `there is no profile${named}`, {
    advice: (suggest) => `Profiles: ${listNames(profiles)}. Add one: ${suggest`profile add`}`,
    field,
  })
}

export const createNoProfileFailure = (profiles: readonly Profile[]): Failure =>
  new Failure('credentials', `no profile is in use. Profiles: ${listNames(profiles)}`, adviseUse(profiles))

const listNames = (profiles: readonly Profile[]): string =>
  [sandbox, ...profiles.map(({ name }) => name)].join(', ')

export const adviseUse = ([first]: readonly Profile[]): Remedy => ({
  fix: (suggest) => first && suggest`profile use ${first.name}`,
  advice: (suggest) => {
    const add = first === undefined ? `To add a profile on a terminal: ${suggest`profile add --use`}. ` : ''
    return `${add}To use the sandbox: ${suggest`profile use sandbox`}`
  },
})

const kind = 'orderctl profiles'
const version = 1

/** The parsed file, with fields that only a newer orderctl knows. */
type RawDocument = Readonly<Record<string, unknown>> & {
  readonly profiles: readonly (Readonly<Record<string, unknown>> & { readonly name: string })[]
}

type Document = {
  readonly raw: RawDocument
  /** The name of the profile in use. */
  readonly current?: string
  /** False if there is no file, so no profile was ever saved. */
  readonly isSaved: boolean
  readonly profiles: readonly Profile[]
}

/** Lists only the allowed values, because an invalid value may be a key. */
const describe = (path: string, allowed: string): string => `${path} is not valid; allowed: ${allowed}`

const checkDocument = (raw: object): Document | { readonly violations: readonly string[] } => {
  const { current, profiles: found } = raw as { current?: unknown; profiles?: unknown }
  if (!Array.isArray(found)) return { violations: [describe('profiles', 'a list of profiles')] }
  const violations: string[] = []
  const profiles = found
    .map((each, index) =>
      readProfile(each, (field, allowed) =>
        violations.push(describe(`profiles[${index}].${field}`, allowed)),
      ),
    )
    .filter((each) => each !== undefined)
  const names = profiles.map(({ name }) => name)
  const repeated = names.filter((name, index) => names.indexOf(name) !== index)
  violations.push(...repeated.map((name) => `the profile ${name} occurs twice`))
  if (violations.length > 0) return { violations }
  const read = { raw: raw as RawDocument, isSaved: true, profiles }
  // Missing after the profile in use was removed.
  if (current === undefined) return read
  if (typeof current === 'string' && [sandbox, ...names].includes(current)) return { ...read, current }
  return { violations: [describe('current', 'the name of a profile')] }
}

const repairAdvice = 'It was left untouched. Repair it, or move it away and add the profiles again.'

/** Throws if the file is invalid or unreadable. A missing file has no profiles. */
const readDocument = (file: string): Document => {
  const found = readIfExists(file)
  if (found === undefined) {
    // A link without a target once had profiles. Its disk may not be mounted.
    const isLink = lstatSync(file, { throwIfNoEntry: false }) !== undefined
    return { raw: { kind, version, profiles: [] }, isSaved: isLink, profiles: [] }
  }
  const createRefusal = (problem: string, details = {}) =>
    new Failure('local-state', `${file} ${problem}`, { advice: repairAdvice, field: file, ...details })
  const { document: raw, problem } = tryReadJson(found)
  if (problem !== undefined) throw createRefusal(problem.message)
  const head = raw as { kind?: unknown; version?: unknown } | null
  if (typeof head !== 'object' || head?.kind !== kind)
    throw createRefusal('is not a profiles file of orderctl')
  if (head.version !== version) {
    throw typeof head.version === 'number' && head.version > version
      ? createRefusal('was written by a newer orderctl', {
          advice: 'It was left untouched. Update orderctl.',
        })
      : createRefusal('has an unsupported version')
  }
  const checked = checkDocument(head)
  if ('violations' in checked) throw createRefusal('is not valid', checked)
  return checked
}

const readIfExists = (file: string): Uint8Array | undefined => {
  try {
    // Opening a pipe would wait until a different process writes to it.
    if (!statSync(file).isFile())
      throw new Failure('local-state', `${file} is not a file`, { advice: repairAdvice })
    return readFileSync(file)
  } catch (error) {
    if (error instanceof Failure) throw error
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new Failure('local-state', `cannot read the profiles ${file}: ${getErrorReason(error)}`, {
      advice: 'Make the file readable, or set ORDERCTL_CONFIG_DIR to a different folder.',
      field: file,
      cause: error,
    })
  }
}
