// Replaces the profiles file atomically. Only a write loads this module, because conf takes longer to load than all
// reading.
import { chownSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import Conf from 'conf'
import { readJson, writeJson } from '../contract/json.ts'
import { Failure } from '../errors.ts'
import { getErrorReason, makeFolder, syncFolder } from '../files.ts'
import { withLock } from '../sqlite/lock.ts'

type Store = Record<string, unknown>

/** Runs `change` under the lock and writes its result to the file. */
export const changeFile = (file: string, change: () => Store): void => {
  const folder = path.dirname(file)
  try {
    makeFolder(folder, 0o700)
    withLock(path.join(folder, 'profiles.lock'), () => replaceFile(resolveLink(file), change()))
  } catch (error) {
    if (error instanceof Failure) throw error
    throw new Failure('local-state', `cannot write the profiles ${file}: ${getErrorReason(error)}`, {
      advice:
        'Nothing was changed. Check free space and permissions, or set ORDERCTL_CONFIG_DIR to a different folder.',
      field: file,
      cause: error,
    })
  }
}

const stage = 'profiles.next'

// On a full disk, conf leaves a truncated file and reports success. So conf writes a new file, which replaces the old
// one only after it was read back.
const replaceFile = (file: string, store: Store): void => {
  const folder = path.dirname(file)
  const before = statSync(file, { throwIfNoEntry: false })
  clearStage(folder)
  try {
    const conf = new Conf<Store>({
      cwd: folder,
      configName: stage,
      configFileMode: 0o600,
      accessPropertiesByDotNotation: false,
      serialize,
      deserialize: (text) => readJson(text) as Store,
    })
    conf.store = store
    if (readFileSync(conf.path, 'utf8') !== serialize(store)) {
      throw new Failure('local-state', `cannot write the profiles ${file}: the new file is incomplete`, {
        advice: 'Nothing was changed. Check whether the disk is full.',
        field: file,
      })
    }
    // Keep the owner if root writes the file.
    const { uid, gid } = statSync(conf.path)
    if (before !== undefined && (before.uid !== uid || before.gid !== gid)) {
      chownSync(conf.path, before.uid, before.gid)
    }
    renameSync(conf.path, file)
    syncFolder(folder)
  } finally {
    clearStage(folder)
  }
}

const serialize = (store: Store): string => `${writeJson(store, 2)}\n`

// Deletes the file of a process that was killed during a write. It may contain a key.
const clearStage = (folder: string): void => {
  for (const name of readdirSync(folder)) {
    if (name.startsWith(`${stage}.json`)) rmSync(path.join(folder, name), { force: true })
  }
}

// The file may be a link into a folder under version control.
const resolveLink = (file: string): string => {
  try {
    return realpathSync(file)
  } catch {
    return file
  }
}
