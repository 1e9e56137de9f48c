// Changes the file of profiles, wholly or not at all. Loaded to write alone: conf costs more than all reading.
import { chownSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import Conf from 'conf'
import { readJson, writeJson } from '../contract/json.ts'
import { Failure } from '../errors.ts'
import { keepFolder, makeFolder, reasonOf } from '../files.ts'
import { withLock } from './lock.ts'

type Store = Record<string, unknown>

/** Runs `change` when nobody else writes; what it gives is then in the file. */
export const changeFile = (file: string, change: () => Store): void => {
  const folder = path.dirname(file)
  try {
    makeFolder(folder, 0o700)
    withLock(path.join(folder, 'profiles.lock'), () => replaceFile(realPath(file), change()))
  } catch (error) {
    if (error instanceof Failure) throw error
    throw new Failure('local-state', `cannot write the profiles ${file}: ${reasonOf(error)}`, {
      fix: 'Nothing was changed. Make room and see that you may write there, or set ORDERCTL_CONFIG_DIR.',
      field: file,
      cause: error,
    })
  }
}

const stage = 'profiles.next'

// On a full disk, conf leaves a truncated file and reports success. So it never writes the file itself: it writes
// beside it, and what can be read back takes the file's place.
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
      throw new Failure('local-state', `cannot write the profiles ${file}: not all of it was kept`, {
        fix: 'Nothing was changed. See whether the disk is full.',
        field: file,
      })
    }
    // Written by root, it would be lost to its owner.
    const { uid, gid } = statSync(conf.path)
    if (before !== undefined && (before.uid !== uid || before.gid !== gid)) {
      chownSync(conf.path, before.uid, before.gid)
    }
    renameSync(conf.path, file)
    keepFolder(folder)
  } finally {
    clearStage(folder)
  }
}

const serialize = (store: Store): string => `${writeJson(store, 2)}\n`

// What a process leaves that was killed as it wrote. It may hold a key.
const clearStage = (folder: string): void => {
  for (const name of readdirSync(folder)) {
    if (name.startsWith(`${stage}.json`)) rmSync(path.join(folder, name), { force: true })
  }
}

// The file may be a link into a folder that is kept under version control.
const realPath = (file: string): string => {
  try {
    return realpathSync(file)
  } catch {
    return file
  }
}
