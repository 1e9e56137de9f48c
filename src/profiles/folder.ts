// Where the profiles are kept.
import path from 'node:path'
import { Failure } from '../errors.ts'

export type Place = {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** As Node names it: linux, darwin, win32. */
  readonly platform: string
  /** The home folder, where there is one. */
  readonly home?: string | undefined
}

/** Throws where nobody says; so ask when it is needed, not before. */
export const profilesFolder = ({ environment, platform, home }: Place): string => {
  const { isAbsolute, join } = platform === 'win32' ? path.win32 : path.posix
  const absolute = (name: string, folder: string): string => {
    if (isAbsolute(folder)) return folder
    throw new Failure('local-state', `${name} is ${JSON.stringify(folder)}, which is not an absolute path`, {
      field: name,
      fix: 'Name the folder in full, from its root.',
    })
  }
  const { ORDERCTL_CONFIG_DIR: own, XDG_CONFIG_HOME: xdg, APPDATA: appData } = environment
  // As the XDG specification has it, empty is not set.
  if (own) return absolute('ORDERCTL_CONFIG_DIR', own)
  if (xdg) return join(absolute('XDG_CONFIG_HOME', xdg), 'orderctl')
  if (platform === 'win32' && appData) return join(absolute('APPDATA', appData), 'orderctl')
  if (!home) {
    throw new Failure('local-state', 'there is no home folder, so there is no place for profiles', {
      field: 'ORDERCTL_CONFIG_DIR',
      fix: 'Set ORDERCTL_CONFIG_DIR to a folder of your own, or ORDERCTL_BASE_URL and ORDERCTL_API_KEY.',
    })
  }
  return join(absolute('the home folder', home), ...(defaults.get(platform) ?? ['.config']), 'orderctl')
}

const defaults = new Map([
  // Not Preferences, which are macOS's own to write.
  ['darwin', ['Library', 'Application Support']],
  ['win32', ['AppData', 'Roaming']],
])
