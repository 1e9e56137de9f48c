// Receives deliveries until it is interrupted: signature → journal and spool → answer; then the check and the forward.
import type { Context } from '../../context.ts'
import { createReceivedTable } from '../../journal/received/received.ts'
import { createAcceptor } from '../../operations/listen/accept-delivery.ts'
import { createCheckQueue } from '../../operations/listen/check-queue.ts'
import { toListenFailure } from '../../service/socket/listen-failure.ts'
import type { Delivery } from '../../webhooks/delivery.ts'
import type { Answer } from '../../webhooks/delivery-handler.ts'
import { openReceiver } from '../../webhooks/receiver.ts'
import { createSignatureCheck } from '../../webhooks/signature.ts'
import type { Session } from '../shared/session.ts'
import { openForwarding } from './forwarding.ts'
import { createLog } from './log.ts'
import type { ListenOptions } from './options.ts'
import { nameTarget } from './target-url.ts'

/** A sender waits this long for a journal that another process has locked. */
const journalWaitMs = 1_000
const maxUnchecked = 10_000

export const receive = async (context: Context, session: Session, options: ListenOptions): Promise<void> => {
  const { clock, owner, api, journals } = session
  const { account } = owner
  const log = createLog(context, { isJson: options.isJson, now: session.serviceNow })
  const forwarding = openForwarding(context, account, options.target, log)
  const stopping = new AbortController()
  try {
    const journal = await journals.open()
    journal.groupWrites()
    const received = journal.openTables(createReceivedTable)
    await received.prepare(account, journalWaitMs)
    const checks = createCheckQueue({
      ...{ api, journal, received, owner, clock },
      onChecked: log.writeChecked,
      onProblem: (orderId, reason) => log.warn(`cannot read ${orderId}: ${reason}. Trying again.`),
    })
    const outbox = forwarding?.createOutbox(received)
    const acceptor = createAcceptor({ received, account, newId: clock.newId, outbox, isFull: checks.isFull })
    const waiting = outbox?.countUnrecorded() ?? 0
    const checkSignature = options.secret === undefined ? undefined : createSignatureCheck(options.secret)
    const refuse = (status: number, reason: string, text = reason): Answer => {
      log.writeRefused({ status, text: reason })
      return { status, text }
    }
    const handle = async (delivery: Delivery): Promise<Answer> => {
      const problem = checkSignature?.(delivery)
      if (problem !== undefined) return refuse(401, problem)
      const result = await acceptor.accept(delivery)
      // The reason of a 503 may name files of this machine.
      if (result.kind === 'refused')
        return refuse(
          result.status,
          result.reason,
          result.status === 503 ? 'Send it again later.' : undefined,
        )
      if (result.kind === 'duplicate') log.writeDuplicate(result)
      else checks.add(result)
      return { status: 200, text: result.kind }
    }
    const receiver = await openReceiver({
      ...{ host: options.host, port: options.port, path: options.path, now: clock.now },
      receive: handle,
      onRefused: log.writeRefused,
    }).catch((error) => {
      throw toListenFailure(error, options.host, options.port, 'listen')
    })
    log.writeListening({
      ...{ url: receiver.url, isSigned: options.secret !== undefined, waiting },
      target: options.target === undefined ? undefined : nameTarget(options.target),
    })
    const work = Promise.all([
      checks.run(stopping.signal),
      outbox?.run({ record: acceptor.recordSpooled, onRecorded: checks.add }, stopping.signal),
    ])
    const unchecked = await received.listUnchecked(account, maxUnchecked)
    const own = new Set(
      await received.findOwnIds(
        account,
        unchecked.map(({ orderId }) => orderId),
      ),
    )
    for (const each of unchecked)
      checks.add({ ...each, deliveryId: each.deliveryId, isOwn: own.has(each.orderId) })
    await Promise.race([waitUntilStopped(context), work])
    await receiver.close()
    stopping.abort()
    await work
  } finally {
    stopping.abort()
    await forwarding?.close()
    await log.end()
  }
}

const waitUntilStopped = async ({ interrupted, stdout }: Context): Promise<void> => {
  const ended = AbortSignal.any([interrupted, stdout.broken])
  if (!ended.aborted) await new Promise((resolve) => ended.addEventListener('abort', resolve, { once: true }))
}
