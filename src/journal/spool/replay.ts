// Writes the outcomes and reveals in the spool to their journal. Several processes may do so at once.
import { getErrorReason } from '../../files.ts'
import { createRunner, type Run } from '../access.ts'
import { createCalls } from '../calls.ts'
import type { Database, Statements } from '../database/database.ts'
import { isOpen } from '../entry.ts'
import { listCalls, lockOrder } from '../queries.ts'
import { insertReveal } from '../reveals.ts'
import { moveOrder } from '../standings.ts'
import type { Spool, SpooledOutcome, SpooledReveals, SpoolFile } from './spool.ts'

/** A file of the spool that is left alone. */
export type SpoolProblem = {
  readonly file: string
  /** Follows the path. */
  readonly reason: string
  readonly isRecorded: boolean
}

export type Replayer = {
  /** Throws if the journal cannot be written. */
  readonly replay: () => Promise<void>
  readonly save: (outcome: SpooledOutcome) => void
  /** Until the saved outcomes are written, a statement would not see them. */
  readonly replayFirst: () => Database
}

type Options = {
  readonly spool: Spool
  /** The id of the journal. */
  readonly journal: string
  /** Its database (see nameDatabase). */
  readonly place: string
  readonly onProblem: (problem: SpoolProblem) => void
}

export const createReplayer = (
  database: Database,
  { spool, journal, place, onProblem }: Options,
): Replayer => {
  const runTransaction = createRunner(database)
  const reported = new Set<string>()
  // Another process, or an earlier command, may have saved some.
  let isPending = true
  let running: Promise<void> | undefined

  const report = ({ path: file }: SpoolFile, reason: string, isRecorded = false): void => {
    if (!reported.has(file)) onProblem({ file, reason, isRecorded })
    reported.add(file)
  }

  const remove = (file: SpoolFile): void => {
    try {
      spool.remove(file)
    } catch (error) {
      report(file, `cannot be deleted: ${getErrorReason(error)}`, true)
    }
  }

  const replayAll = async (): Promise<void> => {
    // An outcome that is saved meanwhile sets it again.
    isPending = false
    try {
      for (const file of spool.list()) {
        const { outcome, reveals } = file
        if (reveals !== undefined) {
          if (reveals.database !== place) continue
          await database.transaction((statements) => replayReveals(statements, reveals))
          remove(file)
        } else if (outcome === undefined) report(file, file.problem ?? '')
        else if (outcome.journal === journal) {
          if (await replayOutcome(runTransaction, outcome)) remove(file)
          else report(file, `belongs to a ${outcome.operation} that the journal does not have`)
        }
      }
    } catch (error) {
      isPending = true
      throw error
    }
  }

  const replay = async (): Promise<void> => {
    if (!isPending) return running
    running ??= replayAll().finally(() => {
      running = undefined
    })
    return running
  }

  return {
    replay,
    save: (outcome) => {
      spool.save(outcome)
      isPending = true
    },
    replayFirst: () => ({
      ...database,
      all: async (sql, values) => {
        await replay()
        return database.all(sql, values)
      },
      run: async (sql, values) => {
        await replay()
        return database.run(sql, values)
      },
      transaction: async (work) => {
        await replay()
        return database.transaction(work)
      },
    }),
  }
}

/** Returns false if the journal does not have the call, but must have it. */
const replayOutcome = (runTransaction: Run, outcome: SpooledOutcome): Promise<boolean> =>
  runTransaction(async (access) => {
    const { statements } = access
    const { order, at } = outcome
    const entry = await lockOrder(statements, order)
    const call = (await listCalls(statements, order)).find(({ number }) => number === outcome.call)
    const isKnown = call?.operation === outcome.operation && call.startedAt === outcome.startedAt
    if (entry === undefined || !isKnown) return outcome.isUncertain === true
    const calls = createCalls((work) => work(access))
    const hasNoEnd = isOpen(call) && call.outcome !== outcome.end.outcome
    if (outcome.operation === 'create') {
      if (hasNoEnd) await calls.endCreate(outcome, outcome.end, at)
      return true
    }
    if (hasNoEnd) await calls.endConfirm(outcome, outcome.end, at)
    // A decision, or a proof of another kind, may have settled the call. The service's own response still proves more.
    else if (outcome.end.outcome === 'done' && call.outcome !== 'done')
      await moveOrder(statements, order, 'confirmed', { at })
    // Recorded last, because it may prove more than the response.
    if (outcome.found !== undefined) await calls.endConfirmByOrder(outcome, { ...outcome.found, at })
    return true
  })

/** Does nothing for reveals that the journal has: a command may end before it deletes the file. */
const replayReveals = async (statements: Statements, { by, reveals }: SpooledReveals): Promise<void> => {
  const actor = await findOrInsertActor(statements, by)
  for (const reveal of reveals) await insertReveal(statements, reveal, actor, { unlessKnown: true })
}

const findOrInsertActor = async (
  { all, run }: Statements,
  { role, user, host }: SpooledReveals['by'],
): Promise<number> => {
  await run(`INSERT INTO actors (role, os_user, host) VALUES ($role, $user, $host) ON CONFLICT DO NOTHING`, {
    role,
    user,
    host,
  })
  const [row] = await all(
    "SELECT number FROM actors WHERE coalesce(role, '') = $role AND os_user = $user AND host = $host",
    { role: role ?? '', user, host },
  )
  return Number(row?.number)
}
