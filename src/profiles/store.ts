// The profiles of this machine. conf writes them under a lock, but does not read them.
import { statSync } from 'node:fs'
import path from 'node:path'
import type { Fix } from '../errors.ts'
import { Failure } from '../errors.ts'
import { refuseExposure } from '../exposure.ts'
import { quoteShellWord } from '../text/shell-word.ts'
import { checkDocument, type Document, type RawDocument, readDocument } from './document.ts'
import { findProfilesExposure, profilesFile } from './folder.ts'
import { findNameProblem, type Profile, sandbox } from './profile.ts'

type Current = {
  readonly name: string
  /** The sandbox is the default until a profile is saved. */
  readonly isDefault: boolean
}

export type Profiles = {
  /** Omits the built-in sandbox. */
  list(): readonly Profile[]
  get(name: string): Profile | undefined
  /** The profile in use. */
  current(): Current | undefined
  use(name: string): Promise<void>
  add(profile: Profile, options?: { readonly replace?: boolean }): Promise<void>
  /** Changes only these settings. Does nothing if the profile was removed. */
  update(name: string, settings: Pick<Profile, 'lastJournal'> | Pick<Profile, 'credential'>): Promise<void>
  /** If the profile was in use, no profile is in use afterwards. */
  remove(name: string): Promise<{ readonly wasCurrent: boolean }>
}

type Options = {
  readonly folder: string
  /** The value of process.platform. On Windows, file modes are not checked because they mean nothing. */
  readonly platform: string
  /** Called at most once, if other users can read keys. */
  readonly onWarning?: (text: string) => void
}

export const openProfiles = ({ folder, platform, onWarning }: Options): Profiles => {
  const file = path.join(folder, profilesFile)
  let isChecked = platform === 'win32'

  const read = (): Document => {
    const document = readDocument(file)
    if (!isChecked && document.isSaved) {
      isChecked = true
      refuseExposure('the profiles', findProfilesExposure(folder))
      if (areKeysReadable(file, document))
        onWarning?.(`other users can read the keys in your profiles. Type: chmod 600 ${quoteShellWord(file)}`)
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
    list: () => read().profiles,
    get: (name) => read().profiles.find((each) => each.name === name),
    current: () => {
      const { current, isSaved } = read()
      if (current !== undefined) return { name: current, isDefault: false }
      return isSaved ? undefined : { name: sandbox, isDefault: true }
    },

    use: (name) =>
      change(({ raw, profiles }) => {
        if (name !== sandbox) requireProfile(profiles, name)
        return { ...raw, current: name }
      }),

    add: (profile, { replace = false } = {}) =>
      change(({ raw, profiles }) => {
        if (profiles.every(({ name }) => name !== profile.name)) {
          return { ...raw, profiles: [...raw.profiles, profile] }
        }
        if (replace) {
          return { ...raw, profiles: raw.profiles.map((old) => (old.name === profile.name ? profile : old)) }
        }
        throw createTakenFailure(profile.name)
      }),

    update: (name, settings) =>
      change(({ raw }) => ({
        ...raw,
        profiles: raw.profiles.map((each) => (each.name === name ? { ...each, ...settings } : each)),
      })),

    remove: async (name) => {
      let wasCurrent = false
      await change(({ raw, current, profiles }) => {
        requireProfile(profiles, name)
        wasCurrent = current === name
        const { current: _, ...rest } = raw
        const kept = raw.profiles.filter((each) => each.name !== name)
        return { ...(wasCurrent ? rest : raw), profiles: kept } as RawDocument
      })
      return { wasCurrent }
    },
  }
}

/** The next write of the file makes it private again. */
const areKeysReadable = (file: string, { profiles }: Document): boolean =>
  profiles.some(({ credential }) => credential?.kind === 'key') && (statSync(file).mode & 0o044) !== 0

const requireProfile = (profiles: readonly Profile[], name: string): void => {
  if (!profiles.some((each) => each.name === name)) throw createUnknownProfileFailure(name, profiles)
}

export const createTakenFailure = (name: string): Failure =>
  new Failure('usage', `the profile ${name} already exists`, {
    fix: 'Use --replace to replace it, or choose another name.',
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
    fix: `Profiles: ${listNames(profiles)}. Add one: orderctl profile add NAME`,
    field,
  })
}

export const createNoProfileFailure = (profiles: readonly Profile[]): Failure =>
  new Failure('credentials', `no profile is in use. Profiles: ${listNames(profiles)}`, {
    fix: describeUseCommands(profiles),
  })

const listNames = (profiles: readonly Profile[]): string =>
  [sandbox, ...profiles.map(({ name }) => name)].join(', ')

export const describeUseCommands =
  ([first]: readonly Profile[]): Fix =>
  (suggest) =>
    `${first === undefined ? suggest`profile add NAME --use` : suggest`profile use ${first.name}`}, or ${suggest`profile use sandbox`}`
