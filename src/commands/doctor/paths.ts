// Every path that orderctl has created, with its size.
import { lstatSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { shells } from '../../completion-scripts.ts'
import type { Context } from '../../context.ts'
import { findProfilesFolder } from '../../profiles/folder.ts'
import type { KeptPath } from '../../ui/screens/doctor.ts'
import {
  type CompletionFiles,
  findCompletionFiles,
  findLoadLines,
  readIfExists,
} from '../shared/completion-files.ts'
import { stateFolderPath } from '../shared/journal/state-folder.ts'

const profileContents = [
  [/^profiles\.json$/, 'profiles and their keys'],
  [/^profiles\.lock$/, 'lock of the profiles'],
] as const

const stateContents = [
  [/^journal\.db$/, 'journal: the only record of your orders'],
  [/^journal\.db-(wal|shm)$/, 'journal, in use or after a crash'],
  [/^journal\.db\.location$/, 'where the journal was tested'],
  [/^spool$/, 'outcomes for a shared journal'],
  [/^seen$/, 'newest call of each journal'],
  [/^forward$/, 'webhook deliveries to forward'],
  [/^sandbox\.db(-wal|-shm)?$/, 'sandbox'],
] as const

export const findPaths = (context: Context): readonly KeptPath[] => [
  ...listContents(
    findFolder(() => findProfilesFolder(context)),
    profileContents,
  ),
  ...listContents(
    findFolder(() => stateFolderPath(context)),
    stateContents,
  ),
  ...describePath(findCacheFolder(context), 'compiled code: may be deleted at any time'),
  ...listCompletion(context),
]

export const findFolder = (find: () => string): string | undefined => {
  try {
    return find()
  } catch {
    // The check of the folders says why there is none.
    return undefined
  }
}

const findCacheFolder = ({ environment, home }: Context): string | undefined => {
  const caches = environment.XDG_CACHE_HOME || (home && path.join(home, '.cache'))
  return caches && path.isAbsolute(caches) ? path.join(caches, 'orderctl') : undefined
}

const listContents = (
  folder: string | undefined,
  contents: readonly (readonly [form: RegExp, purpose: string])[],
): readonly KeptPath[] =>
  folder === undefined
    ? []
    : readNames(folder).flatMap((name) => {
        const purpose = contents.find(([form]) => form.test(name))?.[1]
        return purpose === undefined ? [] : describePath(path.join(folder, name), purpose)
      })

const describePath = (file: string | undefined, purpose: string): readonly KeptPath[] => {
  const bytes = file === undefined ? undefined : measure(file)
  return file === undefined || bytes === undefined ? [] : [{ path: file, purpose, bytes }]
}

export const listCompletionFiles = (context: Context): readonly CompletionFiles[] => {
  try {
    return shells.map((shell) => findCompletionFiles(context, shell)).filter((each) => each !== undefined)
  } catch {
    // The check of the completion says which file of orderctl is missing.
    return []
  }
}

const listCompletion = (context: Context): readonly KeptPath[] =>
  listCompletionFiles(context).flatMap((files) => {
    const { shell, script, profile } = files
    const startup = profile === undefined ? undefined : findFolder(() => readIfExists(profile) ?? '')
    const { own = [] } = startup === undefined ? {} : findLoadLines(startup, files)
    return [
      ...describePath(script, `completion of ${shell}`),
      ...(own.length === 0 || profile === undefined
        ? []
        : describePath(profile, `your file: line ${own.join(', ')} loads the completion`)),
    ]
  })

/** The size of a file, or of everything in a folder. Undefined if it does not exist. */
export const measure = (file: string): number | undefined => {
  try {
    const stats = lstatSync(file, { throwIfNoEntry: false })
    if (!stats?.isDirectory()) return stats?.size
    return readNames(file).reduce((all, name) => all + (measure(path.join(file, name)) ?? 0), 0)
  } catch {
    return undefined
  }
}

export const readNames = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder).sort()
  } catch {
    return []
  }
}
