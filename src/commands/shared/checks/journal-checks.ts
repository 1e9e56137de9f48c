// The checks of journals: the file of this machine, those that teams share, and outcomes that they do not have yet.
import { statSync } from 'node:fs'
import path from 'node:path'
import type { Context } from '../../../context.ts'
import { findExisting } from '../../../exposure.ts'
import { cleanIdentity } from '../../../journal/actors.ts'
import { checkLocation } from '../../../journal/location/check-location.ts'
import { findSecondPath, isKnownLocation } from '../../../journal/location/location.ts'
import { createRestoredFailure, readNotes } from '../../../journal/newest-call.ts'
import {
  createSpool,
  type SpooledOutcome,
  type SpooledReveals,
  type SpoolFile,
} from '../../../journal/spool/spool.ts'
import { newestRows, readFileStatus, readSharedStatus } from '../../../journal/status.ts'
import { schema, versions } from '../../../journal/tables/list.ts'
import { checkServer } from '../../../postgres/open.ts'
import { quoteShellWord } from '../../../text/shell-word.ts'
import type { Suggest } from '../../../text/suggest.ts'
import { describeCount, formatBytes } from '../../../ui/text/amounts.ts'
import { formatRelative } from '../../../ui/text/time.ts'
import { isoTime } from '../journal/entry-data.ts'
import { openSharedDatabase } from '../journal/open-shared.ts'
import { type JournalPlace, parseJournalAddress, type SharedPlace } from '../journal/place.ts'
import {
  findJournalFile,
  findNoteFolder,
  findSpoolFolder,
  journalFile,
  stateFolderPath,
} from '../journal/state-folder.ts'
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

/**
 * With `isWhole`, checks every page of the file, even if it is large. With `asks`, prompts for the password of a shared
 * journal.
 */
export const listJournalChecks = (
  context: Context,
  places: readonly JournalPlace[],
  { isWhole, asks }: { readonly isWhole: boolean; readonly asks: boolean },
): readonly Check[] => {
  const group = 'Journal'
  const shared = places.filter((place) => place.kind === 'shared')
  return [
    ...(places.length > shared.length ? listFileChecks(context, isWhole) : []),
    ...(shared.length > 0 ? [{ name: 'This machine', find: describeMachine }] : []),
    ...shared.map((place) => ({
      name: 'Shared journal',
      needsNetwork: true as const,
      find: (own: Context) => checkShared(own, place, asks),
    })),
    { name: 'Outcomes', find: checkOutcomes },
  ].map((check) => ({ group, ...check }))
}

const notesOf = (context: Context) => readNotes(findNoteFolder(context))

const listFileChecks = (context: Context, isWhole: boolean) => {
  const file = findJournalFile(context)
  return [
    { name: 'File', find: (own: Context) => checkFile(own, file) },
    ...(file === undefined
      ? []
      : [{ name: 'Content', find: (own: Context) => checkContent(own, file, isWhole) }]),
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
    : warning(`${shown}: other users can read or change it`, {
        fix: () => `chmod 600 ${quoteShellWord(file)}`,
      })
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

const checkContent = (context: Context, file: string, isWhole: boolean): readonly Found[] => {
  const status = readFileStatus(file, { isWhole, notes: notesOf(context) })
  if (status === undefined)
    return [
      warning(`not checked: a command was killed, and ${file}-wal has changes that are not in the file yet`, {
        fix: (suggest) => suggest`list`,
        advice: (suggest) => `${suggest`list`} adds these changes. Then run this command again.`,
      }),
    ]
  const orders = named('Orders', describeContents(status, schema.version, file))
  const { bytes, damage, lost } = status
  if (damage.length > 0) {
    const advice = 'Restore a backup. Until then, check each order with get before you order again.'
    return [orders, problem(`${file} is damaged: ${damage.join('; ')}`, { advice })]
  }
  if (lost !== undefined) return [orders, fromError(createRestoredFailure(file, lost))]
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
  if (!isKnownLocation(file)) await checkLocation(file, context)
  return ok('local, and its file locks work')
}

/** What is known while the database is away. */
const describeMachine = (context: Context): readonly Found[] => {
  const { osUser: user, host } = cleanIdentity({ osUser: context.user(), host: context.host() })
  const calls = notesOf(context).filter(({ places }) => places.length > 0)
  return [
    ok(`${user} on ${host}`, { user, host }),
    ...calls.map(({ places, startedAt }) => {
      const ago = formatRelative(startedAt, context.clock.now())
      const detail = `${ago} in ${places.join(', ')}, as far as this machine knows`
      return named('Newest call', ok(detail, { places, at: isoTime(startedAt) }))
    }),
  ]
}

const checkShared = async (
  context: Context,
  place: SharedPlace,
  asks: boolean,
): Promise<readonly Found[]> => {
  const { clock, interrupted } = context
  const address = parseJournalAddress(context, place.text)
  const postgres = await openSharedDatabase(context, place, asks)
  interrupted.addEventListener('abort', () => void postgres.close(), { once: true })
  try {
    const { role, tables, lost } = await readSharedStatus(postgres, address, notesOf(context))
    const judge = (): Found => {
      const reachable = `${address.text} responds, role ${role}`
      if (lost !== undefined) return fromError(createRestoredFailure(address.text, lost))
      if (tables === undefined)
        return warning(`${reachable}, but it has no tables yet`, {
          fix: (suggest) => suggest`journal migrate`,
        })
      if (tables.canWrite) return ok(reachable)
      return problem(`${reachable}, but the role may not record orders`, {
        advice: (suggest) => `Ask its owner to run: ${suggest`journal migrate ${{ grant: role }}`}`,
      })
    }
    const main = await checkServer(postgres, address.text).then(judge, fromError)
    if (tables === undefined) return [main]
    return [
      main,
      named('Shared orders', describeContents(tables, versions.postgres)),
      ...tables.users.map(({ lastOrderAt: at, ...user }) => {
        const newest = at === null ? 'no order' : `newest order ${formatRelative(at, clock.now())}`
        const detail = `${user.role ?? '–'}, ${user.user} on ${user.host}: ${newest}`
        return named('User', ok(detail, { ...user, lastOrderAt: at === null ? null : isoTime(at) }))
      }),
      named('Clock', judgeClock(clock.now() - tables.now, 'the database')),
    ]
  } finally {
    await postgres.close()
  }
}

/** The outcomes and reveals that this machine has not written to a shared journal yet. */
const checkOutcomes = (context: Context): Found | readonly Found[] => {
  const folder = findSpoolFolder(context)
  const files = folder === undefined ? [] : createSpool(folder).list()
  return files.length === 0 ? ok('all recorded') : files.map((file) => describeFile(context, file))
}

const describeFile = ({ clock }: Context, { path: file, outcome, reveals, ...rest }: SpoolFile): Found => {
  const saved = outcome ?? reveals
  const facts = outcome === undefined ? describeReveals(reveals) : describeCall(outcome)
  if (saved === undefined || facts === undefined) {
    const fix = (suggest: Suggest) => suggest`reconcile`
    return problem(`${file} ${rest.problem ?? 'is damaged'}`, {
      fix,
      advice: 'Reconcile first, then delete the file.',
    })
  }
  const { order, operation, outcome: result } = facts
  const what = `the ${operation} of ${order} (${result}, ${formatRelative(saved.at, clock.now())})`
  const detail = `${what} is not yet in ${saved.address}, only in ${file}`
  const data = { file, ...facts, at: isoTime(saved.at), journal: saved.address }
  return { ...warning(detail, { fix: (suggest) => suggest`reconcile` }), data }
}

/** The state that `get` showed says more than the response. */
const describeCall = (call: SpooledOutcome) => ({
  order: call.name,
  operation: call.operation,
  outcome: (call.operation === 'confirm' ? call.found?.state : undefined) ?? call.end.outcome,
})

const describeReveals = (saved: SpooledReveals | undefined) => {
  const [first, ...others] = saved?.reveals ?? []
  if (first === undefined) return undefined
  const more = others.length === 0 ? '' : ` and ${others.length} more`
  return { order: `${first.orderId}${more}`, operation: 'reveal', outcome: first.how }
}
