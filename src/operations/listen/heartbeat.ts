// Records in the journal that this process receives webhooks of an account. Meanwhile, other processes rarely ask the
// service.
import type { AccountId } from '../../contract/account-id.ts'
import type { Clock } from '../../contract/clock.ts'
import { beatEveryMs, type ListenerTable } from '../../journal/listeners.ts'

type Deps = {
  readonly listeners: ListenerTable
  readonly account: AccountId
  readonly processId: number
  readonly clock: Pick<Clock, 'sleep'>
}

/** Resolves after the signal has aborted. */
export const runHeartbeat = async (
  { listeners, account, processId, clock }: Deps,
  signal: AbortSignal,
): Promise<void> => {
  while (!signal.aborted) {
    await ignoreFailure(listeners.beat(account, processId))
    await clock.sleep(beatEveryMs, signal)
  }
  await ignoreFailure(listeners.end(account, processId))
}

/** If the journal cannot be written, the others ask the service more often, and a listener that ended is forgotten. */
const ignoreFailure = (work: Promise<void>): Promise<void> => work.catch(() => {})
