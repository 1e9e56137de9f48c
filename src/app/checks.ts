// Runs a list of checks and prints what they found; no check stops the others. Then the checks of an account, which asks the
// service for an order that does not exist, and of journals: the file of this machine, those that teams share, and outcomes
// that they do not have yet.

import { statSync } from 'node:fs'
import path from 'node:path'
import type { Api, Outcome } from '../client/api.ts'
import type { Context } from '../context.ts'
import type { AccountId } from '../contract/account-id.ts'
import { isVerbatim } from '../contract/refusals.ts'
import type { Order } from '../contract/schemas.ts'
import { formatDuration, unlessAborted, within } from '../contract/time.ts'
import { exitCodes, Failure, type Remedy, writeRemedy } from '../errors.ts'
import { formatMode, refuseExposure, suggestMode } from '../exposure.ts'
import { getErrorReason } from '../files.ts'
import { journalFile } from '../journal/journal.ts'
import { type Machine, openMachine } from '../journal/machine/machine-file.ts'
import { type KeptEvent, listEvents } from '../journal/machine/outbox.ts'
import { readFileStatus, readSharedStatus } from '../journal/status.ts'
import { schema, versions } from '../journal/tables/list.ts'
import { createReadFailure, OrderFailure } from '../operations/failures.ts'
import { requestUnrecorded } from '../operations/read.ts'
import { checkServer } from '../postgres/open.ts'
import { environmentName } from '../profiles/store.ts'
import { checkFields, doctorFields, type Finding, type KeptPath, renderDoctor } from '../ui/screens/doctor.ts'
import { viewOf } from '../ui/terminal/view.ts'
import { describeCount, formatBytes, formatIso, formatRelative } from '../ui/text/formats.ts'
import { readFields, renderJson } from '../ui/text/result-fields.ts'
import {
  findJournalFile,
  findStateExposure,
  findStateFolder,
  type JournalPlace,
  openSharedDatabase,
  parseJournalAddress,
  type SharedPlace,
  stateFolderPath,
} from './journals.ts'
import { canDraw, clockToleranceMs, createWaiting, describeAhead } from './terminal.ts'

export type Check = {
  readonly group: string
  /** The name of its findings, unless they have their own. */
  readonly name: string
  /** It runs after the local checks, at the same time as the others of the network, and ends in their time. */
  readonly needsNetwork?: true
  /** What it throws becomes a problem. */
  readonly find: (context: Context) => Found | readonly Found[] | Promise<Found | readonly Found[]>
}

export type Found = Pick<Finding, 'status' | 'detail' | 'data'> & Remedy & { readonly name?: string }

const judgement =
  (status: Finding['status']) =>
  (detail: string, { fix, advice }: Remedy = {}): Found => ({ status, detail, fix, advice })

export const warning = judgement('warning')
export const problem = judgement('problem')
export const ok = (detail: string, data?: Finding['data']): Found => ({ status: 'ok', detail, data })

const fromError = (error: unknown): Found => {
  if (!(error instanceof Failure)) return problem(`cannot be checked: ${getErrorReason(error)}`)
  // Ctrl-C at the prompt for a password.
  if (['interrupted', 'terminated'].includes(error.kind)) throw error
  const { violations = [] } = error.details
  return problem([error.message, ...violations].join('; '), error.details)
}

export const judgeClock = (aheadMs: number, other: string): Found =>
  Math.abs(aheadMs) <= clockToleranceMs
    ? ok(`within ${formatDuration(clockToleranceMs)} of ${other}`)
    : warning(describeAhead(aheadMs, other), { advice: 'Set the clock of this machine.' })

/** Whether only this user can read the file. Windows has no such modes. */
export const judgeFile = ({ platform }: Context, file: string): Found => {
  if (platform === 'win32') return ok(file)
  const { mode } = statSync(file)
  const shown = `${file} (mode ${formatMode(mode)})`
  return (mode & 0o077) === 0
    ? ok(shown)
    : warning(`${shown}: other users can read or change it`, { fix: () => suggestMode('600', file) })
}

type Options = {
  readonly isJson: boolean
  readonly showsProgress: boolean
  /** Of each check that needs the network. */
  readonly timeoutMs?: number
  readonly paths?: readonly KeptPath[]
}

/** Returns the exit code. */
export const runChecks = async (
  context: Context,
  checks: readonly Check[],
  { isJson, showsProgress, timeoutMs, paths }: Options,
): Promise<number> => {
  const found = new Map<Check, readonly Finding[]>()
  // Local checks block this process, so they end before the network's time begins.
  for (const check of checks) if (!check.needsNetwork) found.set(check, await runCheck(context, check))
  const waiting = createWaiting(context, canDraw(context, { showsProgress }))
  const { end } = waiting.begin(() => 'asking the services')
  const remote = checks.filter(({ needsNetwork }) => needsNetwork)
  const runRemote = async (check: Check) => found.set(check, await runCheck(context, check, timeoutMs))
  await Promise.all(remote.map(runRemote)).finally(end)
  // One list, so that a script selects without knowing the groups.
  const findings = checks.flatMap((check) => found.get(check) ?? [])
  const status =
    (['problem', 'warning'] as const).find((worst) => findings.some(({ status }) => status === worst)) ?? 'ok'
  const fields = paths === undefined ? checkFields : doctorFields
  context.stdout.write(
    isJson
      ? renderJson(readFields(fields, { status, findings, paths }))
      : renderDoctor(findings, paths, viewOf(context)),
  )
  return exitCodes[status === 'problem' ? 'local-state' : 'ok'].code
}

const runCheck = async (
  context: Context,
  { group, name, find }: Check,
  limitMs?: number,
): Promise<readonly Finding[]> => {
  const work = async (interrupted: AbortSignal) => find({ ...context, interrupted })
  // The rest of the report must not wait for a check that does not end.
  const workInTime = (late: AbortSignal) =>
    unlessAborted(late, work(AbortSignal.any([late, context.interrupted])))
  const createLate = () => new Failure('unavailable', `no response within ${(limitMs ?? 0) / 1000} s`)
  const running =
    limitMs === undefined
      ? work(context.interrupted)
      : within(context.clock, limitMs, undefined, workInTime, createLate)
  const found = await running.catch(fromError)
  return [found].flat().map((each) => {
    const { fix = null, advice = null } = writeRemedy(each, context.suggest)
    return { group, name, ...each, fix, advice }
  })
}

/** For each kind of problem. */
const maxShown = 3

type JournalOptions = {
  /** Prompt for the password of a shared journal. */
  readonly asks: boolean
  /** Undefined for all accounts. */
  readonly account?: AccountId | undefined
}

export const listJournalChecks = (
  places: readonly JournalPlace[],
  options: JournalOptions,
): readonly Check[] => {
  const group = 'Journal'
  const shared = places.filter((place) => place.kind === 'shared')
  const ofFile: readonly Check[] = [
    { group, name: 'File', find: checkFile },
    { group, name: 'Content', find: (context) => checkContent(context, options) },
  ]
  return [
    ...(places.length > shared.length ? ofFile : []),
    ...shared.map((place) => ({
      ...{ group, name: 'Shared journal', needsNetwork: true as const },
      find: (context: Context) => checkShared(context, place, options),
    })),
    { group, name: 'Outcomes', find: checkOutcomes },
  ]
}

/** Undefined if this machine has no state folder. */
const openMachineOf = (context: Context): Machine | undefined => {
  const folder = findStateFolder(context)
  return folder === undefined ? undefined : openMachine(folder)
}

const checkFile = (context: Context): Found => {
  const place = path.join(stateFolderPath(context), journalFile)
  refuseExposure('the journal', findStateExposure(context))
  const file = findJournalFile(context)
  return file === undefined
    ? ok(`${place} does not exist yet. Your first order creates it`)
    : judgeFile(context, file)
}

const describeContents = (
  { orders, batches, bytes }: Readonly<Record<'orders' | 'batches' | 'bytes', number>>,
  version: number,
): string =>
  `${describeCount(orders, 'order')}, ${describeCount(batches, 'batch', 'batches')}, ${formatBytes(bytes)}, version ${version} of the tables`

const checkContent = (context: Context, { account }: JournalOptions): Found | readonly Found[] => {
  const file = findJournalFile(context)
  using machine = openMachineOf(context)
  if (file === undefined || machine === undefined) return []
  const here = { machine, account, name: file, place: undefined }
  const status = readFileStatus(file, here)
  if (status === undefined)
    return warning(
      `not checked: a command was killed, and ${file}-wal has changes that are not in the file yet`,
      {
        fix: (suggest) => suggest`list`,
        advice: (suggest) => `${suggest`list`} adds these changes. Then run this command again.`,
      },
    )
  const { orders, batches, bytes } = status
  const { version } = schema
  return [
    ok(`${describeContents(status, version)}, not damaged`, { file, version, orders, batches, bytes }),
    ...describeWrong(status.wrong),
  ]
}

const describeWrong = (wrong: readonly string[]): readonly Found[] =>
  wrong.slice(0, maxShown).map((what) =>
    problem(what, {
      advice:
        'Another program has changed the journal. Compare the order with the service before you order again.',
    }),
  )

const checkShared = async (
  context: Context,
  place: SharedPlace,
  { asks, account }: JournalOptions,
): Promise<readonly Found[]> => {
  const { clock, interrupted } = context
  const { text: name } = parseJournalAddress(context, place.text)
  const postgres = await openSharedDatabase(context, place, asks)
  interrupted.addEventListener('abort', () => void postgres.close(), { once: true })
  try {
    using machine = openMachineOf(context)
    const here = machine && { machine, account, name, place: name }
    const { role, tables } = await readSharedStatus(postgres, name, here)
    const reachable = `${name} responds, role ${role}`
    await checkServer(postgres, name)
    if (tables === undefined)
      return [
        warning(`${reachable}, but it has no tables yet`, { fix: (suggest) => suggest`journal migrate` }),
      ]
    const { orders, batches, bytes, users } = tables
    const version = versions.postgres
    const contents = `${reachable}: ${describeContents(tables, version)}`
    const main = tables.canWrite
      ? ok(contents, { version, orders, batches, bytes })
      : problem(`${reachable}, but the role may not record orders`, {
          advice: (suggest) => `Ask its owner to run: ${suggest`journal migrate ${{ grant: role }}`}`,
        })
    return [
      main,
      ...describeWrong(tables.wrong),
      ...tables.missing.map((what) =>
        problem(what, { advice: 'orderctl needs it. Ask the owner of the tables to restore it.' }),
      ),
      ...tables.others.map((what) =>
        warning(what, { advice: 'Ask the owner of the tables why it is there.' }),
      ),
      ...users.map(({ lastOrderAt: at, ...user }) => {
        const newest = at === null ? 'no order' : `newest order ${formatRelative(at, clock.now())}`
        const detail = `${user.role ?? '–'}, ${user.user} on ${user.host}: ${newest}`
        return { ...ok(detail, { ...user, lastOrderAt: formatIso(at) }), name: 'User' }
      }),
      { ...judgeClock(clock.now() - tables.now, 'the database'), name: 'Clock' },
    ]
  } finally {
    await postgres.close()
  }
}

/** The outcomes that this machine has not written to a shared journal yet. */
const checkOutcomes = (context: Context): Found | readonly Found[] => {
  using machine = openMachineOf(context)
  if (machine === undefined) return []
  const kept = listEvents(machine).map((kept) => describeEvent(context, kept, machine.file))
  return kept.length === 0 ? ok('all recorded') : kept
}

const describeEvent = ({ clock }: Context, { number, event }: KeptEvent, file: string): Found => {
  const remedy: Remedy = { fix: (suggest) => suggest`reconcile` }
  if (event === undefined)
    return problem(`the saved outcome ${number} in ${file} is damaged`, {
      ...remedy,
      advice: 'Then use journal forget.',
    })
  const { name: order, operation, fact } = event
  const outcome = fact.kind === 'seen' ? fact.state : fact.outcome
  const what = `the ${operation} of ${order} (${outcome}, ${formatRelative(fact.at, clock.now())})`
  const data = { file, order, operation, outcome, at: formatIso(fact.at), journal: event.address }
  return { ...warning(`${what} is not yet in ${event.address}, only in ${file}`, remedy), data }
}

const unusedOrderId = 'orderctl-profile-test'

/** `response` may be why it does not show that the address is right and that the service accepts the key. */
export const probeAccount = async (api: Api, profile: string, signal: AbortSignal) => {
  const outcome = await requestUnrecorded({ api }, unusedOrderId, signal)
  return { response: judge(outcome, profile), serverTime: outcome.serverTime }
}

const judge = (outcome: Outcome<Order>, profile: string): string | Failure => {
  if (outcome.kind === 'done') return '200'
  if (outcome.kind !== 'refused' || outcome.refusal === 'credentials') return createReadFailure(outcome)
  const response = `${outcome.status} ${outcome.message}`.trim()
  // Spec silent on the errors of get: an unknown order has the message of confirm.
  if (isVerbatim('not-pending', outcome.message)) return response
  return new OrderFailure(
    { refused: { operation: 'get', outcome } },
    'unavailable',
    `cannot tell whether the base URL is right: the service documents no response '${response}'`,
    {
      status: outcome.status,
      fix: (suggest) => (profile === environmentName ? undefined : suggest`profile show ${profile}`),
      advice: profile === environmentName ? 'Check ORDERCTL_BASE_URL.' : 'Check the base URL.',
    },
  )
}
