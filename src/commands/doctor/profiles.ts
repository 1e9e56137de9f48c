// The checks of the profiles: whether the file can be read, which profile is in use, and where the keys are kept.
import { statSync } from 'node:fs'
import path from 'node:path'
import type { Context } from '../../context.ts'
import { formatMode } from '../../exposure.ts'
import { findProfilesFolder, profilesFile } from '../../profiles/folder.ts'
import { type Credential, environmentName } from '../../profiles/profile.ts'
import { describeUseCommands, type Profiles } from '../../profiles/store.ts'
import { attempt, type Found, named, ok, warning } from '../shared/checks/check.ts'
import { refuseLostProfiles } from '../shared/profile-in-use.ts'
import { profilesOf } from '../shared/profiles-of.ts'
import { needsProfiles } from './folders.ts'

export const checkProfiles = async (context: Context): Promise<readonly Found[]> => {
  if (!needsProfiles(context)) return []
  const store = profilesOf(context)
  const saved = store.list()
  return [
    named('Saved', ok(saved.length === 0 ? 'none besides the sandbox' : String(saved.length))),
    await attempt('In use', () => findCurrent(context, store)),
    ...saved.map(({ name, credential }) =>
      named(`${name} credential`, ok(describeCredential(context, credential))),
    ),
  ]
}

const findCurrent = async (context: Context, store: Profiles): Promise<Found> => {
  const { ORDERCTL_PROFILE: named, ORDERCTL_BASE_URL: baseUrl } = context.environment
  if (named !== undefined) return ok(`${named}, by ORDERCTL_PROFILE`)
  if (baseUrl !== undefined) return ok(`the ${environmentName}, by ORDERCTL_BASE_URL`)
  const current = store.current()
  if (current === undefined) return warning('no profile', describeUseCommands(store.list()))
  if (!current.isDefault) return ok(current.name)
  await refuseLostProfiles(context, true)
  return ok(`${current.name}, the default: no real money`)
}

const describeCredential = (context: Context, credential: Credential | undefined): string => {
  if (credential === undefined) return 'none'
  if (credential.kind === 'command') return 'a command prints the key when it is needed'
  if (credential.kind === 'system') return 'key in the credential store of the system'
  const file = path.join(findProfilesFolder(context), profilesFile)
  const mode = context.platform === 'win32' ? '' : ` (mode ${formatMode(statSync(file).mode)})`
  return `key in ${file}${mode}`
}
