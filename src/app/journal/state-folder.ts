// The folder of the journal and of the sandbox's state.
import { existsSync, lstatSync } from 'node:fs'
import path from 'node:path'
import type { Context } from '../../context.ts'
import { Failure } from '../../errors.ts'
import { type Exposure, findExposure, refuseExposure } from '../../exposure.ts'
import { getErrorReason, makeFolder } from '../../files.ts'
import { journalFile, machineFile } from '../../journal/file-names.ts'

const defaults = new Map([
  ['darwin', ['Library', 'Application Support']],
  ['win32', ['AppData', 'Local']],
])

type Machine = Pick<Context, 'environment' | 'platform' | 'home'>

const findFolder = ({ environment, platform, home }: Machine): string | undefined => {
  const { ORDERCTL_STATE_DIR: own, XDG_STATE_HOME: xdg } = environment
  const base = xdg || (home ? path.join(home, ...(defaults.get(platform) ?? ['.local', 'state'])) : undefined)
  return own || (base === undefined ? undefined : path.join(base, 'orderctl'))
}

/** Undefined if this machine has no valid one. It may not exist yet. */
export const findStateFolder = (machine: Machine): string | undefined => {
  const folder = findFolder(machine)
  return folder !== undefined && path.isAbsolute(folder) ? folder : undefined
}

/** The path of the journal of this machine, if it exists. Creates nothing. */
export const findJournalFile = (machine: Machine): string | undefined => {
  const folder = findStateFolder(machine)
  const file = folder && path.join(folder, journalFile)
  try {
    return file && lstatSync(file, { throwIfNoEntry: false }) && file
  } catch {
    // It cannot be known whether it exists.
    return file
  }
}

/** The path of the state folder, which may not exist yet. Throws if there is no valid path. */
export const stateFolderPath = (machine: Machine): string => {
  const folder = findFolder(machine)
  if (folder === undefined || !path.isAbsolute(folder)) {
    const reason =
      folder === undefined ? 'there is no home folder' : `${JSON.stringify(folder)} is not an absolute path`
    throw new Failure('local-state', `cannot store the journal: ${reason}`, {
      field: 'ORDERCTL_STATE_DIR',
      advice: 'Set ORDERCTL_STATE_DIR to the absolute path of a folder.',
    })
  }
  return folder
}

/** The path of the state folder. Creates it if it does not exist, readable only by its owner. */
export const openStateFolder = (machine: Machine): string => {
  const folder = stateFolderPath(machine)
  // Root would create it in the home of another user.
  if (!existsSync(folder)) refuseExposure('the journal', findStateExposure(machine))
  try {
    makeFolder(folder, 0o700)
  } catch (error) {
    throw new Failure('local-state', `cannot create the folder ${folder}: ${getErrorReason(error)}`, {
      field: 'ORDERCTL_STATE_DIR',
      advice: 'Set ORDERCTL_STATE_DIR to a folder that you may write to.',
      cause: error,
    })
  }
  return folder
}

/** Why another user could have changed what orderctl knows about orders. */
export const findStateExposure = (machine: Machine): Exposure | undefined => {
  const folder = findStateFolder(machine)
  if (folder === undefined) return undefined
  const names = [journalFile, machineFile, 'listen.db', 'sandbox.db'].flatMap((name) =>
    ['', '-wal', '-shm', '-journal'].map((ending) => `${name}${ending}`),
  )
  return findExposure(folder, { names, variable: 'ORDERCTL_STATE_DIR' })
}
