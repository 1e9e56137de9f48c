// Runs a list of checks and prints what they found. No check stops the others.
import { statSync } from 'node:fs'
import type { Context } from '../../context.ts'
import { unlessAborted, within } from '../../contract/time/clock.ts'
import { formatDuration } from '../../contract/time/duration.ts'
import { Failure, type Remedy, writeRemedy } from '../../errors.ts'
import { exitCodes } from '../../exit-codes.ts'
import { formatMode, suggestMode } from '../../exposure.ts'
import { getErrorReason } from '../../files.ts'
import { type Finding, type KeptPath, readDoctor, renderDoctor } from '../../ui/screens/doctor.ts'
import { viewOf } from '../../ui/terminal/view.ts'
import { renderJson } from '../../ui/text/json.ts'
import { clockToleranceMs, describeAhead } from '../notes.ts'
import { canDraw, createWaiting } from '../waiting.ts'

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

export const fromError = (error: unknown): Found => {
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
  context.stdout.write(
    isJson ? renderJson(readDoctor(status, findings, paths)) : renderDoctor(findings, paths, viewOf(context)),
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
