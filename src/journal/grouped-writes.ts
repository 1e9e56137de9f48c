// Commits writes of several orders together, because each commit waits for the disk (test/bench/batch.ts).
import type { DatabaseSync } from 'node:sqlite'
import type { RunTransaction } from './state-changes.ts'

/** Resolves when the work is on disk. */
export type Write = <Result>(work: () => Result) => Promise<Result>

type Job = {
  readonly work: () => unknown
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

/** `guard` converts the errors of the commit. */
export const createGroupedWrite = (
  database: DatabaseSync,
  runTransaction: RunTransaction,
  guard: (work: () => unknown) => unknown,
): Write => {
  let jobs: Job[] = []

  /** A job that fails undoes only its own work. */
  const runJob = ({ work, resolve, reject }: Job): (() => void) => {
    database.exec('SAVEPOINT job')
    try {
      const result = work()
      database.exec('RELEASE job')
      return () => resolve(result)
    } catch (error) {
      // A full disk may have ended the whole transaction.
      if (!database.isTransaction) throw error
      database.exec('ROLLBACK TO job; RELEASE job')
      return () => reject(error)
    }
  }

  const flush = (): void => {
    const group = jobs
    jobs = []
    try {
      const ends = guard(() => runTransaction(() => group.map(runJob))) as (() => void)[]
      for (const end of ends) end()
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }

  return <Result>(work: () => Result) =>
    new Promise<Result>((resolve, reject) => {
      // All answers that have arrived by now are written together.
      if (jobs.length === 0) setImmediate(flush)
      jobs.push({ work, resolve: resolve as Job['resolve'], reject })
    })
}
