// The checks of this machine: the installation, the environment, the folders, the profiles and completion.
import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import path from 'node:path'
import { attempt, describeMode, type Found, named, ok, problem, warning } from '../../app/checks/check.ts'
import {
  type CompletionFiles,
  findCompletionFiles,
  readIfExists,
  shells,
} from '../../app/completion-files.ts'
import { findStateExposure, stateFolderPath } from '../../app/journal/place.ts'
import { profilesOf, refuseLostProfiles } from '../../app/profiles.ts'
import type { Context } from '../../context.ts'
import type { Remedy } from '../../errors.ts'
import { type Exposure, findExisting, suggestMode } from '../../exposure.ts'
import { getErrorReason } from '../../files.ts'
import { findPackageFolder } from '../../package-file.ts'
import { findProfilesExposure, findProfilesFolder, profilesFile } from '../../profiles/folder.ts'
import { type Credential, environmentName } from '../../profiles/profile.ts'
import { adviseUse, type Profiles } from '../../profiles/store.ts'
import { quoteShellWord } from '../../text/shell-word.ts'
import { formatBytes } from '../../ui/text/amounts.ts'

export const describeVersion = ({ version, node }: Context): Found => {
  const folder = findPackageFolder()
  return ok(folder === undefined ? `${version}, the single file ${node.program}` : `${version} in ${folder}`)
}

export const describeNode = ({ node: { version, program } }: Context): Found =>
  ok(findPackageFolder() === undefined ? `${version}, included` : `${version} in ${program}`)

const known =
  /^(ORDERCTL_\w+|PG(PASSWORD|PASSFILE|USER|SSLROOTCERT)|XDG_(CONFIG|STATE|CACHE)_HOME|(HTTPS?|NO|ALL)_PROXY|NODE_(EXTRA_CA_CERTS|TLS_REJECT_UNAUTHORIZED)|CI|(NO|FORCE)_COLOR)$/i

const ignored = new Map([
  ['ALL_PROXY', 'Set HTTPS_PROXY instead.'],
  ['NODE_TLS_REJECT_UNAUTHORIZED', 'Set NODE_EXTRA_CA_CERTS to the certificate of your authority instead.'],
])

/** Every other setting comes from the profile in use, or is the default. */
export const listSettings = ({ environment }: Context): Found | readonly Found[] => {
  const set = Object.entries(environment).filter(([name, value]) => value !== undefined && known.test(name))
  if (set.length === 0) return ok('no variable of orderctl is set')
  return set.sort().map(([name, value = '']) => {
    const advice = value === '' ? undefined : ignored.get(name.toUpperCase())
    const found =
      advice === undefined
        ? ok(describeValue(name, value))
        : warning('is set, but orderctl ignores it', { advice })
    return named(name, found)
  })
}

/** The value without keys and passwords. */
const describeValue = (name: string, value: string): string => {
  if (value === '') return 'set, but empty'
  if (/KEY|PASSWORD/.test(name)) return 'set, not shown'
  return value.replace(/^([a-z][\w+.-]*:\/\/)?.*@/i, '$1').replace(/(:\/\/.*)[?#].*$/, '$1')
}

export const checkProfilesFolder = (context: Context): Found => {
  if (!needsProfiles(context)) return ok('no home folder: only the environment is used')
  const folder = findProfilesFolder(context)
  const variables = ['ORDERCTL_CONFIG_DIR', 'XDG_CONFIG_HOME']
  return judgeFolder(context, folder, variables, findProfilesExposure(folder))
}

export const checkStateFolder = (context: Context): Found => {
  const variables = ['ORDERCTL_STATE_DIR', 'XDG_STATE_HOME']
  return judgeFolder(context, stateFolderPath(context), variables, findStateExposure(context))
}

/** For an error that another check reports. */
export const ignoreErrors = <Result>(find: () => Result, otherwise: Result): Result => {
  try {
    return find()
  } catch {
    return otherwise
  }
}

/** The environment replaces the profiles, also on a machine without a home folder. */
const needsProfiles = (context: Context): boolean =>
  context.environment.ORDERCTL_BASE_URL === undefined ||
  ignoreErrors(() => findProfilesFolder(context) !== '', false)

/** `variables` may have selected the folder. */
const judgeFolder = (
  context: Context,
  folder: string,
  variables: readonly string[],
  exposure: Exposure | undefined,
): Found => {
  // The first command that writes creates a missing folder.
  const place = findExisting(folder)
  const quoted = quoteShellWord(place)
  if (!statSync(place).isDirectory())
    return problem(`${place} is not a folder`, {
      fix: () => (statSync(place).isFile() ? `mv ${quoted} ${quoted}.old` : undefined),
    })
  const source = variables.find((name) => context.environment[name])
  const state = place === folder ? describeMode(context, place) : ' does not exist yet'
  const shown = `${folder}${state}${source === undefined ? '' : `, by ${source}`}`
  try {
    accessSync(place, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const detail = `${shown}. orderctl cannot write to ${place}: ${getErrorReason(error)}`
    // Windows has no chmod, and on a read-only file system it fails.
    const isNoMode = context.platform === 'win32' || (error as NodeJS.ErrnoException).code === 'EROFS'
    return problem(detail, isNoMode ? {} : { fix: () => suggestMode('u+rwx', place) })
  }
  return exposure === undefined ? ok(shown) : problem(exposure.reason, exposure)
}

const tightBytes = 100 * 1024 ** 2

/** Without space, no order can be recorded, so none is sent. */
export const checkSpace = (context: Context): Found => {
  const { bavail, bsize } = statfsSync(findExisting(stateFolderPath(context)))
  const free = bavail * bsize
  const detail = `${formatBytes(free)} free for the journal`
  if (free >= tightBytes) return ok(`more than ${formatBytes(tightBytes)} free for the journal`)
  const advice = 'Free some space. Without space, orderctl cannot record an order, and sends none.'
  return free === 0 ? problem(detail, { advice }) : warning(detail, { advice })
}

export const checkProfiles = async (context: Context): Promise<readonly Found[]> => {
  if (!needsProfiles(context)) return []
  const store = profilesOf(context)
  const saved = store.list()
  return [
    named('Saved', ok(saved.length === 0 ? 'none besides the sandbox' : String(saved.length))),
    await attempt('In use', () => findCurrent(context, store)),
    ...saved.map(({ name, credential }) =>
      named(`${name} credential`, ok(describeCredential(context, credential))),
    ),
  ]
}

const findCurrent = async (context: Context, store: Profiles): Promise<Found> => {
  const { ORDERCTL_PROFILE: named, ORDERCTL_BASE_URL: baseUrl } = context.environment
  if (named !== undefined) return ok(`${named}, by ORDERCTL_PROFILE`)
  if (baseUrl !== undefined) return ok(`the ${environmentName}, by ORDERCTL_BASE_URL`)
  const current = store.current()
  if (current === undefined) return warning('no profile', adviseUse(store.list()))
  if (!current.isDefault) return ok(current.name)
  await refuseLostProfiles(context, true)
  return ok(`${current.name}, the default: no real money`)
}

const describeCredential = (context: Context, credential: Credential | undefined): string => {
  if (credential === undefined) return 'none'
  if (credential.kind === 'command') return 'a command prints the key when it is needed'
  if (credential.kind === 'system') return 'key in the credential store of the system'
  const file = path.join(findProfilesFolder(context), profilesFile)
  return `key in ${file}${describeMode(context, file)}`
}

export const listCompletionFiles = (context: Context): readonly CompletionFiles[] =>
  shells.map((shell) => findCompletionFiles(context, shell)).filter((each) => each !== undefined)

export const readStartupLines = ({ profile }: CompletionFiles): readonly string[] =>
  ((profile && readIfExists(profile)) ?? '').split(/\r?\n/)

/** fish needs no startup file. */
const isLoaded = (files: CompletionFiles): boolean =>
  files.profile === undefined
    ? existsSync(files.script)
    : readStartupLines(files).some((each) => each === files.line || each.includes(files.script))

export const checkCompletion = async (context: Context): Promise<Found | readonly Found[]> => {
  const all = listCompletionFiles(context)
  const installed = all.filter((files) => existsSync(files.script) || isLoaded(files))
  if (installed.length === 0) return ok('not installed. To install it: orderctl completion install')
  return Promise.all(installed.map((files) => attempt(files.shell, () => judgeShell(files))))
}

const judgeShell = (files: CompletionFiles): Found => {
  const { shell, script, text, profile } = files
  const install: Remedy = { fix: (suggest) => suggest`completion install ${shell}` }
  const found = readIfExists(script)
  if (found === undefined) return warning(`${profile} loads ${script}, which does not exist`, install)
  if (!isLoaded(files)) return warning(`no line of ${profile} loads ${script}`, install)
  return found === text ? ok(script) : warning(`${script} is not the script of this version`, install)
}
