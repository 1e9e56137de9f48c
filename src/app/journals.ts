// Which journal a command uses: the file of this machine, or the database that a team shares. Whose orders are its own, and
// the folder of the file and of the sandbox's state. Then opens the journal when it is needed.

import { existsSync, lstatSync } from 'node:fs'
import path from 'node:path'
import type { Context } from '../context.ts'
import { getAccountId, sandboxAddress } from '../contract/account-id.ts'
import type { Clock } from '../contract/time.ts'
import { Failure, interruption } from '../errors.ts'
import { type Exposure, findExisting, findExposure, refuseExposure } from '../exposure.ts'
import { getErrorReason, makeFolder } from '../files.ts'
import type { DamagedRow } from '../journal/access.ts'
import { type Journal, journalFile, machineFile } from '../journal/journal.ts'
import { isKnownLocation, recordLocation } from '../journal/location/location.ts'
import { findSecondPath } from '../journal/location/second-path.ts'
import type { Machine } from '../journal/machine/machine-file.ts'
import type { Owner } from '../journal/orders/entries.ts'
import type { SharedOptions } from '../journal/shared-journal.ts'
import { type Address, isPostgresAddress, parseAddress } from '../postgres/address.ts'
import type { Postgres, PostgresOptions } from '../postgres/open.ts'
import { type Account, journalVariable } from '../profiles/account.ts'
import { runCredentialCommand } from '../profiles/credential.ts'
import type { Profile } from '../profiles/store.ts'
import { sanitize } from '../ui/terminal/text.ts'
import { canPrompt, warnOnce } from './terminal.ts'

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

export const parseJournalAddress = (
  { environment, user }: Pick<Context, 'environment' | 'user'>,
  text: string,
): Address => {
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

type FolderContext = Pick<Context, 'environment' | 'platform' | 'home'>

const findFolder = ({ environment, platform, home }: FolderContext): string | undefined => {
  const { ORDERCTL_STATE_DIR: own, XDG_STATE_HOME: xdg } = environment
  const base = xdg || (home ? path.join(home, ...(defaults.get(platform) ?? ['.local', 'state'])) : undefined)
  return own || (base === undefined ? undefined : path.join(base, 'orderctl'))
}

/** Undefined if this machine has no valid one. It may not exist yet. */
export const findStateFolder = (context: FolderContext): string | undefined => {
  const folder = findFolder(context)
  return folder !== undefined && path.isAbsolute(folder) ? folder : undefined
}

/** The path of the journal of this machine, if it exists. Creates nothing. */
export const findJournalFile = (context: FolderContext): string | undefined => {
  const folder = findStateFolder(context)
  const file = folder && path.join(folder, journalFile)
  try {
    return file && lstatSync(file, { throwIfNoEntry: false }) && file
  } catch {
    // It cannot be known whether it exists.
    return file
  }
}

/** The path of the state folder, which may not exist yet. Throws if there is no valid path. */
export const stateFolderPath = (context: FolderContext): string => {
  const folder = findFolder(context)
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
export const openStateFolder = (context: FolderContext): string => {
  const folder = stateFolderPath(context)
  // Root would create it in the home of another user.
  if (!existsSync(folder)) refuseExposure('the journal', findStateExposure(context))
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
export const findStateExposure = (context: FolderContext): Exposure | undefined => {
  const folder = findStateFolder(context)
  if (folder === undefined) return undefined
  const names = [journalFile, machineFile, 'listen.db', 'sandbox.db'].flatMap((name) =>
    ['', '-wal', '-shm', '-journal'].map((ending) => `${name}${ending}`),
  )
  return findExposure(folder, { names, variable: 'ORDERCTL_STATE_DIR' })
}

/** The password that a person typed for the journal that was opened last. A command may open the journal more than once. */
const acceptedPasswords = new WeakMap<Context, { readonly address: string; readonly password: string }>()

/** `asks` is false with --no-input. */
const openShared = async (
  context: Context,
  place: SharedPlace,
  asks: boolean,
  listeners: Pick<SharedOptions, 'onDamage' | 'identify' | 'onTime' | 'noted'>,
): Promise<Journal> => {
  const { openSharedJournal } = await import('../journal/shared-journal.ts')
  const { options, typed } = createPostgresOptions(context, place, asks)
  const { noted } = listeners
  const journal = await openSharedJournal({
    ...options,
    ...listeners,
    outbox: noted && createOutboxOptions(context, noted.machine),
  })
  const { password } = typed
  if (password !== undefined) acceptedPasswords.set(context, { address: options.address.text, password })
  return journal
}

/** Without its tables, which may be missing or of another version. */
export const openSharedDatabase = async (
  context: Context,
  place: SharedPlace,
  asks: boolean,
): Promise<Postgres> => {
  const { openPostgres } = await import('../postgres/open.ts')
  return openPostgres(createPostgresOptions(context, place, asks).options)
}

const createPostgresOptions = (context: Context, { text, passwordCommand }: SharedPlace, asks: boolean) => {
  const { environment, random, clock, spawn, interrupted } = context
  const address = parseJournalAddress(context, text)
  const typed: { password?: string | undefined } = {}

  const askPassword = async (): Promise<string | undefined> => {
    if (passwordCommand !== undefined)
      return runCredentialCommand(passwordCommand, { spawn, clock, interrupted, secret: 'journal password' })
    const accepted = acceptedPasswords.get(context)
    if (accepted?.address === address.text) return accepted.password
    if (!asks) return undefined
    typed.password = await context.promptSecret(`Database password of ${sanitize(address.user)} (not shown)`)
    if (typed.password === undefined) throw interruption(interrupted, 'cancelled; nothing was sent')
    return typed.password
  }
  const options: PostgresOptions = {
    ...{ address, environment, random, askPassword },
    sleep: (ms) => clock.sleep(ms),
    warn: (text) => warnOnce(context, sanitize(text)),
  }
  return { options, typed }
}

const createOutboxOptions = ({ stderr, suggest }: Context, machine: Machine): SharedOptions['outbox'] => ({
  onSaved: (name) =>
    stderr.warn(
      `the outcome of ${sanitize(name)} was saved on this machine (${machine.file}), and the next orderctl command will write it to the journal`,
    ),
  onProblem: (problem) =>
    stderr.warn(`${sanitize(problem)}. Run this: ${suggest`reconcile`}. Then use journal forget`),
})

type Work = (journal: Journal) => Promise<void>

/** The journal of a command, opened when it is needed. */
export type Journals = {
  readonly place: JournalPlace
  /** The clock of the database, once a shared journal is open: the machines of a team may disagree. */
  readonly clock: Clock
  /**
   * An empty journal if nothing was ever ordered. Throws if that cannot be known. A journal that cannot be written is only
   * read, and writing to it fails.
   */
  readonly openExisting: () => Promise<Journal>
  /** Creates the journal if it is missing. Throws if it cannot be used safely: then nothing may be sent. */
  readonly openOrCreate: () => Promise<Journal>
  /** Optional work on the journal, if there is one. A failure is only a warning, printed once. */
  readonly attempt: (purpose: string, work: Work) => Promise<void>
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

type Options = {
  readonly noInput?: boolean | undefined
  /** Default: the journal of the account. */
  readonly place?: JournalPlace
}

/** `account` is the one that the command acts on, if it acts on one. */
export const journalsOf = (
  context: Context,
  account: Account | undefined,
  options: Options = {},
): Journals => {
  const { place = chooseJournal(context, account) } = options
  /** How far the clock of the database is ahead of this machine's clock. */
  let aheadMs = 0
  let opened: Promise<Journal> | undefined
  let readable: Promise<Journal> | undefined
  let hasWarned = false
  let machine: Promise<Machine | undefined> | undefined

  const loadMachine = async (): Promise<Machine | undefined> => {
    const folder = findStateFolder(context)
    if (folder === undefined) return undefined
    return (await import('../journal/file-journal.ts')).openMachine(folder)
  }

  const openMachine = (): Promise<Machine | undefined> => {
    machine ??= loadMachine()
    return machine
  }

  const createOptions = (remembers: Machine | undefined) => ({
    onDamage: (row: DamagedRow) => warnOfDamage(context, row),
    identify: () => ({ osUser: context.user(), host: context.host(), assistant: context.assistant }),
    now: () => context.clock.now(),
    noted:
      remembers === undefined || account?.kind === 'sandbox'
        ? undefined
        : { machine: remembers, account: account && ownerOf(account).account },
  })

  /** A journal has one path. If it is new or was moved, it is opened only on a local disk with working locks. */
  const openFile = async (): Promise<Journal> => {
    const file = path.join(openStateFolder(context), journalFile)
    refuseExposure('the journal', findStateExposure(context))
    const refusal = findSecondPath(file)
    if (refusal !== undefined) throw refusal
    const { openJournal } = await import('../journal/file-journal.ts')
    const remembers = await openMachine()
    const parts = createOptions(remembers)
    if (remembers !== undefined && isKnownLocation(file, remembers)) return openJournal(file, parts)
    const { checkLocation } = await import('../journal/location/check-location.ts')
    const isChecked = await checkLocation(file, context)
    const journal = await openJournal(file, parts)
    if (isChecked && remembers !== undefined) await recordLocation(file, remembers)
    return journal
  }

  const openDatabase = async (shared: SharedPlace): Promise<Journal> => {
    // It records the outcomes that this machine has saved, and compares the newest call.
    refuseExposure('the journal', findStateExposure(context))
    const remembers = await openMachine()
    if (remembers !== undefined && !existsSync(remembers.file)) {
      const { refuseNetworkDisk } = await import('../journal/location/check-location.ts')
      refuseNetworkDisk(findExisting(path.dirname(remembers.file)), context)
    }
    return openShared(context, shared, canPrompt(context, options), {
      ...createOptions(remembers),
      onTime: (ms) => {
        aheadMs = Math.round(ms - context.clock.now())
      },
    })
  }

  const openOrCreate = (): Promise<Journal> => {
    opened ??= place.kind === 'file' ? openFile() : openDatabase(place)
    return opened
  }

  const warn = (what: string, why: string): void => {
    if (!hasWarned) context.stderr.warn(`${what}: ${sanitize(why)}`)
    hasWarned = true
  }

  /** A journal that cannot be written can still be read: of another user, with two paths, on a full or read-only disk. */
  const readAlone = async (error: unknown): Promise<Journal> => {
    const file = findJournalFile(context)
    if (file === undefined) throw error
    // A damaged file, or one that is no journal, is not read either.
    const isUnusable = error instanceof Failure && error.details.cause !== undefined
    const exposure = findStateExposure(context)
    if (!isUnusable && exposure === undefined && findSecondPath(file) === undefined) throw error
    if (exposure !== undefined) warn('orderctl only reads the journal', exposure.reason)
    const { openJournalForReading } = await import('../journal/file-journal.ts')
    return openJournalForReading(file, createOptions(await openMachine())).catch(() => {
      throw error
    })
  }

  /** Whether anything was ever ordered with this journal, as far as that can be known without opening it. */
  const isThere = (): boolean =>
    opened !== undefined || place.kind === 'shared' || findJournalFile(context) !== undefined

  const openExisting = async (): Promise<Journal> => {
    if (place.kind === 'file') stateFolderPath(context)
    if (!isThere()) return (await import('../journal/file-journal.ts')).createEmptyJournal()
    readable ??= place.kind === 'file' ? openOrCreate().catch(readAlone) : openOrCreate()
    return readable
  }

  /** The optional work in progress. */
  const attempts = new Set<Promise<void>>()

  const tryWork = async (purpose: string, work: Work): Promise<void> => {
    try {
      if (isThere()) await work(await openExisting())
    } catch (error) {
      // Ctrl-C at the prompt for the password.
      if (error instanceof Failure && ['interrupted', 'terminated'].includes(error.kind)) throw error
      warn(purpose, error instanceof Error ? error.message : String(error))
    }
  }

  return {
    place,
    clock: { ...context.clock, now: () => context.clock.now() + aheadMs },
    openExisting,
    openOrCreate,
    attempt: (purpose, work) => {
      const attempted = tryWork(purpose, work).finally(() => attempts.delete(attempted))
      attempts.add(attempted)
      return attempted
    },
    [Symbol.asyncDispose]: async () => {
      // After a failure, other work may not be awaited by the command.
      await Promise.allSettled(attempts)
      const all = await Promise.all([opened, readable].map((each) => each?.catch(() => undefined)))
      await Promise.all([...new Set(all)].map((journal) => journal?.close()))
      ;(await machine)?.[Symbol.dispose]()
    },
  }
}

const warnOfDamage = (context: Context, { kind, number = 0, orderId, columns }: DamagedRow): void => {
  const id = sanitize(orderId ?? 'without id')
  const rows = {
    order: `the order ${id} (entry ${number})`,
    call: `a call of entry ${number}`,
    reveal: `a reveal of the order ${id}`,
    batch: `the batch with the number ${number}`,
    row: `the row ${number} of a batch`,
    card: `the card ${number} of a batch`,
  }
  warnOnce(context, `${rows[kind]} is damaged in the journal: cannot read ${columns.join(', ')}`)
}
