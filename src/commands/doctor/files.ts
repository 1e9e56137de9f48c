// Every path that orderctl has created, with its size, and the temporary files that a killed command left behind.
import { lstatSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { type Found, ok, warning } from '../../app/checks/checks.ts'
import { stateFolderPath } from '../../app/journal/place.ts'
import type { Context } from '../../context.ts'
import { findProfilesFolder } from '../../profiles/folder.ts'
import { quoteShellWord } from '../../text/suggest.ts'
import type { KeptPath } from '../../ui/screens/doctor.ts'
import { ignoreErrors } from './machine.ts'

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

export const checkLeftovers = (context: Context): Found | readonly Found[] => {
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
