// The folder of outcomes and reveals that a shared journal could not record. Each file is complete or missing.
import { randomUUID } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import path from 'node:path'
import { getErrorReason, makeFolder, syncFolder } from '../../files.ts'
import { parseOutcome, type SpooledOutcome } from './outcome.ts'
import { parseReveals, type SpooledReveals } from './spooled-reveals.ts'

export type SpoolFile = {
  readonly path: string
  readonly outcome?: SpooledOutcome
  readonly reveals?: SpooledReveals
  /** Why there is neither. Follows the path. */
  readonly problem?: string
}

export type Spool = ReturnType<typeof createSpool>

const ending = '.json'

/** Creates the folder at the first outcome. */
export const createSpool = (folder: string) => ({
  /** When this returns, the outcome or the reveals are on disk. */
  save: (outcome: SpooledOutcome | SpooledReveals): void => {
    makeFolder(folder, 0o700)
    // Sorted by name, the outcomes are in the order of their times.
    const call = 'call' in outcome ? outcome.call : 'reveals'
    const name = `${String(outcome.at).padStart(15, '0')}-${call}-${randomUUID()}`
    const temporary = path.join(folder, `.${name}.new`)
    try {
      writeDurably(temporary, `${JSON.stringify(outcome)}\n`)
      renameSync(temporary, path.join(folder, `${name}${ending}`))
    } catch (error) {
      rmSync(temporary, { force: true })
      throw error
    }
    syncFolder(folder)
    syncFolder(path.dirname(folder))
  },

  /** The oldest outcome first. */
  list: (): SpoolFile[] => {
    try {
      return listNames(folder).flatMap((name) => readOutcome(path.join(folder, name)) ?? [])
    } catch (error) {
      return [{ path: folder, problem: describeFailedRead(error) }]
    }
  },

  /** Does nothing if another process has removed it. Throws if it cannot be removed. */
  remove: (file: SpoolFile): void => {
    rmSync(file.path, { force: true })
    syncFolder(folder)
  },
})

const writeDurably = (file: string, text: string): void => {
  const descriptor = openSync(file, 'wx', 0o600)
  try {
    const bytes = Buffer.from(text)
    // A full disk may take a part of the bytes.
    for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

const describeFailedRead = (error: unknown): string => `cannot be read: ${getErrorReason(error)}`

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'

const listNames = (folder: string): string[] => {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(ending) && !name.startsWith('.'))
      .sort()
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

/** Undefined if another process has removed the file. */
const readOutcome = (file: string): SpoolFile | undefined => {
  try {
    const text = readFileSync(file, 'utf8')
    const outcome = parseOutcome(text)
    if (outcome !== undefined) return { path: file, outcome }
    const reveals = parseReveals(text)
    return { path: file, ...(reveals === undefined ? { problem: 'is damaged' } : { reveals }) }
  } catch (error) {
    return isMissing(error) ? undefined : { path: file, problem: describeFailedRead(error) }
  }
}
