// Writes a file completely or not at all, readable only by its owner. Overwrites nothing without --force.
import {
  closeSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import type { Context } from '../context.ts'
import { Failure } from '../errors.ts'
import { getErrorReason, syncFolder } from '../files.ts'

const exportEndings = ['csv', 'xlsx', 'jsonl', 'html', 'txt'] as const

/** A file for cards and their codes. Its ending selects the format. */
export const exportFile = {
  takes: '<file>',
  parse: (name: string) => {
    const ending = exportEndings.find((each) => name.toLowerCase().endsWith(`.${each}`))
    return ending && { name, ending }
  },
  allowed: 'a name that ends in .csv, .xlsx, .jsonl, .html or .txt',
} as const

export type ExportFile = NonNullable<ReturnType<typeof exportFile.parse>>

type Parts = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>

export type StagedFile = {
  /** Writes all parts, and puts the complete file in place. */
  keep(parts: Parts): Promise<void>
  /** Lets `write` fill the empty file, and puts it in place. */
  keepCopy(write: (file: string) => Promise<void>): Promise<void>
  /** Removes the incomplete file, unless it was kept. */
  discard(): void
}

type Options = {
  readonly field: string
  /** The value of --force. Undefined if the command has no such flag. */
  readonly force?: boolean
}

/** Throws if the file cannot be written. Call it before any request is sent. */
export const stageFile = (
  { absolute, clock }: Pick<Context, 'absolute' | 'clock'>,
  file: string,
  { field, force }: Options,
): StagedFile => {
  const target = findTarget(file, absolute(file), { field, force })
  const staged = path.join(path.dirname(target), `.orderctl-${clock.newId()}.tmp`)
  let descriptor: number
  try {
    // 'x' overwrites no file and follows no link.
    descriptor = openSync(staged, 'wx', 0o600)
  } catch (error) {
    throw new Failure('local-state', `cannot write ${file}: ${getErrorReason(error)}; nothing was sent`, {
      field,
      advice: 'Choose a folder that exists and that you can write to.',
      cause: error,
    })
  }
  let isOpen = true
  const close = (): void => {
    if (isOpen) closeSync(descriptor)
    isOpen = false
  }
  const keep = async (write: () => Promise<void>): Promise<void> => {
    await write()
    fsyncSync(descriptor)
    close()
    if (force) renameSync(staged, target)
    else moveWithoutOverwriting(staged, target)
    syncFolder(path.dirname(target))
  }
  const refuse = (error: unknown): never => {
    if (error instanceof Failure) throw error
    throw new Failure('output-lost', `cannot write ${file}: ${getErrorReason(error)}`, {
      field,
      advice: 'Free some disk space, or choose another file. No partial file was left.',
      cause: error,
    })
  }
  return {
    keep: (parts) =>
      keep(async () => {
        for await (const part of parts) writeFileSync(descriptor, part)
      }).catch(refuse),
    keepCopy: (write) => keep(() => write(staged)).catch(refuse),
    discard: () => {
      try {
        close()
      } finally {
        rmSync(staged, { force: true })
      }
    },
  }
}

/** The path to write. With --force, the target of a link. */
const findTarget = (file: string, place: string, { field, force }: Options): string => {
  const wrong = (message: string, advice: string): Failure => new Failure('usage', message, { field, advice })
  const existing = statIfExists(place)
  if (existing === undefined) return place
  if (!force) {
    const [problem, overwritten] = existing.isSymbolicLink()
      ? ['is a symbolic link', 'its target']
      : ['already exists', 'it']
    const advice =
      force === undefined
        ? 'Choose another file.'
        : `Use --force to overwrite ${overwritten}, or choose another file.`
    throw wrong(`${file} ${problem}`, advice)
  }
  let target = place
  try {
    if (existing.isSymbolicLink()) target = realpathSync(place)
  } catch {
    throw wrong(`${file} is a broken symbolic link`, 'Choose another file.')
  }
  if (statIfExists(target)?.isFile() === false)
    throw wrong(`${file} is not a regular file`, 'Choose another file.')
  return target
}

/** Undefined if nothing exists, or if it cannot be read: then writing fails, too. */
const statIfExists = (file: string): Stats | undefined => {
  try {
    return lstatSync(file)
  } catch {
    return undefined
  }
}

/** A hard link fails if the target exists by now. A rename would overwrite it. */
const moveWithoutOverwriting = (from: string, to: string): void => {
  try {
    linkSync(from, to)
    rmSync(from)
  } catch (error) {
    const isTaken = (error as NodeJS.ErrnoException).code === 'EEXIST'
    // The file system may not support hard links, as on many USB sticks.
    if (isTaken || statIfExists(to) !== undefined) throw error
    renameSync(from, to)
  }
}
