// The steps of `orderctl doctor`: its list of checks, and the report.

import { readProfiles } from '../../app/account.ts'
import { type Check, listJournalChecks, runChecks } from '../../app/checks/checks.ts'
import { chooseJournal, type JournalPlace } from '../../app/journal/place.ts'
import type { Context } from '../../context.ts'
import { environmentName, type Profile } from '../../profiles/profile.ts'
import { checkJournal, checkService } from './account.ts'
import { checkLeftovers, findPaths } from './files.ts'
import { checkCompletion, checkProfiles, checkProxy, describeInstallation } from './machine.ts'
import type { DoctorOptions } from './spec.ts'

/** Returns the exit code. */
export const runDoctor = async (context: Context, options: DoctorOptions): Promise<number> => {
  const { timeout: timeoutMs, json: isJson, full: isWhole } = options
  const profiles = readProfiles(context)
  const names = profiles.map(({ name }) => name)
  if (context.environment.ORDERCTL_BASE_URL !== undefined) names.unshift(environmentName)
  const checks: readonly Check[] = [
    { group: 'Installation', name: 'orderctl', find: describeInstallation },
    { group: 'Installation', name: 'Proxy', find: checkProxy },
    { group: 'Installation', name: 'Completion', find: checkCompletion },
    { group: 'Installation', name: 'Leftovers', find: checkLeftovers },
    ...listJournalChecks(findJournals(context, profiles), { isWhole, asks: false }),
    { group: 'Profiles', name: 'Profiles', find: checkProfiles },
    // One for each account, so that each has its own time.
    ...names.flatMap((name): Check[] => [
      { group: 'Profiles', name, needsNetwork: true, find: (own) => checkService(own, name, options) },
      { group: 'Profiles', name: `${name} journal`, find: (own) => checkJournal(own, name) },
    ]),
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
