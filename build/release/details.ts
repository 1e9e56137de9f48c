// The facts in every artifact of a release: name, version, author, date, and the Node in the standalone file.
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

export type Author = { readonly name: string; readonly email?: string }

export type Details = {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly author: Author
  /** The platform and processor of the standalone file, for example `linux-x64`. */
  readonly target: string
  /** Seconds since 1970. All times in the artifacts are this time. */
  readonly date: number
}

const readCommitDate = (): string => execFileSync('git', ['log', '-1', '--format=%ct'], { encoding: 'utf8' })

/** Reads them in the working directory. `SOURCE_DATE_EPOCH` replaces the date of the newest commit. */
export const readDetails = (): Details => {
  const { name, version, description, author } = JSON.parse(readFileSync('package.json', 'utf8'))
  const date = Number(process.env.SOURCE_DATE_EPOCH ?? readCommitDate())
  if (typeof author?.name !== 'string') throw new Error("package.json must contain the author's name")
  if (!Number.isSafeInteger(date) || date <= 0)
    throw new Error('SOURCE_DATE_EPOCH must be a number of seconds')
  return { name, version, description, author, target: `${process.platform}-${process.arch}`, date }
}

/** False outside a clone. */
export const hasUncommittedChanges = (): boolean => {
  const { stdout } = spawnSync('git', ['status', '--porcelain'], { encoding: 'utf8' })
  return (stdout ?? '') !== ''
}
