// The checks of the profiles: whether the file can be read, who can read it, and which profile is in use.
import type { Context } from '../../context.ts'
import type { FileCheck } from '../../journal/status/file.ts'
import { environmentName, type Profile } from '../../profiles/profile.ts'
import { describeUseCommands } from '../../profiles/store.ts'
import type { Check } from '../../ui/screens/doctor.ts'
import { profilesOf } from '../shared/profiles-of.ts'
import { attempt, ok, problem, warning } from './check.ts'
import { needsProfiles } from './folders.ts'

export type FoundProfiles = {
  readonly profiles: readonly Profile[]
  readonly checks: readonly Check[]
}

/** `journal` is the journal of this machine, if it can be read. */
export const checkProfiles = (context: Context, journal: FileCheck | undefined): FoundProfiles => {
  const warnings: Check[] = []
  let profiles: readonly Profile[] = []
  const onWarning = (text: string): void => {
    const [what = '', fix] = text.split('. Type: ')
    warnings.push(warning('Profiles', what, fix))
  }
  const read = attempt('Profiles', () => {
    if (!needsProfiles(context)) return []
    const store = profilesOf(context, onWarning)
    profiles = store.list()
    return [describeCount(profiles), checkCurrent(context, store.current(), profiles, journal)]
  })
  return { profiles, checks: [...read, ...warnings] }
}

const describeCount = ({ length }: readonly Profile[]): Check =>
  ok('Saved', length === 0 ? 'none besides the sandbox' : String(length))

const checkCurrent = (
  { environment }: Context,
  current: { readonly name: string; readonly isDefault: boolean } | undefined,
  profiles: readonly Profile[],
  journal: FileCheck | undefined,
): Check => {
  if (environment.ORDERCTL_PROFILE !== undefined)
    return ok('In use', `${environment.ORDERCTL_PROFILE}, by ORDERCTL_PROFILE`)
  if (environment.ORDERCTL_BASE_URL !== undefined)
    return ok('In use', `the ${environmentName}, by ORDERCTL_BASE_URL`)
  if (current === undefined) return warning('In use', 'no profile', describeUseCommands(profiles))
  if (current.isDefault && journal?.hasServiceAccount === true)
    return problem(
      'In use',
      'no profile is saved, but the journal has orders of a real account',
      describeUseCommands([]),
    )
  return ok('In use', current.isDefault ? `${current.name}, the default: no real money` : current.name)
}
