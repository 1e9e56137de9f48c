// The checks of journals: the file of this machine, those that teams share, and outcomes that they do not have yet.
import type { Context } from '../../../context.ts'
import { cleanIdentity } from '../../../journal/actors/actors.ts'
import { createRestoredFailure, readNotes } from '../../../journal/newest-call.ts'
import { createSpool, type SpoolFile } from '../../../journal/spool/spool.ts'
import type { SpooledOutcome, SpooledReveals } from '../../../journal/spool/spooled.ts'
import type { SharedStatus } from '../../../journal/status/shared.ts'
import type { Address } from '../../../postgres/address.ts'
import { checkServer } from '../../../postgres/check-server.ts'
import { checksCertificate } from '../../../postgres/tls.ts'
import { formatBytes } from '../../../ui/text/bytes.ts'
import { describeCount } from '../../../ui/text/counts.ts'
import { formatRelative } from '../../../ui/text/time.ts'
import { clockToleranceMs, describeAhead } from '../clock-warning.ts'
import { isoTime } from '../journal/entry-data.ts'
import { openSharedDatabase } from '../journal/open-shared.ts'
import type { JournalPlace, SharedPlace } from '../journal/place.ts'
import { parseJournalAddress } from '../journal/shared-place.ts'
import { findNoteFolder, findSpoolFolder } from '../journal/state-folder.ts'
import { type Check, type Found, fromError, named, ok, problem, warning } from './check.ts'
import { listFileChecks } from './journal-file-checks.ts'

type Options = {
  /** Checks every page of the file, even if it is large. */
  readonly isWhole: boolean
  /** Asks a person for the password of a shared journal. */
  readonly asks: boolean
  readonly timeoutMs?: number
}

const group = 'Journal'

export const listJournalChecks = (
  context: Context,
  places: readonly JournalPlace[],
  options: Options,
): readonly Check[] => {
  const shared = places.filter((place) => place.kind === 'shared')
  return [
    ...(places.length > shared.length ? listFileChecks(context, options.isWhole) : []),
    ...(shared.length > 0 ? [{ group, name: 'This machine', find: describeMachine }] : []),
    ...shared.map((place) => ({
      ...{ group, name: 'Shared journal', needsNetwork: true as const },
      find: (own: Context) => checkShared(own, place, options),
    })),
    { group, name: 'Outcomes', find: checkOutcomes },
  ]
}

/** What is known while the database is away. */
const describeMachine = (context: Context): readonly Found[] => {
  const { osUser: user, host } = cleanIdentity({ osUser: context.user(), host: context.host() })
  const calls = readNotes(findNoteFolder(context)).filter(({ places }) => places.length > 0)
  return [
    ok(`${user} on ${host}`, { user, host }),
    ...calls.map(({ places, startedAt }) =>
      named(
        'Newest call',
        ok(
          `${formatRelative(startedAt, context.clock.now())} in ${places.join(', ')}, as far as this machine knows`,
          {
            ...{ places, at: isoTime(startedAt) },
          },
        ),
      ),
    ),
  ]
}

const checkShared = async (
  context: Context,
  place: SharedPlace,
  { asks, timeoutMs }: Options,
): Promise<readonly Found[]> => {
  const address = parseJournalAddress(context, place.text)
  const limits = timeoutMs === undefined ? {} : { connectMs: timeoutMs, statementMs: timeoutMs }
  const postgres = await openSharedDatabase(context, place, { asks, limits })
  context.interrupted.addEventListener('abort', () => void postgres.close(), { once: true })
  try {
    const { readSharedStatus } = await import('../../../journal/status/shared.ts')
    const status = await readSharedStatus(postgres, address, readNotes(findNoteFolder(context)))
    const main = await checkServer(postgres, address.text).then(
      () => judgeShared(address.text, status),
      fromError,
    )
    return [main, ...describeShared(context, address, status)]
  } finally {
    await postgres.close()
  }
}

const judgeShared = (address: string, { role, contents, lost }: SharedStatus): Found => {
  const answers = `${address} answers, role ${role}`
  if (lost !== undefined) return fromError(createRestoredFailure(address, lost))
  if (contents === undefined)
    return warning(`${answers}, but it has no tables yet`, (suggest) => suggest`journal migrate`)
  return contents.canWrite
    ? ok(answers)
    : problem(
        `${answers}, but the role may not record orders`,
        (suggest) => `Ask its owner to run: ${suggest`journal migrate ${{ grant: role }}`}`,
      )
}

const describeShared = (
  { clock }: Context,
  address: Address,
  { contents, connections }: SharedStatus,
): readonly Found[] => {
  const from = connections.map(({ role, host, count }) => `${count} of ${role}${host ? ` from ${host}` : ''}`)
  const always = [
    named('TLS', ok(describeTls(address))),
    named('Connections', ok(from.join(', '), { connections })),
  ]
  if (contents === undefined) return always
  const { version, bytes, orders, batches, users, now } = contents
  const counts = `${describeCount(orders, 'order')}, ${describeCount(batches, 'batch', 'batches')}, ${formatBytes(bytes)}`
  const aheadMs = clock.now() - now
  return [
    named('Shared orders', ok(`${counts}, version ${version}`, { version, orders, batches, bytes })),
    ...users.map(({ lastOrderAt: at, ...user }) =>
      named(
        'User',
        ok(
          `${user.role ?? '–'}, ${user.user} on ${user.host}: ${at === null ? 'no order' : `newest order ${formatRelative(at, clock.now())}`}`,
          { ...user, lastOrderAt: at === null ? null : isoTime(at) },
        ),
      ),
    ),
    ...always,
    ...(Math.abs(aheadMs) <= clockToleranceMs
      ? []
      : [warning(describeAhead(aheadMs, 'the database'), 'Set the clock of this machine.')]),
  ]
}

const describeTls = (address: Address): string => {
  if (address.tls.mode === 'disable') return 'not used'
  const note = checksCertificate(address) ? '' : '. The certificate is not checked'
  return `used (sslmode=${address.tls.mode})${note}`
}

/** The outcomes and reveals that this machine has not written to a shared journal yet. */
const checkOutcomes = (context: Context): readonly Found[] => {
  const folder = findSpoolFolder(context)
  const files = folder === undefined ? [] : createSpool(folder).list()
  return files.length === 0 ? [ok('all recorded')] : files.map((file) => describeOutcome(context, file))
}

const describeOutcome = ({ clock }: Context, { path: file, ...found }: SpoolFile): Found => {
  const { outcome, reveals, problem: reason = 'is damaged' } = found
  const saved = outcome === undefined ? describeReveals(reveals) : describeResult(outcome)
  const { at, address: journal } = outcome ?? reveals ?? {}
  if (saved === undefined || at === undefined)
    return problem(`${file} ${reason}`, (suggest) => `Run this, then delete the file: ${suggest`reconcile`}`)
  const { order, operation, result } = saved
  const ago = formatRelative(at, clock.now())
  return {
    ...warning(
      `the ${operation} of ${order} (${result}, ${ago}) is not yet in ${journal}, only in ${file}`,
      (suggest) => suggest`reconcile`,
    ),
    data: { file, order, operation, outcome: result, at: isoTime(at), journal },
  }
}

/** The state that `get` showed says more than the response. */
const describeResult = (outcome: SpooledOutcome) => ({
  order: outcome.name,
  operation: outcome.operation,
  result: (outcome.operation === 'confirm' ? outcome.found?.state : undefined) ?? outcome.end.outcome,
})

const describeReveals = (saved: SpooledReveals | undefined) => {
  const [first, ...others] = saved?.reveals ?? []
  if (first === undefined) return undefined
  const more = others.length === 0 ? '' : ` and ${others.length} more`
  return { order: `${first.orderId}${more}`, operation: 'reveal', result: first.how }
}
