// Runs a table of checks. Each check says what it found, and no check stops the others.
import type { Context } from '../../../context.ts'
import { Failure, type Fix, writeFix } from '../../../errors.ts'
import { exitCodes } from '../../../exit-codes.ts'
import { getErrorReason } from '../../../files.ts'
import { type CheckStatus, type Finding, type KeptPath, renderDoctor } from '../../../ui/screens/doctor.ts'
import { renderJson } from '../../../ui/text/json.ts'
import { viewOf } from '../output/view-of.ts'
import { waitingOn } from '../waiting.ts'

export type Check = {
  readonly group: string
  /** The name of its findings, unless they have their own. */
  readonly name: string
  /** It runs after the local checks, at the same time as the others of the network, and ends in their time. */
  readonly needsNetwork?: true
  /** What it writes to stderr becomes a warning, and what it throws a problem. */
  readonly find: (context: Context) => readonly Found[] | Promise<readonly Found[]>
}

/** Named by its check if it has no name. */
export type Found = Omit<Finding, 'name' | 'fix'> & { readonly name?: string; readonly fix?: Fix }

export const ok = (detail: string, data?: Finding['data']): Found => ({
  ...{ status: 'ok', detail },
  ...(data === undefined ? {} : { data }),
})

export const warning = (detail: string, fix?: Fix): Found => ({
  ...{ status: 'warning', detail },
  ...(fix === undefined ? {} : { fix }),
})

export const problem = (detail: string, fix?: Fix): Found => ({
  ...warning(detail, fix),
  status: 'problem',
})

export const fromError = (error: unknown): Found => {
  if (!(error instanceof Failure)) return problem(`cannot be checked: ${getErrorReason(error)}`)
  const { fix, violations = [] } = error.details
  return problem([error.message, ...violations].join('; '), fix)
}

export const named = (name: string, found: Found): Found => ({ ...found, name })

/** For a part of a check whose failure does not stop the rest. */
export const attempt = async (name: string, work: () => Found | Promise<Found>): Promise<Found> => {
  try {
    return named(name, await work())
  } catch (error) {
    return named(name, fromError(error))
  }
}

type Options = {
  /** Of each check that needs the network. */
  readonly timeoutMs?: number
  /** Shows a progress line. */
  readonly draws: boolean
}

type Group = { readonly title: string; readonly checks: readonly Finding[] }

export const runChecks = async (
  context: Context,
  checks: readonly Check[],
  { timeoutMs, draws }: Options,
): Promise<readonly Group[]> => {
  const found = new Map<Check, readonly Finding[]>()
  // Several checks read the profiles, and each would print their warning.
  const warned = new Set<string>()
  const isRemote = ({ needsNetwork }: Check): boolean => needsNetwork === true
  // They block this process, so they end before the network's time begins.
  for (const check of checks) if (!isRemote(check)) found.set(check, await runCheck(context, check, warned))
  const { end } = waitingOn(context, draws).begin(() => 'asking the services')
  const runRemote = async (check: Check): Promise<void> =>
    void found.set(check, await runCheck(context, check, warned, timeoutMs))
  await Promise.all(checks.filter(isRemote).map(runRemote)).finally(end)
  return [...Map.groupBy(checks, ({ group }) => group)].map(([title, all]) => ({
    title,
    checks: all.flatMap((check) => found.get(check) ?? []),
  }))
}

/** Ends after its time: the rest of the report must not wait for it. */
const runCheck = async (
  context: Context,
  { name, find }: Check,
  warned: Set<string>,
  limitMs?: number,
): Promise<readonly Finding[]> => {
  const warnings: Found[] = []
  const over = new AbortController()
  const interrupted = AbortSignal.any([over.signal, context.interrupted])
  const write = (text: string): void => {
    if (warned.has(text)) return
    warned.add(text)
    const [detail = '', fix] = text
      .trim()
      .replace(/^warning: /, '')
      .split('. Type: ')
    warnings.push(warning(detail, fix))
  }
  const own = { ...context, interrupted, stderr: { ...context.stderr, write } }
  const late = async (ms: number): Promise<readonly Found[]> => {
    await context.clock.sleep(ms, interrupted)
    const isDone = over.signal.aborted
    over.abort()
    return isDone ? [] : [problem(`no answer within ${ms / 1000} s`)]
  }
  const attempt = async (): Promise<readonly Found[]> => find(own)
  const ends = [attempt(), ...(limitMs === undefined ? [] : [late(limitMs)])]
  const found = await Promise.race(ends)
    .catch((error) => {
      // Ctrl-C at the prompt for a password.
      if (error instanceof Failure && ['interrupted', 'terminated'].includes(error.kind)) throw error
      return [fromError(error)]
    })
    .finally(() => over.abort())
  return [...found, ...warnings].map(({ fix, ...each }) => ({
    ...{ name, ...each },
    fix: writeFix(fix, context.suggest),
  }))
}

/** Returns the exit code. */
export const printReport = (
  context: Context,
  groups: readonly Group[],
  { isJson, paths }: { readonly isJson: boolean; readonly paths?: readonly KeptPath[] },
): number => {
  const status = findWorst(groups)
  // One list, so that a script selects without knowing the groups.
  const checks = groups.flatMap(({ title, checks }) =>
    checks.map(({ fix = null, ...check }) => ({ group: title, ...check, fix })),
  )
  const report = { groups, ...(paths === undefined ? {} : { paths }) }
  context.stdout.write(
    isJson
      ? renderJson({ status, checks, ...(paths === undefined ? {} : { paths }) })
      : renderDoctor(report, viewOf(context)),
  )
  return status === 'problem' ? exitCodes['local-state'].code : exitCodes.ok.code
}

const findWorst = (groups: readonly Group[]): CheckStatus => {
  const found = groups.flatMap(({ checks }) => checks.map(({ status }) => status))
  return (['problem', 'warning'] as const).find((status) => found.includes(status)) ?? 'ok'
}
