// Deletes old deliveries from the journal, at the start of a listener and then once a day.
import type { AccountId } from '../../contract/account-id.ts'
import type { Clock } from '../../contract/clock.ts'
import { firstPosition, type Position, type ReceivedTable } from '../../journal/received.ts'

/** A delivery that is repeated later than this is not recognised as a duplicate. */
export const keptDays = 30
const dayMs = 24 * 60 * 60 * 1000
export const keptMs = keptDays * dayMs

/** Small, because a SQLite journal cannot record deliveries while a page is deleted. */
const pageSize = 100
const pauseMs = 100
const notReadyMs = 1_000
const failedMs = 60_000

type Deps = {
  readonly received: Pick<ReceivedTable, 'deletePage'>
  readonly account: AccountId
  readonly clock: Pick<Clock, 'now' | 'sleep'>
  /** The receipts of the deliveries that wait to be forwarded. Undefined if the journal does not have all of them yet. */
  readonly listWaiting: () => ReadonlySet<string> | undefined
  /** Called if the deliveries could not be deleted. The next attempt is a minute later. */
  readonly onProblem: (reason: string) => void
}

/** Resolves after the signal has aborted. */
export const runCleanUp = async (deps: Deps, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    const waitMs = await cleanUp(deps, signal).catch((error: Error) => {
      deps.onProblem(error.message)
      return failedMs
    })
    await deps.clock.sleep(waitMs, signal)
  }
}

/** Returns the time until the next clean-up. */
const cleanUp = async (
  { received, account, clock, listWaiting }: Deps,
  signal: AbortSignal,
): Promise<number> => {
  const waiting = listWaiting()
  if (waiting === undefined) return notReadyMs
  const page = {
    before: clock.now() - keptMs,
    limit: pageSize,
    isWaiting: (receipt: string) => waiting.has(receipt),
  }
  let after: Position | undefined = firstPosition
  while (!signal.aborted) {
    after = await received.deletePage(account, { ...page, after })
    if (after === undefined) break
    await clock.sleep(pauseMs, signal)
  }
  return dayMs
}
