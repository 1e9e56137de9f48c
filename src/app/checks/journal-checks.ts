// The checks of journals: the file of this machine, those that teams share, and outcomes that they do not have yet.
import { statSync } from 'node:fs'
import path from 'node:path'
import type { Context } from '../../context.ts'
import type { AccountId } from '../../contract/account-id.ts'
import { findExisting, suggestMode } from '../../exposure.ts'
import { cleanIdentity } from '../../journal/actors.ts'
import { journalFile } from '../../journal/file-names.ts'
import { checkLocation } from '../../journal/location/check-location.ts'
import { isKnownLocation } from '../../journal/location/location.ts'
import { findSecondPath } from '../../journal/location/second-path.ts'
import { type Machine, openMachine } from '../../journal/machine/machine-file.ts'
import { readNotes } from '../../journal/machine/newest-call.ts'
import {
  isOutcome,
  type KeptEvent,
  type KeptOutcome,
  type KeptReveals,
  listEvents,
} from '../../journal/machine/outbox.ts'
import { newestRows, readFileStatus, readSharedStatus } from '../../journal/status.ts'
import { schema, versions } from '../../journal/tables/list.ts'
import { checkServer } from '../../postgres/open.ts'
import type { Account } from '../../profiles/account.ts'
import { describeCount, formatBytes } from '../../ui/text/amounts.ts'
import { formatIso, formatRelative } from '../../ui/text/time.ts'
import { openSharedDatabase } from '../journal/open-shared.ts'
import {
  findJournalFile,
  findStateFolder,
  type JournalPlace,
  ownerOf,
  parseJournalAddress,
  type SharedPlace,
  stateFolderPath,
} from '../journal/place.ts'
import {
  type Check,
  describeMode,
  type Found,
  fromError,
  judgeClock,
  named,
  ok,
  problem,
  warning,
} from './check.ts'

type Options = {
  /** Check every page of the file, even if it is large. */
  readonly isWhole: boolean
  /** Prompt for the password of a shared journal. */
  readonly asks: boolean
  /** Undefined for all accounts. */
  readonly account?: Account | undefined
}

export const listJournalChecks = (
  context: Context,
  places: readonly JournalPlace[],
  options: Options,
): readonly Check[] => {
  const group = 'Journal'
  const shared = places.filter((place) => place.kind === 'shared')
  return [
    ...(places.length > shared.length ? listFileChecks(context, options) : []),
    ...(shared.length > 0 ? [{ name: 'This machine', find: describeMachine }] : []),
    ...shared.map((place) => ({
      name: 'Shared journal',
      needsNetwork: true as const,
      find: (own: Context) => checkShared(own, place, options),
    })),
    { name: 'Outcomes', find: checkOutcomes },
  ].map((check) => ({ group, ...check }))
}

/** Runs `use` with the machine file. Undefined if this machine has no state folder. */
export const withMachine = async <Result>(
  context: Context,
  use: (machine: Machine) => Result | Promise<Result>,
): Promise<Result | undefined> => {
  const folder = findStateFolder(context)
  if (folder === undefined) return undefined
  using machine = openMachine(folder)
  return await use(machine)
}

const findAccountId = ({ account }: Options): AccountId | undefined => account && ownerOf(account).account

const listFileChecks = (context: Context, options: Options) => {
  const file = findJournalFile(context)
  return [
    { name: 'File', find: (own: Context) => checkFile(own, file) },
    ...(file === undefined
      ? []
      : [{ name: 'Content', find: (own: Context) => checkContent(own, file, options) }]),
    { name: 'Disk', find: (own: Context) => checkDisk(own, file) },
  ]
}

const checkFile = (context: Context, file: string | undefined): Found => {
  if (file === undefined) {
    const missing = path.join(stateFolderPath(context), journalFile)
    return ok(`${missing} does not exist yet. Your first order creates it`)
  }
  const shown = `${file}${describeMode(context, file)}`
  return context.platform === 'win32' || (statSync(file).mode & 0o077) === 0
    ? ok(shown)
    : warning(`${shown}: other users can read or change it`, { fix: () => suggestMode('600', file) })
}

const describeContents = (
  { orders, batches, bytes }: Readonly<Record<'orders' | 'batches' | 'bytes', number>>,
  version: number,
  file?: string,
): Found => {
  const counts = `${describeCount(orders, 'order')}, ${describeCount(batches, 'batch', 'batches')}`
  const data = { file, version, orders, batches, bytes }
  return ok(`${counts}, ${formatBytes(bytes)}, version ${version}`, data)
}

const checkContent = async (context: Context, file: string, options: Options): Promise<readonly Found[]> => {
  const account = findAccountId(options)
  const status = await withMachine(context, (machine) =>
    readFileStatus(file, { ...options, here: { machine, account, name: file, place: undefined } }),
  )
  if (status === undefined)
    return [
      warning(`not checked: a command was killed, and ${file}-wal has changes that are not in the file yet`, {
        fix: (suggest) => suggest`list`,
        advice: (suggest) => `${suggest`list`} adds these changes. Then run this command again.`,
      }),
    ]
  const orders = named('Orders', describeContents(status, schema.version, file))
  const { bytes, damage, conflict } = status
  if (damage.length > 0) {
    const advice = 'Restore a backup. Until then, check each order with get before you order again.'
    return [orders, problem(`${file} is damaged: ${damage.join('; ')}`, { advice })]
  }
  if (conflict !== undefined) return [orders, fromError(conflict)]
  const size = formatBytes(bytes)
  const rows = newestRows.toLocaleString('en-US')
  const checked = status.isWhole
    ? `not damaged: checked all of ${size}`
    : `checked the newest ${rows} orders and calls of ${size}. To check all: orderctl doctor --full`
  return [orders, ok(checked)]
}

/** As the first command that opens the journal: see open-journal.ts. */
const checkDisk = async (context: Context, existing: string | undefined): Promise<Found> => {
  // A new file is created below this folder.
  const file = existing ?? path.join(findExisting(stateFolderPath(context)), journalFile)
  const refusal = findSecondPath(file)
  if (refusal !== undefined) return fromError(refusal)
  const isKnown = await withMachine(context, (machine) => isKnownLocation(file, machine))
  if (!isKnown) await checkLocation(file, context)
  return ok('local, and its file locks work')
}

/** What is known while the database is away. */
const describeMachine = async (context: Context): Promise<readonly Found[]> => {
  const { osUser: user, host } = cleanIdentity({ osUser: context.user(), host: context.host() })
  const notes = await withMachine(context, (machine) => readNotes({ machine, account: undefined }))
  return [
    ok(`${user} on ${host}`, { user, host }),
    ...(notes?.journals ?? []).flatMap(({ place, newest }) => {
      if (newest === undefined) return []
      const ago = formatRelative(newest.startedAt, context.clock.now())
      const where = place ?? path.join(stateFolderPath(context), journalFile)
      const data = { place: where, at: formatIso(newest.startedAt) }
      return named('Newest call', ok(`${ago} in ${where}, as far as this machine knows`, data))
    }),
  ]
}

const checkShared = async (
  context: Context,
  place: SharedPlace,
  options: Options,
): Promise<readonly Found[]> => {
  const { clock, interrupted } = context
  const { text: name } = parseJournalAddress(context, place.text)
  const postgres = await openSharedDatabase(context, place, options.asks)
  interrupted.addEventListener('abort', () => void postgres.close(), { once: true })
  try {
    const account = findAccountId(options)
    const found = await withMachine(context, (machine) =>
      readSharedStatus(postgres, name, { machine, account, name, place: name }),
    )
    const { role, tables, conflict } = found ?? (await readSharedStatus(postgres, name, undefined))
    const judge = (): Found => {
      const reachable = `${name} responds, role ${role}`
      if (conflict !== undefined) return fromError(conflict)
      if (tables === undefined)
        return warning(`${reachable}, but it has no tables yet`, {
          fix: (suggest) => suggest`journal migrate`,
        })
      if (tables.canWrite) return ok(reachable)
      return problem(`${reachable}, but the role may not record orders`, {
        advice: (suggest) => `Ask its owner to run: ${suggest`journal migrate ${{ grant: role }}`}`,
      })
    }
    const main = await checkServer(postgres, name).then(judge, fromError)
    if (tables === undefined) return [main]
    return [
      main,
      named('Shared orders', describeContents(tables, versions.postgres)),
      ...tables.users.map(({ lastOrderAt: at, ...user }) => {
        const newest = at === null ? 'no order' : `newest order ${formatRelative(at, clock.now())}`
        const detail = `${user.role ?? '–'}, ${user.user} on ${user.host}: ${newest}`
        return named('User', ok(detail, { ...user, lastOrderAt: formatIso(at) }))
      }),
      named('Clock', judgeClock(clock.now() - tables.now, 'the database')),
    ]
  } finally {
    await postgres.close()
  }
}

/** The outcomes and reveals that this machine has not written to a shared journal yet. */
const checkOutcomes = async (context: Context): Promise<Found | readonly Found[]> => {
  const kept = await withMachine(context, (machine) =>
    listEvents(machine).map((kept) => describeEvent(context, kept, machine.file)),
  )
  return kept === undefined || kept.length === 0 ? ok('all recorded') : kept
}

const describeEvent = ({ clock }: Context, { number, event }: KeptEvent, file: string): Found => {
  if (event === undefined)
    return problem(`the saved outcome ${number} in ${file} is damaged`, {
      fix: (suggest) => suggest`reconcile`,
      advice: 'Then use journal forget.',
    })
  const facts = isOutcome(event) ? describeCall(event) : describeReveals(event)
  const { order, operation, outcome } = facts
  const what = `the ${operation} of ${order} (${outcome}, ${formatRelative(event.at, clock.now())})`
  const detail = `${what} is not yet in ${event.address}, only in ${file}`
  const data = { file, ...facts, at: formatIso(event.at), journal: event.address }
  return { ...warning(detail, { fix: (suggest) => suggest`reconcile` }), data }
}

/** The state that `get` showed says more than the response. */
const describeCall = (call: KeptOutcome) => ({
  order: call.name,
  operation: call.operation,
  outcome: (call.operation === 'confirm' ? call.found?.state : undefined) ?? call.end.outcome,
})

const describeReveals = ({ reveals: [first, ...others] }: KeptReveals) => {
  const more = others.length === 0 ? '' : ` and ${others.length} more`
  return { order: `${first?.orderId}${more}`, operation: 'reveal', outcome: first?.how }
}
