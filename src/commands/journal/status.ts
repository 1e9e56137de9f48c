// The steps of `orderctl journal status`.
import { join } from 'node:path'
import type { Context } from '../../context.ts'
import { exitCodes } from '../../exit-codes.ts'
import type { SpooledOutcome } from '../../journal/spool/outcome.ts'
import { createSpool, type SpoolFile } from '../../journal/spool/spool.ts'
import type { SharedStatus } from '../../journal/status/shared-status.ts'
import { type JournalReport, renderJournal } from '../../ui/screens/journal.ts'
import { renderJson } from '../../ui/text/json.ts'
import { isoTime } from '../shared/journal/entry-data.ts'
import type { SharedPlace } from '../shared/journal/place.ts'
import { parseJournalAddress } from '../shared/journal/shared-place.ts'
import {
  findSpoolFolder,
  findStateFile,
  journalFile,
  stateFolderPath,
} from '../shared/journal/state-folder.ts'
import { viewOf } from '../shared/output/view-of.ts'
import { findJournal, withDatabase } from './chosen-journal.ts'
import type { StatusFlags } from './flags.ts'

/** Returns the exit code. */
export const showStatus = async (context: Context, flags: StatusFlags): Promise<number> => {
  const place = findJournal(context, flags)
  const found = place.kind === 'file' ? await readFile(context) : await readShared(context, place, flags)
  const report: JournalReport = { ...found, unsent: listUnsent(context) }
  const view = viewOf(context)
  context.stdout.write(flags.json === true ? renderJson(report) : renderJournal(report, view))
  return exitCodes.ok.code
}

type Found = Omit<JournalReport, 'unsent'>

const readFile = async (context: Context): Promise<Found> => {
  const { readFileStatus } = await import('../../journal/status/file-status.ts')
  const { version, orders, batches, ...status } = readFileStatus(findStateFile(journalFile, context))
  return {
    kind: 'file',
    place: join(stateFolderPath(context), journalFile),
    ...status,
    ...{ version: version ?? null, orders: orders ?? null, batches: batches ?? null },
  }
}

const readShared = async (context: Context, place: SharedPlace, flags: StatusFlags): Promise<Found> => {
  const { readSharedStatus } = await import('../../journal/status/shared-status.ts')
  const address = parseJournalAddress(context, place.text)
  const status = await withDatabase(context, place, flags, (postgres) =>
    readSharedStatus(postgres, address.text),
  )
  const { state, version, expectedVersion, bytes, orders, batches, role, isStandby } = status
  return {
    kind: 'postgres',
    place: address.text,
    ...{ state, version: version ?? null, expectedVersion, bytes },
    ...{ orders: orders ?? null, batches: batches ?? null },
    role,
    isStandby,
    tls: address.tls.mode,
    users: toUsers(status),
    connections: status.connections.map(({ host, ...each }) => ({ ...each, host: host ?? null })),
  }
}

const toUsers = ({ users }: SharedStatus): NonNullable<JournalReport['users']> | null =>
  users?.map(({ role, user, host, lastOrderAt }) => ({
    ...{ role: role ?? null, user, host },
    lastOrderAt: lastOrderAt === undefined ? null : isoTime(lastOrderAt),
  })) ?? null

/** The outcomes that this machine has saved for any shared journal. */
const listUnsent = (context: Context): JournalReport['unsent'] => {
  const folder = findSpoolFolder(context)
  return folder === undefined ? [] : createSpool(folder).list().map(toUnsent)
}

const toUnsent = ({ path: file, outcome, reveals, problem }: SpoolFile): JournalReport['unsent'][number] => {
  if (reveals !== undefined) {
    const [first, ...others] = reveals.reveals
    const order = `${first?.orderId}${others.length === 0 ? '' : ` and ${others.length} more`}`
    const { at, address: journal } = reveals
    return { file, order, operation: 'reveal', outcome: first?.how ?? '', at: isoTime(at), journal }
  }
  return outcome === undefined
    ? { file, problem: problem ?? 'is damaged' }
    : {
        file,
        ...{ order: outcome.name, operation: outcome.operation, outcome: readResult(outcome) },
        ...{ at: isoTime(outcome.at), journal: outcome.address },
      }
}

/** The state that `get` showed says more than the answer. */
const readResult = (outcome: SpooledOutcome): string =>
  (outcome.operation === 'confirm' ? outcome.found?.state : undefined) ?? outcome.end.outcome
