// The steps of `orderctl listen replay`: options → account → received deliveries → each order read and sent.
import { openForwarder } from '../../../client/forward.ts'
import type { Context } from '../../../context.ts'
import { signatureHeaders } from '../../../contract/http/webhook-signature.ts'
import { writeJson } from '../../../contract/json.ts'
import { Failure } from '../../../errors.ts'
import { exitCodes } from '../../../exit-codes.ts'
import { createReceivedTable, type ReceivedDelivery } from '../../../journal/received.ts'
import { keptDays, keptMs } from '../../../operations/listen/clean-up.ts'
import { type Replayed, replayDeliveries } from '../../../operations/listen/replay.ts'
import { interruption } from '../../../operations/read.ts'
import { stateText } from '../../../ui/screens/state.ts'
import { sanitize } from '../../../ui/terminal/sanitize.ts'
import { themeFor } from '../../../ui/terminal/theme.ts'
import { describeCount } from '../../../ui/text/counts.ts'
import { renderJson } from '../../../ui/text/json.ts'
import { createFlagReader } from '../../shared/flag-reader.ts'
import { readSessionOptions } from '../../shared/options.ts'
import { codesOf, revealCodes } from '../../shared/output/reveal.ts'
import { readMoment } from '../../shared/read-moment.ts'
import { openSession, type Session } from '../../shared/session.ts'
import type { ReplayFlags } from '../flags.ts'
import { deliveryHeader } from '../forwarding.ts'
import { nameTarget, readTarget, warnOfPlainHttp } from '../target-url.ts'

const tooOldWarning = `warning: the journal keeps deliveries for ${keptDays} days, so older ones may be missing\n`
const replayHeader = 'orderctl-replay'

/** Returns the exit code. */
export const replay = async (context: Context, flags: ReplayFlags): Promise<number> => {
  const { target, since, isTooOld, ...options } = readReplayOptions(context, flags)
  warnOfPlainHttp(context, target)
  if (isTooOld) context.stderr.write(tooOldWarning)
  const session = await openSession(context, options.session)
  const forwarder = openForwarder(target, { environment: context.environment, clock: context.clock })
  try {
    const deliveries = await listReceived(session, since)
    const { sent, failed, missing } = await replayDeliveries(deliveries, {
      ...session,
      // The target sees the codes.
      send: (delivery, order) =>
        revealCodes(context, session, { ...codesOf(order), how: 'replay' }, () =>
          forwarder.post(
            { headers: createHeaders(delivery), body: Buffer.from(writeJson(order)) },
            context.interrupted,
          ),
        ),
      onReplayed: (replayed) => print(context, replayed, flags.json === true),
    })
    if (context.interrupted.aborted)
      throw interruption(context.interrupted, 'interrupted; the other deliveries were not sent')
    context.stderr.write(
      deliveries.length === 0
        ? 'No delivery was received in this time\n'
        : `Sent ${sent} of ${describeCount(deliveries.length, 'delivery', 'deliveries')} to ${sanitize(nameTarget(target))}\n`,
    )
    if (failed > 0) {
      throw new Failure(
        'unavailable',
        `${nameTarget(target)} did not accept ${failed} of ${describeCount(deliveries.length, 'delivery', 'deliveries')}`,
        {
          fix: 'Run the command again. The target can recognise a delivery by the header orderctl-delivery.',
          retryable: true,
        },
      )
    }
    return missing > 0 ? exitCodes.refused.code : exitCodes.ok.code
  } finally {
    await forwarder.close()
    await session.close()
  }
}

const listReceived = async ({ journals, owner }: Session, since: number): Promise<ReceivedDelivery[]> => {
  const journal = await journals.openToRead()
  return journal === undefined ? [] : createReceivedTable(journal).listReceived(owner.account, since)
}

/** The id is that of the original delivery. */
const createHeaders = ({ deliveryId, receipt }: ReceivedDelivery) => [
  ['content-type', 'application/json'] as const,
  ...(deliveryId === undefined ? [] : [[signatureHeaders.id, deliveryId] as const]),
  [deliveryHeader, receipt] as const,
  [replayHeader, 'true'] as const,
]

const print = (
  { stdout }: Context,
  { orderId, deliveryId, state, error }: Replayed,
  isJson: boolean,
): void => {
  if (isJson) {
    const isSent = error === undefined
    const line = {
      orderId,
      deliveryId: deliveryId ?? null,
      state: state ?? null,
      sent: isSent,
      error: error ?? null,
    }
    stdout.write(renderJson(line, { oneLine: true }))
    return
  }
  const theme = themeFor(stdout)
  const result = error === undefined ? theme.good('sent') : theme.bad(`not sent: ${sanitize(error)}`)
  const cells = [sanitize(orderId), ...(state === undefined ? [] : [stateText(state, theme)]), result]
  stdout.write(`${cells.join('  ')}\n`)
}

const readReplayOptions = (context: Context, flags: ReplayFlags) => {
  const reader = createFlagReader('listen replay')
  const oldest = context.clock.now() - keptMs
  const target = readTarget(reader, flags.forwardTo)
  const since = readMoment(reader, '--since', flags.since, context)
  const session = readSessionOptions(reader, flags)
  reader.check()
  if (target === undefined || since === undefined) throw new Error('the flags were not checked')
  return { target, since: since.from, isTooOld: since.from < oldest, session }
}
