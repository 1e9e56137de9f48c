// Opens the saved profiles of this machine.
import type { Context } from '../../context.ts'
import { findProfilesFolder } from '../../profiles/folder.ts'
import { openProfiles, type Profiles } from '../../profiles/store.ts'

export const profilesOf = (
  { environment, platform, home, stderr }: Context,
  onWarning = (text: string): void => stderr.write(`warning: ${text}\n`),
): Profiles =>
  openProfiles({ folder: findProfilesFolder({ environment, platform, home }), platform, onWarning })
