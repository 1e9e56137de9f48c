// The checks of this machine: the installation, the proxy, the profiles and completion.
import path from 'node:path'
import { profilesOf, refuseLostProfiles } from '../../app/account.ts'
import { type Found, judgeFile, ok, warning } from '../../app/checks/checks.ts'
import {
  type CompletionFiles,
  findCompletionFiles,
  readIfExists,
  shells,
} from '../../app/completion-files.ts'
import type { Context } from '../../context.ts'
import type { Fix } from '../../errors.ts'
import { findPackageFolder } from '../../package-file.ts'
import { findProfilesFolder, profilesFile } from '../../profiles/folder.ts'

export const describeInstallation = ({ version, node }: Context): Found => {
  const folder = findPackageFolder()
  return ok(
    folder === undefined
      ? `${version} with Node ${node.version}, the single file ${node.program}`
      : `${version} in ${folder}, with Node ${node.version} in ${node.program}`,
  )
}

/** Other programs use this variable. */
export const checkProxy = ({ environment }: Context): Found | readonly Found[] =>
  environment.ALL_PROXY || environment.all_proxy
    ? warning('ALL_PROXY is set, but orderctl ignores it', { advice: 'Set HTTPS_PROXY instead.' })
    : []

/** For an error that another check reports. */
export const ignoreErrors = <Result>(find: () => Result, otherwise: Result): Result => {
  try {
    return find()
  } catch {
    return otherwise
  }
}

export const checkProfiles = async (context: Context): Promise<Found> => {
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

export const checkCompletion = (context: Context): Found | readonly Found[] => {
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
