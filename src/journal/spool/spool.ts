// The folder of outcomes and reveals that a shared journal could not record. Each file is complete or missing.
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { getErrorReason, makeFolder, syncFolder, writeDurably } from '../../files.ts'
import { parseOutcome, parseReveals, type SpooledOutcome, type SpooledReveals } from './spooled.ts'

export type SpoolFile = {
  readonly path: string
  readonly outcome?: SpooledOutcome
  readonly reveals?: SpooledReveals
  /** Why there is neither. Follows the path. */
  readonly problem?: string
}

/** Its folder is created at the first outcome. */
export type Spool = {
  /** When this returns, the outcome or the reveals are on disk. */
  readonly save: (outcome: SpooledOutcome | SpooledReveals) => void
  /** The oldest outcome first. */
  readonly list: () => SpoolFile[]
  /** Does nothing if another process has removed it. Throws if it cannot be removed. */
  readonly remove: (file: SpoolFile) => void
}

const ending = '.json'

export const createSpool = (folder: string): Spool => ({
  save: (outcome) => {
    makeFolder(folder, 0o700)
    // Sorted by name, the outcomes are in the order of their times.
    const call = 'call' in outcome ? outcome.call : 'reveals'
    const name = `${String(outcome.at).padStart(15, '0')}-${call}-${randomUUID()}`
    writeDurably(path.join(folder, `${name}${ending}`), Buffer.from(`${JSON.stringify(outcome)}\n`))
    syncFolder(path.dirname(folder))
  },

  list: () => {
    try {
      return listNames(folder).flatMap((name) => readOutcome(path.join(folder, name)) ?? [])
    } catch (error) {
      return [{ path: folder, problem: describeFailedRead(error) }]
    }
  },

  remove: (file) => {
    rmSync(file.path, { force: true })
    syncFolder(folder)
  },
})

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
