// Opens what --forward-to needs: the spool, which one listener may use at a time, and the connection to the target.
import { openForwarder } from '../../client/forward.ts'
import type { Context } from '../../context.ts'
import type { AccountId } from '../../contract/account-id.ts'
import { formatDuration } from '../../contract/duration.ts'
import { Failure } from '../../errors.ts'
import { getErrorReason } from '../../files.ts'
import { createOutbox } from '../../operations/listen/outbox.ts'
import { listForwardedHeaders } from '../../webhooks/delivery.ts'
import { openSpool } from '../../webhooks/spool.ts'
import { isSpoolLocked, lockSpool } from '../../webhooks/spool-lock.ts'
import type { Log } from './log.ts'
import { findSpoolFolder } from './spool-folder.ts'
import { nameTarget, warnOfPlainHttp } from './target-url.ts'

/** The same for each attempt, so that the target recognises a delivery that it has. */
export const deliveryHeader = 'orderctl-delivery'

/** How long an attempt in progress may take after an interruption. */
const lastAttemptMs = 5_000

/** Undefined without a target. */
export const openForwarding = (
  context: Context,
  account: AccountId,
  target: URL | undefined,
  log: Pick<Log, 'warn' | 'writeForwarded'>,
) => {
  const { clock, environment } = context
  const folder = findSpoolFolder(context, account)
  const spool = openSpool(folder)
  if (target === undefined) {
    if (!isSpoolLocked(folder)) warnOfWaiting(context, spool.list().length)
    return undefined
  }
  warnOfPlainHttp(context, target)
  const forwarder = openForwarder(target, { environment, clock })
  const lock = takeLock(folder)
  spool.removeUnfinished()
  const ended = new AbortController()
  context.interrupted.addEventListener('abort', () => {
    void clock.sleep(lastAttemptMs, ended.signal).then(() => ended.abort())
  })
  return {
    outbox: createOutbox({
      ...{ spool, clock },
      send: ({ receipt }, delivery) =>
        forwarder.post(
          {
            headers: [...listForwardedHeaders(delivery), [deliveryHeader, receipt]],
            body: delivery.body,
          },
          ended.signal,
        ),
      onForwarded: log.writeForwarded,
      onFailed: (_file, reason, waitMs) =>
        log.warn(
          `cannot forward to ${nameTarget(target)}: ${reason}. Trying again in ${formatDuration(waitMs + 999)}.`,
        ),
    }),
    close: async (): Promise<void> => {
      ended.abort()
      await forwarder.close()
      lock.release()
    },
  }
}

/** Lists the receipts of the deliveries that wait. Undefined until the journal has all of them. */
export const createWaitingList = (
  context: Context,
  account: AccountId,
  outbox: Pick<ReturnType<typeof createOutbox>, 'countUnrecorded'> | undefined,
) => {
  const spool = openSpool(findSpoolFolder(context, account))
  return (): ReadonlySet<string> | undefined =>
    outbox !== undefined && outbox.countUnrecorded() > 0 ? undefined : new Set(spool.listReceipts())
}

const takeLock = (folder: string): { release(): void } => {
  let lock: { release(): void } | undefined
  try {
    lock = lockSpool(folder)
  } catch (error) {
    throw new Failure('local-state', `cannot use the folder ${folder}: ${getErrorReason(error)}`, {
      fix: 'Check that you can write to it, and that its disk has free space.',
      cause: error,
    })
  }
  if (lock !== undefined) return lock
  throw new Failure('local-state', 'another orderctl listen forwards the deliveries of this account', {
    fix: 'Stop it first, or start this one without --forward-to. See: orderctl listen --status',
  })
}

const warnOfWaiting = ({ stderr }: Context, count: number): void => {
  if (count === 0) return
  const deliveries = count === 1 ? '1 delivery waits' : `${count} deliveries wait`
  stderr.write(
    `warning: ${deliveries} to be forwarded since an earlier run. Use --forward-to to send them.\n`,
  )
}
