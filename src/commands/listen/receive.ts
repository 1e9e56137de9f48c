// Receives deliveries until it is interrupted.
import { openForwarder } from '../../client/forward.ts'
import type { Context } from '../../context.ts'
import { formatDuration } from '../../contract/duration.ts'
import { Failure } from '../../errors.ts'
import { limitWait } from '../../journal/access.ts'
import { listShownOrders } from '../../journal/shown-orders.ts'
import { createAcceptor, formatAccount } from '../../operations/listen/accept-delivery.ts'
import { createDueLoop } from '../../operations/listen/due-loop.ts'
import { toListenFailure } from '../../service/socket/listen-failure.ts'
import { deliveryHeader } from '../../webhooks/delivery.ts'
import { openDeliveryTable, readListenStatus, type StoredDelivery } from '../../webhooks/delivery-table.ts'
import { openReceiver } from '../../webhooks/receiver.ts'
import { createSignatureCheck } from '../../webhooks/signature.ts'
import { openStateFolder } from '../shared/journal/state-folder.ts'
import type { Session } from '../shared/session.ts'
import { createLog } from './log.ts'
import { type ListenOptions, nameTarget, warnOfPlainHttp } from './options.ts'

/** How long an attempt in progress may take after an interruption. */
const lastAttemptMs = 5_000
/** Senders wait for a response while the journal is read. A locked file even blocks the process. */
const journalWaitMs = 1_000

export const receive = async (context: Context, session: Session, options: ListenOptions): Promise<void> => {
  const { clock, interrupted, stdout } = context
  const { host, port, path, secret, target } = options
  const name = target && nameTarget(target)
  const account = formatAccount(session.owner.account)
  // Refuses a state folder that other users can change, before anything is written to it.
  const journal = await session.journals.openToWrite()
  await limitWait(journal.read, journalWaitMs)
  const folder = openStateFolder(context)
  const log = createLog(context, { isJson: options.isJson, now: session.serviceNow })
  const forwarder = target && openForwarder(target, context)
  if (target !== undefined) warnOfPlainHttp(context, target)
  const table = openDeliveryTable(folder, account)
  if (table === undefined) {
    throw new Failure('local-state', 'another listen receives the webhooks of this account', {
      fix: (suggest) => `Stop it first. Show what it does: ${suggest`listen --status`}`,
    })
  }
  const stopping = new AbortController()
  const ended = new AbortController()
  try {
    const { waiting } = readListenStatus(folder, account)
    if (target === undefined && waiting > 0) log.warn(describeWaiting(waiting))
    const loop = createDueLoop({
      ...{ api: session.api, unrecorded: session.seenCards.unrecorded, clock, table },
      send: forwarder && ((delivery) => forwarder.post(toRequest(delivery), ended.signal)),
      onChecked: log.writeChecked,
      onForwarded: log.writeForwarded,
      onExpired: log.writeExpired,
      onFailed: (what, reason, waitMs, orderId) => {
        const attempts: Record<string, string> = { check: `read ${orderId}`, forward: `forward to ${name}` }
        log.warn(
          `cannot ${attempts[what] ?? what}: ${reason}. Trying again in ${formatDuration(waitMs + 999)}.`,
        )
      },
    })
    const accept = createAcceptor({
      ...{ account, table, newId: clock.newId, isForwarding: target !== undefined },
      readShown: async (ids) => {
        const over = new AbortController()
        const late = clock.sleep(journalWaitMs, over.signal).then((): never => {
          throw new Error('the journal does not respond')
        })
        const shown = listShownOrders(journal, session.owner.account, ids)
        return Promise.race([shown, late]).finally(() => over.abort())
      },
      containsSecret: session.containsSecret,
      findSignatureProblem: secret === undefined ? undefined : createSignatureCheck(secret),
      onAccepted: (delivery, isNew) => {
        if (!isNew) log.writeDuplicate(delivery)
        loop.ring()
      },
    })
    // The time here, because that of a shared journal may differ, and signatures are held against it.
    const received = { host, port, path, now: clock.now, receive: accept, onRefused: log.writeRefused }
    const receiver = await openReceiver(received).catch((error) => {
      throw toListenFailure(error, host, port, 'listen')
    })
    const { url } = receiver
    log.writeListening({ url, isSigned: secret !== undefined, target: name, waiting })
    const work = loop.run(stopping.signal)
    try {
      await Promise.race([waitUntilAborted(AbortSignal.any([interrupted, stdout.broken])), work])
    } finally {
      void clock.sleep(lastAttemptMs, ended.signal).then(() => ended.abort())
      await receiver.close()
      stopping.abort()
      await work
    }
  } finally {
    ended.abort()
    table.close()
    await forwarder?.close()
    await log.end()
  }
}

const describeWaiting = (count: number): string => {
  const deliveries = count === 1 ? '1 delivery waits' : `${count} deliveries wait`
  return `${deliveries} to be forwarded since an earlier run. Use --forward-to to send them.`
}

const toRequest = ({ key, headers, body }: StoredDelivery) => ({
  headers: [...JSON.parse(headers ?? '[]'), [deliveryHeader, key]],
  body: body ?? new Uint8Array(),
})

const waitUntilAborted = async (signal: AbortSignal): Promise<void> => {
  if (!signal.aborted)
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
}
