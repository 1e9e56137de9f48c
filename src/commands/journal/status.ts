// The steps of `orderctl journal status`.
import { join } from 'node:path'
import type { Context } from '../../context.ts'
import { exitCodes } from '../../exit-codes.ts'
import { cleanIdentity } from '../../journal/actors/actors.ts'
import { findSecondPath } from '../../journal/location/location.ts'
import { findLostCall, type Note, readNotes } from '../../journal/newest-call.ts'
import { createSpool, type SpoolFile } from '../../journal/spool/spool.ts'
import type { SpooledOutcome } from '../../journal/spool/spooled.ts'
import type { SharedStatus } from '../../journal/status/shared.ts'
import { nameDatabase } from '../../postgres/address.ts'
import { isConnectionLost } from '../../postgres/failure.ts'
import { checksCertificate } from '../../postgres/tls.ts'
import { type JournalReport, renderJournal } from '../../ui/screens/journal.ts'
import { renderJson } from '../../ui/text/json.ts'
import { isoTime } from '../shared/journal/entry-data.ts'
import type { SharedPlace } from '../shared/journal/place.ts'
import { parseJournalAddress } from '../shared/journal/shared-place.ts'
import {
  findNoteFolder,
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
  const print = (found: Found): void => {
    const report: JournalReport = { ...found, unsent: listUnsent(context) }
    context.stdout.write(flags.json === true ? renderJson(report) : renderJournal(report, viewOf(context)))
  }
  if (place.kind === 'file') print(await readFile(context))
  else {
    const local = await readLocal(context, place)
    const found = await readShared(context, place, flags, local).catch((error) => {
      // The local facts help most while the database is away.
      if (isConnectionLost(error)) print(local.found)
      throw error
    })
    print(found)
  }
  return exitCodes.ok.code
}

type Found = Omit<JournalReport, 'unsent'>

const readFile = async (context: Context): Promise<Found> => {
  const { readFileStatus } = await import('../../journal/status/file.ts')
  const place = join(stateFolderPath(context), journalFile)
  const notes = readNotes(findNoteFolder(context))
  const { lost, ...status } = readFileStatus(findStateFile(journalFile, context), notes)
  return {
    kind: 'file',
    place,
    ...status,
    refused: findSecondPath(place)?.message ?? null,
    restored: lost?.file ?? null,
  }
}

type Local = {
  readonly found: Found
  readonly notes: readonly Note[]
  /** See nameDatabase. */
  readonly database: string
}

/** What this machine knows without the database. */
const readLocal = async (context: Context, { text }: SharedPlace): Promise<Local> => {
  const address = parseJournalAddress(context, text)
  const database = nameDatabase(address)
  const notes = readNotes(findNoteFolder(context))
  const seen = notes.find(({ places }) => places.includes(database))
  const { osUser: user, host } = cleanIdentity({ osUser: context.user(), host: context.host() })
  const found: Found = {
    kind: 'postgres',
    place: address.text,
    ...{ state: 'unreachable', version: null, bytes: null },
    ...{ orders: null, batches: null, role: address.user, tls: address.tls.mode },
    isCertificateChecked: checksCertificate(address),
    machine: { user, host },
    lastCallAt: seen === undefined ? null : isoTime(seen.startedAt),
    restored: null,
  }
  return { found, notes, database }
}

const readShared = async (
  context: Context,
  place: SharedPlace,
  flags: StatusFlags,
  { found, notes, database }: Local,
): Promise<Found> => {
  const { readSharedStatus } = await import('../../journal/status/shared.ts')
  const { readSharedState } = await import('../../journal/shared/shared-schema.ts')
  const { status, lost } = await withDatabase(context, place, flags, async (postgres) => {
    const status = await readSharedStatus(postgres, found.place)
    const seen = await readSharedState(postgres, found.place, notes)
    return { status, lost: findLostCall(notes, seen, database) }
  })
  const { contents, bytes, role, isStandby } = status
  return {
    ...found,
    ...{ state: contents === undefined ? 'missing' : 'current', version: contents?.version ?? null, bytes },
    ...{ orders: contents?.orders ?? null, batches: contents?.batches ?? null },
    role,
    isStandby,
    restored: lost?.file ?? null,
    users: toUsers(status),
    connections: status.connections.map(({ host, ...each }) => ({ ...each, host: host ?? null })),
  }
}

const toUsers = ({ contents }: SharedStatus): NonNullable<JournalReport['users']> | null =>
  contents?.users.map(({ role, user, host, lastOrderAt }) => ({
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
