// The steps of `orderctl doctor`: its checks of the account, the files and the machine, and the report. Each path that orderctl
// has created is listed with its size, and the temporary files that a killed command left behind.

import { lstatSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { accountOf, profilesOf, readProfiles, refuseLostProfiles } from '../../app/account.ts'
import {
  type Check,
  type Found,
  judgeClock,
  judgeFile,
  listJournalChecks,
  ok,
  probeAccount,
  problem,
  runChecks,
  warning,
} from '../../app/checks.ts'
import {
  type CompletionFiles,
  findCompletionFiles,
  readIfExists,
  shells,
} from '../../app/completion-files.ts'
import { chooseJournal, type JournalPlace, stateFolderPath } from '../../app/journals.ts'
import { openNetworkOf } from '../../app/open-session.ts'
import { createApi } from '../../client/api.ts'
import { withCredentials } from '../../client/credentials.ts'
import type { Context } from '../../context.ts'
import { Failure, type Fix } from '../../errors.ts'
import { findRefused } from '../../operations/failures.ts'
import { findPackageFolder } from '../../package-file.ts'
import { environmentName, findProfilesFolder, type Profile, profilesFile } from '../../profiles/store.ts'
import { quoteShellWord } from '../../text/suggest.ts'
import type { KeptPath } from '../../ui/screens/doctor.ts'
import type { DoctorOptions } from './spec.ts'

/** Returns the exit code. */
export const runDoctor = async (context: Context, options: DoctorOptions): Promise<number> => {
  const { timeout: timeoutMs, json: isJson } = options
  const profiles = readProfiles(context)
  const names = profiles.map(({ name }) => name)
  if (context.environment.ORDERCTL_BASE_URL !== undefined) names.unshift(environmentName)
  const checks: readonly Check[] = [
    { group: 'Installation', name: 'orderctl', find: describeInstallation },
    { group: 'Installation', name: 'Completion', find: checkCompletion },
    { group: 'Installation', name: 'Leftovers', find: checkLeftovers },
    ...listJournalChecks(findJournals(context, profiles), { asks: false }),
    { group: 'Profiles', name: 'Profiles', find: checkProfiles },
    // One for each account, so that each has its own time.
    ...names.map((name): Check => {
      return { group: 'Profiles', name, needsNetwork: true, find: (own) => checkService(own, name, options) }
    }),
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

const checkService = async (
  context: Context,
  name: string,
  { timeout: timeoutMs, allowHttp }: DoctorOptions,
): Promise<readonly Found[]> => {
  const { clock, random, interrupted } = context
  const startedAt = clock.monotonic()
  const account = await accountOf(
    context,
    { profile: name === environmentName ? undefined : name, allowHttp },
    // The service is asked after the command, in the rest of the time.
    { needsKey: false, isChosenHere: true, commandMs: timeoutMs / 2, onWarning: () => {} },
  )
  if (account.kind === 'sandbox') return []
  const key = await account.getKey()
  // The call ends before the whole check does, so that it reports how it ended.
  const leftMs = Math.floor((timeoutMs * 0.9 - (clock.monotonic() - startedAt)) / 100) * 100
  const network = await openNetworkOf(context, account)
  const transport = withCredentials(network, account.auth, key)
  const api = createApi(transport, { clock, random, timeoutMs: Math.max(1, leftMs) })
  const { response, serverTime } = await probeAccount(api, name, interrupted).finally(network.close)
  const service = judgeResponse(name, account.baseUrl, response)
  if (serverTime === undefined) return [service]
  return [service, { ...judgeClock(clock.now() - serverTime, "the service's"), name: `${name} clock` }]
}

const judgeResponse = (name: string, baseUrl: string, response: string | Failure): Found => {
  if (!(response instanceof Failure))
    return ok(`${baseUrl} responds, and did not refuse the key (${response})`)
  const { kind, message, details } = response
  if (kind === 'credentials')
    return problem(
      message,
      name === environmentName
        ? { advice: 'Set ORDERCTL_API_KEY to a valid key.' }
        : { fix: (suggest) => suggest`profile set ${name} --key-stdin` },
    )
  const judge = findRefused(response, 'get')?.refusal === undefined ? problem : warning
  return judge(`${baseUrl}: ${message}`, details)
}

export const ownFiles = [
  [/^profiles\.json$/, 'profiles and their keys'],
  [/^profiles\.lock$/, 'lock of the profiles'],
  [/^journal\.db$/, 'journal: the only record of your orders'],
  [/^journal\.db-(wal|shm)$/, 'journal, in use or after a crash'],
  [/^machine\.db(-wal|-shm)?$/, 'what this machine knows of each journal'],
  [/^creates$/, 'locks of running creates'],
  [/^listen\.db(-wal|-shm)?$/, 'received webhooks'],
  [/^listen-[\da-f]+\.lock$/, 'lock of a listener'],
  [/^sandbox\.db(-wal|-shm)?$/, 'sandbox'],
] as const

const readNames = (folder: string): readonly string[] => ignoreErrors(() => readdirSync(folder).sort(), [])

/** The size of a file, or of everything in a folder. Undefined if it does not exist. */
const measure = (file: string): number | undefined => {
  const stats = ignoreErrors(() => lstatSync(file, { throwIfNoEntry: false }), undefined)
  if (!stats?.isDirectory()) return stats?.size
  return readNames(file).reduce((all, name) => all + (measure(path.join(file, name)) ?? 0), 0)
}

/** Those of the profiles and of the journal. */
const listOwnFolders = (context: Context): readonly string[] =>
  [findProfilesFolder, stateFolderPath].flatMap((find) => ignoreErrors(() => [find(context)], []))

const findPaths = (context: Context): readonly KeptPath[] => {
  const own = listOwnFolders(context).flatMap((folder) =>
    readNames(folder).flatMap((name) => {
      const purpose = ownFiles.find(([form]) => form.test(name))?.[1]
      return purpose === undefined ? [] : describePath(path.join(folder, name), purpose)
    }),
  )
  // See bin/orderctl.cjs.
  const { environment, home = '' } = context
  const caches = environment.XDG_CACHE_HOME || path.join(home, '.cache')
  if (!path.isAbsolute(caches)) return own
  return [...own, ...describePath(path.join(caches, 'orderctl'), 'compiled code: may be deleted at any time')]
}

const describePath = (file: string, purpose: string): readonly KeptPath[] => {
  const bytes = measure(file)
  return bytes === undefined ? [] : [{ path: file, purpose, bytes }]
}

/** A command that still runs may use a younger file. */
const abandonedMs = 10 * 60 * 1000

const checkLeftovers = (context: Context): Found | readonly Found[] => {
  const isAbandoned = (file: string): boolean => {
    const stats = lstatSync(file, { throwIfNoEntry: false })
    return stats !== undefined && context.clock.now() - stats.mtimeMs >= abandonedMs
  }
  const find = (folder: string, form: RegExp): readonly string[] =>
    readNames(folder)
      .filter((name) => form.test(name))
      .map((name) => path.join(folder, name))
      .filter(isAbandoned)
  const found = [
    ...find(context.absolute('.'), /^\.orderctl-[\w-]+\.tmp$/),
    ...listOwnFolders(context).flatMap((folder) => find(folder, /^(profiles\.next\.json|\.lock-probe-)/)),
  ]
  if (found.length === 0) return ok('no temporary files')
  return found.map((file) =>
    warning(`${file} was left by a command that was killed, and may hold secrets`, {
      fix: () => `rm -r ${quoteShellWord(file)}`,
    }),
  )
}

const describeInstallation = ({ version, node }: Context): Found => {
  const folder = findPackageFolder()
  return ok(
    folder === undefined
      ? `${version} with Node ${node.version}, the single file ${node.program}`
      : `${version} in ${folder}, with Node ${node.version} in ${node.program}`,
  )
}

/** For an error that another check reports. */
const ignoreErrors = <Result>(find: () => Result, otherwise: Result): Result => {
  try {
    return find()
  } catch {
    return otherwise
  }
}

const checkProfiles = async (context: Context): Promise<Found> => {
  // The environment replaces the profiles, also on a machine without a home folder.
  const isOptional = context.environment.ORDERCTL_BASE_URL !== undefined
  if (isOptional && ignoreErrors(() => findProfilesFolder(context), '') === '')
    return ok('no home folder: only the environment is used')
  const file = path.join(findProfilesFolder(context), profilesFile)
  // Throws if the file is invalid or lost, or if other users can change it.
  const saved = profilesOf(context, () => {}).list()
  if (saved.length > 0) return judgeFile(context, file)
  if (!isOptional) await refuseLostProfiles(context, true)
  return ok('none besides the sandbox')
}

const checkCompletion = (context: Context): Found | readonly Found[] => {
  const found = shells.flatMap((shell) => {
    const files = findCompletionFiles(context, shell)
    return files === undefined ? [] : judgeShell(files)
  })
  return found.length === 0 ? ok('not installed. To install it: orderctl completion install') : found
}

const judgeShell = (files: CompletionFiles): Found | readonly Found[] => {
  const { shell, script, text, profile, line } = files
  const startup = (profile && readIfExists(profile))?.split(/\r?\n/) ?? []
  const isLoaded = startup.some((each) => each === line || each.includes(script))
  const found = readIfExists(script)
  if (found === undefined && !isLoaded) return []
  const fix: Fix = (suggest) => suggest`completion install ${shell}`
  // fish needs no startup file.
  if (profile !== undefined && !isLoaded) return warning(`no line of ${profile} loads ${script}`, { fix })
  if (found === text) return ok(script)
  return warning(`${script} is missing, or is not the script of this version`, { fix })
}
