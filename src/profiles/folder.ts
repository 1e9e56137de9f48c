// Finds the folder of the profiles.
import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { Failure } from '../errors.ts'
import { findExposure } from '../exposure.ts'

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
export const findProfilesExposure = (folder: string) =>
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
