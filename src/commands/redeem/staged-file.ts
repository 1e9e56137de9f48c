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
import { Failure } from '../../errors.ts'
import { getErrorReason, syncFolder } from '../../files.ts'

export type StagedFile = {
  /** Puts the complete file in place. */
  keep(text: string): void
  /** Removes what is left, unless the file was kept. */
  discard(): void
}

type Options = { readonly flag: string; readonly force: boolean; readonly newId: () => string }

/** Throws if the file cannot be written, before anything is asked of the service. */
export const stageFile = (file: string, { flag, force, newId }: Options): StagedFile => {
  const target = targetOf(file, { flag, force })
  const staged = path.join(path.dirname(target), `.orderctl-${newId()}.tmp`)
  const failing = <Result>(kind: 'local-state' | 'output-lost', fix: string, work: () => Result): Result => {
    try {
      return work()
    } catch (error) {
      const sent = kind === 'local-state' ? '; nothing was sent' : ''
      throw new Failure(kind, `cannot write ${file}: ${getErrorReason(error)}${sent}`, {
        field: flag,
        fix,
        cause: error,
      })
    }
  }
  const descriptor = failing(
    'local-state',
    'Name a file in a folder that is there and that you may write to.',
    // Exclusively: neither over a file nor through a link.
    () => openSync(staged, 'wx', 0o600),
  )
  let isOpen = true
  const close = (): void => {
    if (isOpen) closeSync(descriptor)
    isOpen = false
  }
  return {
    keep: (text) =>
      failing(
        'output-lost',
        `Nothing of it was left behind. Make room, or name another file with ${flag}.`,
        () => {
          writeFileSync(descriptor, text)
          fsyncSync(descriptor)
          close()
          if (force) renameSync(staged, target)
          else moveWhereNothingIs(staged, target)
          syncFolder(path.dirname(target))
        },
      ),
    discard: () => {
      try {
        close()
      } finally {
        rmSync(staged, { force: true })
      }
    },
  }
}

/** What is to be replaced; behind a link, what the link leads to. */
const targetOf = (file: string, { flag, force }: Omit<Options, 'newId'>): string => {
  const wrong = (message: string, fix: string): Failure => new Failure('usage', message, { field: flag, fix })
  const there = statusOf(file)
  if (there === undefined) return path.resolve(file)
  if (!force) {
    const what = there.isSymbolicLink() ? 'is a link' : 'is there already'
    throw wrong(`${file} ${what}`, 'Name another file; --force replaces what is there.')
  }
  const target = there.isSymbolicLink() ? behind(file) : path.resolve(file)
  if (target === undefined) throw wrong(`${file} is a link that leads nowhere`, 'Name another file.')
  if (statusOf(target)?.isFile() === false) throw wrong(`${file} is not a file`, 'Name another file.')
  return target
}

/** Undefined where nothing is there, or where that cannot be told: to write will fail as well. */
const statusOf = (file: string): Stats | undefined => {
  try {
    return lstatSync(file)
  } catch {
    return undefined
  }
}

const behind = (link: string): string | undefined => {
  try {
    return realpathSync(link)
  } catch {
    return undefined
  }
}

/** A second name fails where something has come there meanwhile; a move would go over it. */
const moveWhereNothingIs = (from: string, to: string): void => {
  try {
    linkSync(from, to)
    rmSync(from)
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST'
    // A file system without second names, as on many USB sticks.
    if (isThere || statusOf(to) !== undefined) throw error
    renameSync(from, to)
  }
}
