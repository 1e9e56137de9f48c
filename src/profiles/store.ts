// The profiles of this machine. Reading is plain, strict and cheap; writing is conf's, under a lock.
import path from 'node:path'
import { Failure } from '../errors.ts'
import { checkDocument, type Document, type Raw, readDocument } from './document.ts'
import { exposure } from './exposure.ts'
import { nameProblem, type Profile, sandbox } from './profile.ts'

type Current = {
  readonly name: string
  /** The sandbox is the default as long as no profile was ever saved. */
  readonly isDefault: boolean
}

export type Profiles = {
  /** Without the sandbox, which is always there. */
  list(): readonly Profile[]
  get(name: string): Profile | undefined
  /** The profile in use; undefined if none is. */
  current(): Current | undefined
  use(name: string): Promise<void>
  add(profile: Profile, options?: { readonly replace?: boolean }): Promise<void>
  /** If it was in use, none is afterwards. */
  remove(name: string): Promise<{ readonly wasCurrent: boolean }>
}

type Options = {
  readonly folder: string
  /** As Node names it. On Windows, a file's mode says nothing. */
  readonly platform: string
  /** Called once at most, if others can read or change the profiles. */
  readonly onWarning?: (text: string) => void
}

export const openProfiles = ({ folder, platform, onWarning }: Options): Profiles => {
  const file = path.join(folder, 'profiles.json')
  let warned = platform === 'win32'

  const read = (): Document => {
    const document = readDocument(file)
    if (!warned && onWarning !== undefined) {
      warned = true
      const holdsKey = document.profiles.some(({ credential }) => credential?.kind === 'key')
      const warning = exposure(file, holdsKey)
      if (warning !== undefined) onWarning(warning)
    }
    return document
  }

  const change = async (edit: (document: Document) => Raw): Promise<void> => {
    const { changeFile } = await import('./replace-file.ts')
    changeFile(file, () => {
      const next = edit(readDocument(file))
      const checked = checkDocument(next)
      // What could not be read back must not be written.
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
        if (name !== sandbox) known(profiles, name)
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
        throw new Failure('usage', `the profile ${profile.name} already exists`, {
          fix: 'Use --replace to replace it, or choose another name.',
          field: 'name',
        })
      }),

    remove: async (name) => {
      let wasCurrent = false
      await change(({ raw, current, profiles }) => {
        known(profiles, name)
        wasCurrent = current === name
        const { current: _, ...rest } = raw
        const kept = raw.profiles.filter((each) => each.name !== name)
        return { ...(wasCurrent ? rest : raw), profiles: kept } as Raw
      })
      return { wasCurrent }
    },
  }
}

const known = (profiles: readonly Profile[], name: string): void => {
  if (!profiles.some((each) => each.name === name)) throw unknownProfile(name, profiles)
}

export const unknownProfile = (name: string, profiles: readonly Profile[], field = 'profile'): Failure => {
  if (name === sandbox) return new Failure('usage', 'the sandbox is built in: it cannot be removed')
  // A text that cannot be a name may be anything, even a key.
  const named = nameProblem(name) === undefined ? ` ${name}` : ' of that name'
  return new Failure('usage', `there is no profile${named}`, {
    fix: `Profiles: ${namesOf(profiles)}. To add one: orderctl profile add NAME`,
    field,
  })
}

export const noProfileInUse = (profiles: readonly Profile[]): Failure =>
  new Failure('credentials', `no profile is in use. Profiles: ${namesOf(profiles)}`, {
    fix: waysToUse(profiles),
  })

const namesOf = (profiles: readonly Profile[]): string =>
  [sandbox, ...profiles.map(({ name }) => name)].join(', ')

/** The commands that put a profile in use. */
export const waysToUse = ([first]: readonly Profile[]): string =>
  `${first === undefined ? 'orderctl profile add NAME --use' : `orderctl profile use ${first.name}`}, or orderctl profile use ${sandbox}`
