// Every path that orderctl has created, with its size, and the temporary files that a killed command left behind.
import { accessSync, constants, lstatSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { shells } from '../../completion-scripts.ts'
import type { Context } from '../../context.ts'
import { findProfilesFolder } from '../../profiles/folder.ts'
import { quoteShellWord } from '../../text/shell-word.ts'
import type { KeptPath } from '../../ui/screens/doctor.ts'
import { formatBytes } from '../../ui/text/bytes.ts'
import { type Found, ok, warning } from '../shared/checks/check.ts'
import {
  type CompletionFiles,
  findCompletionFiles,
  findLoadLines,
  readIfExists,
} from '../shared/completion-files.ts'
import { findTemporaryFolder, readProcessId } from '../shared/exec-folder.ts'
import { stateFolderPath } from '../shared/journal/state-folder.ts'
import { findCacheFolder } from './folders.ts'

const contents = [
  [/^profiles\.json$/, 'profiles and their keys'],
  [/^profiles\.lock$/, 'lock of the profiles'],
  [/^journal\.db$/, 'journal: the only record of your orders'],
  [/^journal\.db-(wal|shm)$/, 'journal, in use or after a crash'],
  [/^journal\.db\.location$/, 'where the journal was tested'],
  [/^spool$/, 'outcomes for a shared journal'],
  [/^seen$/, 'newest call of each journal'],
  [/^listen\.db(-wal|-shm)?$/, 'received webhooks'],
  [/^listen-[\da-f]+\.lock$/, 'lock of a listener'],
  [/^sandbox\.db(-wal|-shm)?$/, 'sandbox'],
] as const

export const findPaths = (context: Context): readonly KeptPath[] => [
  ...listOwnFolders(context).flatMap((folder) =>
    readNames(folder).flatMap((name) => {
      const purpose = contents.find(([form]) => form.test(name))?.[1]
      return purpose === undefined ? [] : describePath(path.join(folder, name), purpose)
    }),
  ),
  ...describePath(findCacheFolder(context), 'compiled code: may be deleted at any time'),
  ...listCompletionFiles(context).flatMap(listCompletion),
]

/** Those of the profiles and of the journal. */
const listOwnFolders = (context: Context): readonly string[] =>
  [orUndefined(() => findProfilesFolder(context)), orUndefined(() => stateFolderPath(context))].filter(
    (folder) => folder !== undefined,
  )

/** Another check says what is wrong. */
const orUndefined = <Result>(find: () => Result): Result | undefined => {
  try {
    return find()
  } catch {
    return undefined
  }
}

const describePath = (file: string | undefined, purpose: string): readonly KeptPath[] => {
  const bytes = file === undefined ? undefined : measure(file)
  return file === undefined || bytes === undefined ? [] : [{ path: file, purpose, bytes }]
}

const listCompletionFiles = (context: Context): readonly CompletionFiles[] =>
  orUndefined(() => shells.map((shell) => findCompletionFiles(context, shell)))?.filter(
    (each) => each !== undefined,
  ) ?? []

const listCompletion = (files: CompletionFiles): readonly KeptPath[] => {
  const { shell, script, profile } = files
  const startup = profile === undefined ? undefined : orUndefined(() => readIfExists(profile) ?? '')
  const { own = [] } = startup === undefined ? {} : findLoadLines(startup, files)
  const purpose = `your file: line ${own.join(', ')} loads the completion`
  return [
    ...describePath(script, `completion of ${shell}`),
    ...(own.length === 0 ? [] : describePath(profile, purpose)),
  ]
}

/** The size of a file, or of everything in a folder. Undefined if it does not exist. */
const measure = (file: string): number | undefined => {
  const stats = orUndefined(() => lstatSync(file, { throwIfNoEntry: false }))
  if (!stats?.isDirectory()) return stats?.size
  return readNames(file).reduce((all, name) => all + (measure(path.join(file, name)) ?? 0), 0)
}

const readNames = (folder: string): readonly string[] => orUndefined(() => readdirSync(folder).sort()) ?? []

/** A command that still runs may use a younger file. */
const abandonedMs = 10 * 60 * 1000

/** In folders that only orderctl writes to, and in the folders of completion scripts. */
const temporary = /^(profiles\.next\.json.*|\.lock-probe-.*|\.(_?orderctl\b.*|.*\.json)\.new)$/
const temporaryExport = /^\.orderctl-[\w-]+\.tmp$/

export const checkLeftovers = (context: Context): readonly Found[] => {
  const found = [...findTemporaryFiles(context), ...findExecFolders(context)]
  return found.length === 0
    ? [ok('no temporary files')]
    : found.map(([file, detail]) => ({
        ...warning(`${file} ${detail}`, `rm -r ${quoteShellWord(file)}`),
        name: 'Leftover',
      }))
}

type Leftover = readonly [file: string, detail: string]

const findTemporaryFiles = (context: Context): readonly Leftover[] => {
  const own = listOwnFolders(context).flatMap((folder) => [
    folder,
    ...['spool', 'seen'].map((name) => path.join(folder, name)),
  ])
  const scripts = listCompletionFiles(context).map(({ script }) => path.dirname(script))
  // Exports are written to the working directory.
  const places = [[context.absolute('.'), temporaryExport] as const].concat(
    [...new Set([...own, ...scripts])].map((folder) => [folder, temporary] as const),
  )
  return places.flatMap(([folder, form]) =>
    readNames(folder)
      .filter((name) => form.test(name))
      .map((name) => path.join(folder, name))
      .filter((file) => isAbandoned(file, context.clock.now()))
      .map((file): Leftover => [file, 'was left by a command that was killed, and may hold secrets']),
  )
}

const isAbandoned = (file: string, now: number): boolean =>
  now - (lstatSync(file, { throwIfNoEntry: false })?.mtimeMs ?? now) >= abandonedMs

/** Skips the folders of a serve-mock that still runs, and those of other users. */
const findExecFolders = (context: Context): readonly Leftover[] => {
  const parent = findTemporaryFolder(context)
  return readNames(parent).flatMap((name): readonly Leftover[] => {
    const folder = path.resolve(parent, name)
    const id = readProcessId(name)
    if (id === undefined || context.processes.isRunning(id) || !isOwnFolder(folder)) return []
    const size = formatBytes(measure(folder) ?? 0)
    return [[folder, `(${size}) was left by serve-mock --exec, which was killed`]]
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
