// The temporary files that a killed command left behind.
import { accessSync, constants, lstatSync } from 'node:fs'
import path from 'node:path'
import type { Context } from '../../context.ts'
import { findProfilesFolder } from '../../profiles/folder.ts'
import { quoteShellWord } from '../../text/shell-word.ts'
import type { Check } from '../../ui/screens/doctor.ts'
import { formatBytes } from '../../ui/text/bytes.ts'
import { findTemporaryFolder, readProcessId } from '../shared/exec-folder.ts'
import { stateFolderPath } from '../shared/journal/state-folder.ts'
import { ok, warning } from './check.ts'
import { findFolder, listCompletionFiles, measure, readNames } from './paths.ts'

/** A command that still runs may use a younger file. */
const abandonedMs = 10 * 60 * 1000

const temporary = [
  /^profiles\.next\.json/,
  /^\.lock-probe-/,
  /^\.orderctl-[\w-]+\.tmp$/,
  /^\..*\.new$/,
  /\.orderctl-next$/,
  /^(_orderctl|orderctl\.\w+)\.next$/,
]

export const checkLeftovers = (context: Context): readonly Check[] => {
  const found = [...checkFiles(context), ...checkExecFolders(context)]
  return found.length === 0 ? [ok('Leftovers', 'no temporary files')] : found
}

/** Looks in the folders of orderctl and in the working directory, where exports are written. */
const checkFiles = (context: Context): readonly Check[] => {
  const state = findFolder(() => stateFolderPath(context))
  const folders = [
    findFolder(() => findProfilesFolder(context)),
    state,
    ...['spool', 'seen'].map((name) => (state === undefined ? undefined : path.join(state, name))),
    context.absolute('.'),
    ...listCompletionFiles(context).map(({ script }) => path.dirname(script)),
    context.home,
  ].filter((folder) => folder !== undefined)
  const found = [...new Set(folders)].flatMap((folder) =>
    readNames(folder)
      .filter((name) => temporary.some((form) => form.test(name)))
      .map((name) => path.join(folder, name))
      .filter((file) => isAbandoned(file, context.clock.now())),
  )
  return found.map((file) =>
    warning(
      'Leftover',
      `${file} was left by a command that was killed, and may hold secrets`,
      `rm -r ${quoteShellWord(file)}`,
    ),
  )
}

const isAbandoned = (file: string, now: number): boolean =>
  now - (lstatSync(file, { throwIfNoEntry: false })?.mtimeMs ?? now) >= abandonedMs

/** Skips the folders of a serve-mock that still runs, and those of other users. */
const checkExecFolders = (context: Context): readonly Check[] => {
  const parent = findTemporaryFolder(context)
  return readNames(parent).flatMap((name) => {
    const folder = path.resolve(parent, name)
    const id = readProcessId(name)
    if (id === undefined || context.processes.isRunning(id) || !isOwnFolder(folder)) return []
    const size = formatBytes(measure(folder) ?? 0)
    return warning(
      'Leftover',
      `${folder} (${size}) was left by serve-mock --exec, which was killed`,
      `rm -r ${quoteShellWord(folder)}`,
    )
  })
}

/** serve-mock creates it with mode 0700. */
const isOwnFolder = (folder: string): boolean => {
  try {
    accessSync(folder, constants.W_OK)
    return lstatSync(folder).isDirectory()
  } catch {
    return false
  }
}
