// The steps of `orderctl doctor`: its table of checks, and the report.

import { type Check, runChecks } from '../../app/checks/check.ts'
import { listJournalChecks } from '../../app/checks/journal-checks.ts'
import { chooseJournal, type JournalPlace } from '../../app/journal/place.ts'
import { readProfiles } from '../../app/profiles.ts'
import type { Context } from '../../context.ts'
import { environmentName, type Profile } from '../../profiles/profile.ts'
import { checkAccount } from './account.ts'
import { checkLeftovers, findPaths } from './files.ts'
import * as machine from './machine.ts'
import type { DoctorOptions } from './spec.ts'

/** Returns the exit code. */
export const runDoctor = async (context: Context, options: DoctorOptions): Promise<number> => {
  const { timeout: timeoutMs, json: isJson, full: isWhole } = options
  const profiles = readProfiles(context)
  const names = profiles.map(({ name }) => name)
  if (context.environment.ORDERCTL_BASE_URL !== undefined) names.unshift(environmentName)
  const checks: readonly Check[] = [
    { group: 'Installation', name: 'orderctl', find: machine.describeVersion },
    { group: 'Installation', name: 'Node', find: machine.describeNode },
    { group: 'Settings', name: 'Environment', find: machine.listSettings },
    { group: 'Folders', name: 'Profiles', find: machine.checkProfilesFolder },
    { group: 'Folders', name: 'Journal', find: machine.checkStateFolder },
    { group: 'Folders', name: 'Disk', find: machine.checkSpace },
    ...listJournalChecks(context, findJournals(context, profiles), { isWhole, asks: false }),
    { group: 'Profiles', name: 'Profiles', find: machine.checkProfiles },
    // One for each account, so that each has its own time.
    ...names.map((name) => ({
      group: 'Profiles',
      name,
      needsNetwork: true as const,
      find: (own: Context) => checkAccount(own, name, profiles, options),
    })),
    { group: 'Completion', name: 'Completion', find: machine.checkCompletion },
    { group: 'Temporary files', name: 'Leftovers', find: checkLeftovers },
  ]
  const paths = findPaths(context)
  return runChecks(withoutPrompts(context), checks, { timeoutMs, isJson, showsProgress: !isJson, paths })
}

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
  // A command may print a key to stderr, too.
  spawn: (file, words, options) =>
    context.spawn(file, words, options.shell ? { ...options, stdio: ['ignore', 'pipe', 'ignore'] } : options),
})
