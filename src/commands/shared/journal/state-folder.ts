// Where orderctl keeps what it knows: the journal, and the sandbox's state.
import { lstatSync } from 'node:fs'
import path from 'node:path'
import type { Context } from '../../../context.ts'
import { Failure } from '../../../errors.ts'
import { getErrorReason, makeFolder } from '../../../files.ts'

export const journalFile = 'journal.db'

const defaults = new Map([
  ['darwin', ['Library', 'Application Support']],
  ['win32', ['AppData', 'Local']],
])

type Surroundings = Pick<Context, 'environment' | 'platform' | 'home'>

const placeOf = ({ environment, platform, home }: Surroundings): string | undefined => {
  const { ORDERCTL_STATE_DIR: own, XDG_STATE_HOME: xdg } = environment
  const base = xdg || (home ? path.join(home, ...(defaults.get(platform) ?? ['.local', 'state'])) : undefined)
  return own || (base === undefined ? undefined : path.join(base, 'orderctl'))
}

/** Whether nothing is there; what cannot be looked at may be. */
const isMissing = (file: string): boolean => {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) === undefined
  } catch {
    return false
  }
}

/** A file that is kept there; makes nothing. */
export const keptFile = (name: string, surroundings: Surroundings): string | undefined => {
  const folder = placeOf(surroundings)
  if (folder === undefined || !path.isAbsolute(folder)) return undefined
  const file = path.join(folder, name)
  return isMissing(file) ? undefined : file
}

/** Throws where there is no place for it. */
export const statePlace = (surroundings: Surroundings): string => {
  const folder = placeOf(surroundings)
  if (folder === undefined || !path.isAbsolute(folder)) {
    const what =
      folder === undefined ? 'there is no home folder' : `${JSON.stringify(folder)} is not an absolute path`
    throw new Failure('local-state', `${what}, so there is no place to keep state`, {
      field: 'ORDERCTL_STATE_DIR',
      fix: 'Set ORDERCTL_STATE_DIR to a folder of your own.',
    })
  }
  return folder
}

/** Made where it is not there; for its owner alone. */
export const stateFolder = (surroundings: Surroundings): string => {
  const folder = statePlace(surroundings)
  try {
    makeFolder(folder, 0o700)
  } catch (error) {
    throw new Failure('local-state', `cannot make the folder ${folder}: ${getErrorReason(error)}`, {
      field: 'ORDERCTL_STATE_DIR',
      fix: 'Set ORDERCTL_STATE_DIR to a folder that you may write to.',
      cause: error,
    })
  }
  return folder
}
