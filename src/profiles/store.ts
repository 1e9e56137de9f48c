// The profiles of this machine. Reading is plain, strict and cheap; writing is conf's, under a lock.
import path from 'node:path'
import { Failure } from '../errors.ts'
import { checkDocument, type Document, type Raw, readDocument } from './document.ts'
import { exposure } from './exposure.ts'
import { nameProblem, type Profile, sandbox } from './profile.ts'

export type Profiles = {
  /** Without the sandbox, which is always there. */
  list(): readonly Profile[]
  get(name: string): Profile | undefined
  /** The name of the profile that is acted on when nobody says. */
  current(): string
  use(name: string): Promise<void>
  add(profile: Profile, options?: { readonly replace?: boolean }): Promise<void>
  /** Where it was the current one, the sandbox is from then on. */
  remove(name: string): Promise<{ readonly wasCurrent: boolean }>
}

type Options = {
  readonly folder: string
  /** As Node names it. On Windows, a file's mode says nothing. */
  readonly platform: string
  /** Called once at most, where others can read or change the profiles. */
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
    current: () => read().current,

    use: (name) =>
      change(({ raw, profiles }) => {
        const { current: _, ...rest } = raw
        if (name === sandbox) return rest as Raw
        known(profiles, name)
        return { ...rest, current: name } as Raw
      }),

    add: (profile, { replace = false } = {}) =>
      change(({ raw, profiles }) => {
        if (profiles.every(({ name }) => name !== profile.name)) {
          return { ...raw, profiles: [...raw.profiles, profile] }
        }
        if (replace) {
          return { ...raw, profiles: raw.profiles.map((old) => (old.name === profile.name ? profile : old)) }
        }
        throw new Failure('usage', `there is a profile ${profile.name} already`, {
          fix: 'Add --replace, or choose another name.',
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
  // What is no name may be anything, a key too.
  const named = nameProblem(name) === undefined ? ` ${name}` : ' of that name'
  return new Failure('usage', `there is no profile${named}`, {
    fix: `There are: ${[sandbox, ...profiles.map((each) => each.name)].join(', ')}. orderctl profile add adds one.`,
    field,
  })
}
