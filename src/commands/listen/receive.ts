// Receives deliveries until it is interrupted.
import type { Context } from '../../context.ts'
import { createListenerTable } from '../../journal/listeners.ts'
import { createReceivedTable, type ReceivedTable } from '../../journal/received.ts'
import { createAcceptor } from '../../operations/listen/accept-delivery.ts'
import { type CheckQueue, createCheckQueue } from '../../operations/listen/check-queue.ts'
import { runCleanUp } from '../../operations/listen/clean-up.ts'
import { runHeartbeat } from '../../operations/listen/heartbeat.ts'
import { toListenFailure } from '../../service/socket/listen-failure.ts'
import { openReceiver, type Receiver } from '../../webhooks/receiver.ts'
import type { Session } from '../shared/session.ts'
import { createDeliveryAnswer } from './answer-delivery.ts'
import { createWaitingList, openForwarding } from './forwarding.ts'
import { createLog, type Log } from './log.ts'
import type { ListenOptions } from './options.ts'
import { nameTarget } from './target-url.ts'

/** A sender waits this long for a journal that another process has locked. */
const journalWaitMs = 1_000
const maxUnchecked = 10_000

export const receive = async (context: Context, session: Session, options: ListenOptions): Promise<void> => {
  const { account } = session.owner
  const { clock } = session
  const log = createLog(context, { isJson: options.isJson, now: session.serviceNow })
  const forwarding = openForwarding(context, account, options.target, log)
  const stopping = new AbortController()
  try {
    const journal = await session.journals.openToWrite()
    journal.groupWrites()
    const received = createReceivedTable(journal)
    await received.prepare(account, journalWaitMs)
    const checks = createCheckQueue({
      ...{ api: session.api, journal, received, owner: session.owner, clock },
      onChecked: log.writeChecked,
      onProblem: (orderId, reason) => log.warn(`cannot read ${orderId}: ${reason}. Trying again.`),
    })
    const outbox = forwarding?.outbox
    const acceptor = createAcceptor({ received, account, newId: clock.newId, outbox, isFull: checks.isFull })
    const waiting = outbox?.countUnrecorded() ?? 0
    const answer = createDeliveryAnswer({ secret: options.secret, accept: acceptor.accept, checks, log })
    // Runs before the port is open, so that no new delivery is checked twice.
    await addUnchecked(received, session, checks)
    const receiver = await openPort(context, options, answer, log)
    const work = Promise.all([
      checks.run(stopping.signal),
      runHeartbeat(
        { listeners: createListenerTable(journal), account, processId: context.processes.own, clock },
        stopping.signal,
      ),
      runCleanUp(
        {
          ...{ received, account, clock },
          listWaiting: createWaitingList(context, account, outbox),
          onProblem: (reason) => log.warn(`cannot delete old deliveries: ${reason}. Trying again.`),
        },
        stopping.signal,
      ),
      outbox?.run({ record: acceptor.recordSpooled, onNeedsCheck: checks.add }, stopping.signal),
    ])
    try {
      printListening(log, receiver, options, waiting)
      await Promise.race([waitUntilStopped(context), work])
    } finally {
      await receiver.close()
      stopping.abort()
      await work
    }
  } finally {
    await forwarding?.close()
    await log.end()
  }
}

const openPort = (
  { clock }: Context,
  { host, port, path }: ListenOptions,
  receive: Parameters<typeof openReceiver>[0]['receive'],
  { writeRefused }: Log,
): Promise<Receiver> =>
  // The time here, because that of a shared journal may differ, and signatures are held against it.
  openReceiver({ host, port, path, now: clock.now, receive, onRefused: writeRefused }).catch((error) => {
    throw toListenFailure(error, host, port, 'listen')
  })

const printListening = (
  { writeListening }: Log,
  { url }: Receiver,
  { secret, target }: ListenOptions,
  waiting: number,
): void =>
  writeListening({
    ...{ url, isSigned: secret !== undefined, waiting },
    target: target === undefined ? undefined : nameTarget(target),
  })

/** The orders that an earlier process has not checked. */
const addUnchecked = async (
  received: ReceivedTable,
  { owner: { account } }: Session,
  checks: CheckQueue,
): Promise<void> => {
  for (const delivery of await received.listUnchecked(account, maxUnchecked)) checks.add(delivery)
}

const waitUntilStopped = async ({ interrupted, stdout }: Context): Promise<void> => {
  const ended = AbortSignal.any([interrupted, stdout.broken])
  if (!ended.aborted) await new Promise((resolve) => ended.addEventListener('abort', resolve, { once: true }))
}
