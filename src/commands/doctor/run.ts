// The steps of `orderctl doctor`: the checks of this machine, those of the network at the same time, and the report.
import type { Context } from '../../context.ts'
import { exitCodes } from '../../exit-codes.ts'
import {
  type CheckGroup,
  type CheckStatus,
  type DoctorReport,
  renderDoctor,
} from '../../ui/screens/doctor.ts'
import { renderJson } from '../../ui/text/json.ts'
import { createFlagReader } from '../shared/flag-reader.ts'
import { viewOf } from '../shared/output/view-of.ts'
import { canDraw } from '../shared/session.ts'
import { waitingOn } from '../shared/waiting.ts'
import { checkAccounts } from './accounts.ts'
import { attempt } from './check.ts'
import { checkCompletion } from './completion.ts'
import type { DoctorFlags } from './flags.ts'
import { checkFolders } from './folders.ts'
import { checkInstallation } from './installation.ts'
import { checkJournalFile } from './journal-file.ts'
import { checkSharedJournals } from './journal-shared.ts'
import { checkLeftovers } from './leftovers.ts'
import { findPaths } from './paths.ts'
import { checkProfiles } from './profiles.ts'
import { checkProxies } from './proxy.ts'
import { checkTerminal } from './terminal.ts'

const defaultTimeoutMs = 5_000

/** Returns the exit code. */
export const runDoctor = async (context: Context, flags: DoctorFlags): Promise<number> => {
  const { readTimeout, check } = createFlagReader('doctor')
  const timeoutMs = readTimeout('--timeout', flags.timeout) ?? defaultTimeoutMs
  check()
  const isJson = flags.json === true
  const groups = await runChecks(context, {
    timeoutMs,
    allowHttp: flags.allowHttp === true,
    isWhole: flags.full === true,
    showsProgress: !isJson,
  })
  const report = { status: findWorst(groups), groups, paths: findPaths(context) }
  context.stdout.write(isJson ? renderJson(toData(report)) : renderDoctor(report, viewOf(context)))
  return report.status === 'problem' ? exitCodes['local-state'].code : exitCodes.ok.code
}

type Options = {
  readonly timeoutMs: number
  readonly allowHttp: boolean
  readonly isWhole: boolean
  readonly showsProgress: boolean
}

const runChecks = async (context: Context, options: Options): Promise<readonly CheckGroup[]> => {
  // They block this process, so they end before the network's time begins.
  const installation = attempt('orderctl', () => checkInstallation(context))
  const folders = checkFolders(context)
  const journal = checkJournalFile(context, options)
  const found = checkProfiles(context, journal.found)
  const { end } = waitingOn(context, canDraw(context, options)).begin(() => 'asking the services')
  const [accounts, shared] = await Promise.all([
    checkAccounts(context, found.profiles, options),
    checkSharedJournals(context, found, options),
  ]).finally(end)
  return [
    { title: 'Installation', checks: installation },
    { title: 'Folders', checks: folders },
    { title: 'Journal', checks: [...journal.checks, ...shared] },
    { title: 'Profiles', checks: [...found.checks, ...accounts] },
    { title: 'Proxy', checks: checkProxies(context, found.profiles) },
    { title: 'Completion', checks: attempt('Completion', () => checkCompletion(context)) },
    { title: 'Terminal', checks: attempt('Terminal', () => checkTerminal(context)) },
    { title: 'Temporary files', checks: attempt('Leftovers', () => checkLeftovers(context)) },
  ]
}

const findWorst = (groups: readonly CheckGroup[]): CheckStatus => {
  const found = groups.flatMap(({ checks }) => checks.map(({ status }) => status))
  return (['problem', 'warning'] as const).find((status) => found.includes(status)) ?? 'ok'
}

/** One list, so that a script selects without knowing the groups. */
const toData = ({ status, groups, paths }: DoctorReport) => ({
  status,
  checks: groups.flatMap(({ title, checks }) =>
    checks.map(({ name, status, detail, fix = null }) => ({ group: title, name, status, detail, fix })),
  ),
  paths,
})
