// The steps of `orderctl doctor`: its table of checks, and the report.
import type { Context } from '../../context.ts'
import type { Profile } from '../../profiles/profile.ts'
import { type Check, printReport, runChecks } from '../shared/checks/check.ts'
import { listJournalChecks } from '../shared/checks/journal-checks.ts'
import { createFlagReader } from '../shared/flag-reader.ts'
import { readProfiles } from '../shared/journal/other-profiles.ts'
import { chooseJournal, type JournalPlace } from '../shared/journal/place.ts'
import { canDraw } from '../shared/session.ts'
import { type AccountOptions, listAccountChecks } from './accounts.ts'
import { checkCompletion } from './completion.ts'
import { checkLeftovers, findPaths } from './files.ts'
import type { DoctorFlags } from './flags.ts'
import { checkCache, checkProfilesFolder, checkSpace, checkStateFolder } from './folders.ts'
import { checkProfiles } from './profiles.ts'
import { describeNode, describeSystem, describeVersion, listSettings } from './settings.ts'

const defaultTimeoutMs = 5_000

/** Returns the exit code. */
export const runDoctor = async (context: Context, flags: DoctorFlags): Promise<number> => {
  const { readTimeout, check } = createFlagReader('doctor')
  const timeoutMs = readTimeout('--timeout', flags.timeout) ?? defaultTimeoutMs
  check()
  const isJson = flags.json === true
  const options = { timeoutMs, allowHttp: flags.allowHttp === true, isWhole: flags.full === true }
  const checks = listChecks(context, readProfiles(context), options)
  const draws = canDraw(context, { showsProgress: !isJson })
  const groups = await runChecks(withoutPrompts(context), checks, { timeoutMs, draws })
  return printReport(context, groups, { isJson, paths: findPaths(context) })
}

type Options = AccountOptions & { readonly isWhole: boolean }

const listChecks = (context: Context, profiles: readonly Profile[], options: Options): readonly Check[] => [
  { group: 'Installation', name: 'orderctl', find: describeVersion },
  { group: 'Installation', name: 'Node', find: describeNode },
  { group: 'Installation', name: 'System', find: describeSystem },
  { group: 'Installation', name: 'Compile cache', find: checkCache },
  { group: 'Settings', name: 'Environment', find: listSettings },
  { group: 'Folders', name: 'Profiles', find: checkProfilesFolder },
  { group: 'Folders', name: 'Journal', find: checkStateFolder },
  { group: 'Folders', name: 'Disk', find: checkSpace },
  ...listJournalChecks(context, findJournals(context, profiles), { ...options, asks: false }),
  { group: 'Profiles', name: 'Profiles', find: checkProfiles },
  ...listAccountChecks(context, profiles, options),
  { group: 'Completion', name: 'Completion', find: checkCompletion },
  { group: 'Temporary files', name: 'Leftovers', find: checkLeftovers },
]

/** Each once. */
const findJournals = (context: Context, profiles: readonly Profile[]): readonly JournalPlace[] => {
  const places = [undefined, ...profiles].map((profile) => chooseJournal(context, profile))
  const shared = places.filter((place) => place.kind === 'shared')
  return [{ kind: 'file' }, ...new Map(shared.map((place) => [place.text, place])).values()]
}

/** Checks never ask, and no command that they run can ask or print. */
const withoutPrompts = (context: Context): Context => ({
  ...context,
  stdin: { ...context.stdin, isTerminal: false },
  promptSecret: async () => undefined,
  // A command may print a key to stderr, too.
  spawn: (file, words, options) =>
    context.spawn(file, words, options.shell ? { ...options, stdio: ['ignore', 'pipe', 'ignore'] } : options),
})
