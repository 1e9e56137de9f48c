// The steps of `orderctl listen replay`: options → account → received deliveries → each order read and sent.
import { describeSent, isAccepted, openForwarder, type Sent } from '../../client/forward.ts'
import type { Context } from '../../context.ts'
import { signatureHeaders } from '../../contract/http/webhook-signature.ts'
import { writeJson } from '../../contract/json.ts'
import type { Order } from '../../contract/schemas.ts'
import { Failure } from '../../errors.ts'
import { exitCodes } from '../../exit-codes.ts'
import { formatAccount } from '../../operations/listen/accept-delivery.ts'
import { findBackoff, keptMs } from '../../operations/listen/due-loop.ts'
import { interruption, readOrder } from '../../operations/read.ts'
import { stateText } from '../../ui/screens/state.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { themeFor } from '../../ui/terminal/theme.ts'
import { describeCount } from '../../ui/text/counts.ts'
import { renderJson } from '../../ui/text/json.ts'
import { deliveryHeader } from '../../webhooks/delivery.ts'
import { listReceived, type StoredDelivery } from '../../webhooks/delivery-table.ts'
import { createFlagReader } from '../shared/flag-reader.ts'
import { stateFolderPath } from '../shared/journal/state-folder.ts'
import { readSessionOptions } from '../shared/options.ts'
import { codesOf, revealCodes } from '../shared/output/reveal.ts'
import { readMoment } from '../shared/read-moment.ts'
import { openSession } from '../shared/session.ts'
import type { ReplayFlags } from './flags.ts'
import { nameTarget, readTarget, warnOfPlainHttp } from './options.ts'

/** At most five requests a second. */
const spacingMs = 200
const maxTries = 3

/** Returns the exit code. */
export const replay = async (context: Context, flags: ReplayFlags): Promise<number> => {
  const oldest = context.clock.now() - keptMs
  const { target, since, ...options } = readReplayOptions(context, flags)
  const { clock, interrupted, stderr } = context
  warnOfPlainHttp(context, target)
  if (since < oldest)
    stderr.write('warning: orderctl keeps deliveries for 30 days, so older ones may be missing\n')
  const session = await openSession(context, options.session)
  const forwarder = openForwarder(target, context)
  const orders = new Map<string, Order | undefined>()

  const read = async (orderId: string): Promise<Order | undefined> => {
    if (!orders.has(orderId)) {
      if (orders.size > 0) await clock.sleep(spacingMs, interrupted)
      orders.set(orderId, await readOrder(session, orderId).then(({ order }) => order, ignoreUnknown))
    }
    return orders.get(orderId)
  }
  const sendOnce = (delivery: StoredDelivery, order: Order): Promise<Sent> =>
    // The target sees the codes.
    revealCodes(context, session, { ...codesOf(order), how: 'replay' }, () =>
      forwarder.post({ headers: createHeaders(delivery), body: Buffer.from(writeJson(order)) }, interrupted),
    )
  const send = async (delivery: StoredDelivery, order: Order): Promise<Sent> => {
    for (let tries = 1; ; tries += 1) {
      const sent = await sendOnce(delivery, order)
      if (isAccepted(sent) || tries === maxTries || interrupted.aborted) return sent
      await clock.sleep(findBackoff(tries, spacingMs * 20), interrupted)
    }
  }

  try {
    const deliveries = listReceived(stateFolderPath(context), formatAccount(session.owner.account), since)
    const all = describeCount(deliveries.length, 'delivery', 'deliveries')
    let [accepted, refused] = [0, 0]
    for (const delivery of deliveries) {
      if (interrupted.aborted)
        throw interruption(interrupted, 'interrupted; the other deliveries were not sent')
      const order = await read(delivery.orderId)
      const sent = order && (await send(delivery, order))
      const isSent = sent !== undefined && isAccepted(sent)
      const error = sent === undefined ? 'the service does not know this order' : describeSent(sent)
      print(
        context,
        delivery,
        { state: order?.state ?? null, error: isSent ? null : error },
        flags.json === true,
      )
      accepted += Number(isSent)
      refused += Number(sent !== undefined && !isSent)
    }
    stderr.write(
      deliveries.length === 0
        ? 'No delivery was received in this time\n'
        : `Sent ${accepted} of ${all} to ${sanitize(nameTarget(target))}\n`,
    )
    if (refused > 0) {
      throw new Failure('unavailable', `${nameTarget(target)} did not accept ${refused} of ${all}`, {
        fix: `Run the command again. The target can recognise a delivery by the header ${deliveryHeader}.`,
        retryable: true,
      })
    }
    return accepted < deliveries.length ? exitCodes.refused.code : exitCodes.ok.code
  } finally {
    await forwarder.close()
    await session.close()
  }
}

const ignoreUnknown = (error: unknown): undefined => {
  if (!(error instanceof Failure) || error.details.refusal !== 'order-not-found') throw error
}

/** The ids are those of the original delivery. */
const createHeaders = ({ deliveryId, key }: StoredDelivery) => [
  ['content-type', 'application/json'] as const,
  ...(deliveryId === null ? [] : [[signatureHeaders.id, deliveryId] as const]),
  [deliveryHeader, key] as const,
  ['orderctl-replay', 'true'] as const,
]

const print = (
  { stdout }: Context,
  { orderId, deliveryId }: StoredDelivery,
  { state, error }: { readonly state: string | null; readonly error: string | null },
  isJson: boolean,
): void => {
  if (isJson) {
    stdout.write(renderJson({ orderId, deliveryId, state, sent: error === null, error }, { oneLine: true }))
    return
  }
  const theme = themeFor(stdout)
  const result = error === null ? theme.good('sent') : theme.bad(`not sent: ${sanitize(error)}`)
  const cells = [sanitize(orderId), ...(state === null ? [] : [stateText(state, theme)]), result]
  stdout.write(`${cells.join('  ')}\n`)
}

const readReplayOptions = (context: Context, flags: ReplayFlags) => {
  const reader = createFlagReader('listen replay')
  const target = readTarget(reader, flags.forwardTo)
  const since = readMoment(reader, '--since', flags.since, context)
  const session = readSessionOptions(reader, flags)
  reader.check()
  if (target === undefined || since === undefined) throw new Error('the flags were not checked')
  return { target, since: since.from, session }
}
