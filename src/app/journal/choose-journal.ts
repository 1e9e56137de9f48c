// Which journal a command uses, the file of this machine or the database that a team shares, and whose orders are its own.
// The folder of the file, and of the sandbox's state.
import { existsSync, lstatSync } from 'node:fs'
import path from 'node:path'
import type { Context } from '../../context.ts'
import { getAccountId, sandboxAddress } from '../../contract/account-id.ts'
import { Failure } from '../../errors.ts'
import { type Exposure, findExposure, refuseExposure } from '../../exposure.ts'
import { getErrorReason, makeFolder } from '../../files.ts'
import { journalFile, machineFile } from '../../journal/journal.ts'
import type { Owner } from '../../journal/orders/entries.ts'
import { type Address, isPostgresAddress, parseAddress } from '../../postgres/address.ts'
import { type Account, journalVariable } from '../../profiles/account.ts'
import type { Profile } from '../../profiles/profile.ts'

export type SharedPlace = {
  readonly kind: 'shared'
  /** The address, as it was typed. */
  readonly text: string
  /** A command that prints the password. */
  readonly passwordCommand?: string
}

export type JournalPlace = { readonly kind: 'file' } | SharedPlace

/** The sandbox's orders stay in the file, because its state is a file of this machine, too. */
export const chooseJournal = (
  { environment }: Pick<Context, 'environment'>,
  account: (Pick<Profile, 'journal' | 'journalPasswordCommand'> & { readonly kind?: string }) | undefined,
): JournalPlace => {
  if (account?.kind === 'sandbox') return { kind: 'file' }
  const text = environment[journalVariable] ?? account?.journal
  if (text === undefined) return { kind: 'file' }
  // Another server must not get the password of the profile's journal.
  const command = text === account?.journal ? account?.journalPasswordCommand : undefined
  return { kind: 'shared', text, passwordCommand: command }
}

export const sandboxOwner: Owner = {
  profile: 'sandbox',
  origin: sandboxAddress,
  account: { address: sandboxAddress },
}

export const ownerOf = (account: Account): Owner =>
  account.kind === 'sandbox'
    ? sandboxOwner
    : {
        profile: account.name,
        origin: account.baseUrl,
        account: getAccountId(account.baseUrl, account.account),
      }

type Machine = Pick<Context, 'environment' | 'user'>

/** The name of the journal in messages, and the address of a shared one. */
export const describeJournal = (
  context: Context,
  place: JournalPlace,
): { readonly name: string; readonly place: string | undefined } => {
  if (place.kind === 'file')
    return { name: path.join(stateFolderPath(context), journalFile), place: undefined }
  const { text } = parseJournalAddress(context, place.text)
  return { name: text, place: text }
}

export const parseJournalAddress = ({ environment, user }: Machine, text: string): Address => {
  if (isPostgresAddress(text)) {
    return parseAddress(text, {
      user: environment.PGUSER || user(),
      rootCertificate: environment.PGSSLROOTCERT || undefined,
    })
  }
  const [name, field, unset] =
    environment[journalVariable] === text
      ? [journalVariable, journalVariable, ' Unset it to use the journal of this machine.']
      : ['the journal', '--journal', '']
  throw new Failure('usage', `${name} is ${text === '' ? 'empty' : 'not the address of a database'}`, {
    field,
    advice: `Write it as postgres://user@host/database.${unset}`,
  })
}

const defaults = new Map([
  ['darwin', ['Library', 'Application Support']],
  ['win32', ['AppData', 'Local']],
])

type FolderMachine = Pick<Context, 'environment' | 'platform' | 'home'>

const findFolder = ({ environment, platform, home }: FolderMachine): string | undefined => {
  const { ORDERCTL_STATE_DIR: own, XDG_STATE_HOME: xdg } = environment
  const base = xdg || (home ? path.join(home, ...(defaults.get(platform) ?? ['.local', 'state'])) : undefined)
  return own || (base === undefined ? undefined : path.join(base, 'orderctl'))
}

/** Undefined if this machine has no valid one. It may not exist yet. */
export const findStateFolder = (machine: FolderMachine): string | undefined => {
  const folder = findFolder(machine)
  return folder !== undefined && path.isAbsolute(folder) ? folder : undefined
}

/** The path of the journal of this machine, if it exists. Creates nothing. */
export const findJournalFile = (machine: FolderMachine): string | undefined => {
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
export const stateFolderPath = (machine: FolderMachine): string => {
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
export const openStateFolder = (machine: FolderMachine): string => {
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
export const findStateExposure = (machine: FolderMachine): Exposure | undefined => {
  const folder = findStateFolder(machine)
  if (folder === undefined) return undefined
  const names = [journalFile, machineFile, 'listen.db', 'sandbox.db'].flatMap((name) =>
    ['', '-wal', '-shm', '-journal'].map((ending) => `${name}${ending}`),
  )
  return findExposure(folder, { names, variable: 'ORDERCTL_STATE_DIR' })
}
