// Every path that orderctl has created, with its size, and the temporary files that a killed command left behind.
import { accessSync, constants, lstatSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { type Found, named, ok, warning } from '../../app/checks/check.ts'
import { findTemporaryFolder, readProcessId } from '../../app/exec-folder.ts'
import { stateFolderPath } from '../../app/journal/place.ts'
import type { Context } from '../../context.ts'
import { findProfilesFolder } from '../../profiles/folder.ts'
import { quoteShellWord } from '../../text/shell-word.ts'
import type { KeptPath } from '../../ui/screens/doctor.ts'
import { formatBytes } from '../../ui/text/amounts.ts'
import { ignoreErrors, listCompletionFiles, readStartupLines } from './machine.ts'

export const ownFiles = [
  [/^profiles\.json$/, 'profiles and their keys'],
  [/^profiles\.lock$/, 'lock of the profiles'],
  [/^journal\.db$/, 'journal: the only record of your orders'],
  [/^journal\.db-(wal|shm)$/, 'journal, in use or after a crash'],
  [/^machine\.db(-wal|-shm)?$/, 'what this machine knows of each journal'],
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

export const findPaths = (context: Context): readonly KeptPath[] => {
  const own = listOwnFolders(context).flatMap((folder) =>
    readNames(folder).flatMap((name) => {
      const purpose = ownFiles.find(([form]) => form.test(name))?.[1]
      return purpose === undefined ? [] : describePath(path.join(folder, name), purpose)
    }),
  )
  // See bin/orderctl.cjs.
  const { environment, home } = context
  const caches = environment.XDG_CACHE_HOME || (home && path.join(home, '.cache'))
  const cache = caches && path.isAbsolute(caches) ? path.join(caches, 'orderctl') : undefined
  const completion = ignoreErrors(() => listCompletionFiles(context), []).flatMap((files) => {
    const lines = ignoreErrors(() => readStartupLines(files), [])
    const numbers = lines.flatMap((each, index) => (each === files.line ? [index + 1] : []))
    const profile = numbers.length === 0 ? undefined : files.profile
    return [
      ...describePath(files.script, `completion of ${files.shell}`),
      ...describePath(profile, `your file: line ${numbers.join(', ')} loads the completion`),
    ]
  })
  return [...own, ...describePath(cache, 'compiled code: may be deleted at any time'), ...completion]
}

const describePath = (file: string | undefined, purpose: string): readonly KeptPath[] => {
  const bytes = file === undefined ? undefined : measure(file)
  return file === undefined || bytes === undefined ? [] : [{ path: file, purpose, bytes }]
}

/** A command that still runs may use a younger file. */
const abandonedMs = 10 * 60 * 1000

/** In folders that only orderctl writes to, and in the folders of completion scripts. */
const temporary = /^(profiles\.next\.json.*|\.lock-probe-.*|\._?orderctl\b.*\.new)$/
/** In the working directory. */
const temporaryExport = /^\.orderctl-[\w-]+\.tmp$/

export const checkLeftovers = (context: Context): Found | readonly Found[] => {
  const found = [...findTemporaryFiles(context), ...findExecFolders(context)]
  return found.length === 0 ? ok('no temporary files') : found
}

const createLeftover = (file: string, detail: string): Found =>
  named('Leftover', warning(`${file} ${detail}`, { fix: () => `rm -r ${quoteShellWord(file)}` }))

const findTemporaryFiles = (context: Context): readonly Found[] => {
  const scripts = ignoreErrors(() => listCompletionFiles(context), [])
  const folders = new Set([...listOwnFolders(context), ...scripts.map(({ script }) => path.dirname(script))])
  const list = (folder: string, form: RegExp): readonly Found[] =>
    readNames(folder)
      .filter((name) => form.test(name))
      .map((name) => path.join(folder, name))
      .filter((file) => {
        const stats = lstatSync(file, { throwIfNoEntry: false })
        return stats !== undefined && context.clock.now() - stats.mtimeMs >= abandonedMs
      })
      .map((file) => createLeftover(file, 'was left by a command that was killed, and may hold secrets'))
  return [
    ...list(context.absolute('.'), temporaryExport),
    ...[...folders].flatMap((folder) => list(folder, temporary)),
  ]
}

/** Skips the folders of a serve-mock that still runs, and those of other users. */
const findExecFolders = (context: Context): readonly Found[] => {
  const parent = findTemporaryFolder(context)
  return readNames(parent).flatMap((name) => {
    const folder = path.resolve(parent, name)
    const id = readProcessId(name)
    if (id === undefined || context.processes.isRunning(id) || !isOwnFolder(folder)) return []
    const size = formatBytes(measure(folder) ?? 0)
    return createLeftover(folder, `(${size}) was left by serve-mock --exec, which was killed`)
  })
}

/** serve-mock creates it with mode 0700. */
const isOwnFolder = (folder: string): boolean =>
  ignoreErrors(() => {
    accessSync(folder, constants.W_OK)
    return lstatSync(folder).isDirectory()
  }, false)
