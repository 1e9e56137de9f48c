// The steps of `orderctl listen replay`: options → account → received deliveries, or orders that changed → each order read and
// sent.

import { stateFolderPath } from '../../app/journals.ts'
import { type CommandSession, openSession } from '../../app/open-session.ts'
import { codesOf, revealOrders } from '../../app/output/output.ts'
import { writeNote } from '../../app/terminal.ts'
import type { Context } from '../../context.ts'
import { formatAccountId } from '../../contract/account-id.ts'
import { writeJson } from '../../contract/json.ts'
import type { Order } from '../../contract/schemas.ts'
import { toMilliseconds } from '../../contract/time.ts'
import { exitCodes, Failure, interruption } from '../../errors.ts'
import { listOpenOrders } from '../../journal/orders/list-orders.ts'
import { findReason, findRefused } from '../../operations/failures.ts'
import { createKey } from '../../operations/listen/accept-delivery.ts'
import { findBackoff, keptMs } from '../../operations/listen/due-loop.ts'
import { type ReadOrder, readOrder } from '../../operations/read.ts'
import { stateText } from '../../ui/screens/state.ts'
import { sanitize } from '../../ui/terminal/text.ts'
import { themeFor } from '../../ui/terminal/view.ts'
import { describeCount } from '../../ui/text/formats.ts'
import { pick, type ResultFields, readFields, renderJson } from '../../ui/text/result-fields.ts'
import {
  createHeaders,
  deliveryHeader,
  listReceived,
  type ReceivedDelivery,
} from '../../webhooks/deliveries.ts'
import { openTarget } from './run.ts'
import type { ReplayOptions } from './spec.ts'

/** At most five requests a second. */
const spacingMs = 200
const defaultAgeMs = 60 * 60 * 1000
/** `--since 30d` was parsed a moment ago. */
const parsingMs = 60_000
const maxTries = 3
const longestWaitMs = 2_000
const unknown = 'the service does not know this order'

/** Returns the exit code. */
export const replay = async (context: Context, options: ReplayOptions): Promise<number> => {
  const { clock, interrupted, stderr } = context
  const since = options.since?.from ?? clock.now() - defaultAgeMs
  await using target = openTarget(context, options.forwardTo)
  if (since < clock.now() - keptMs - parsingMs)
    stderr.warn('orderctl keeps deliveries for 30 days, so older ones may be missing')
  await using session = await openSession(context, options)
  const orders = new Map<string, ReadOrder | undefined>()

  const read = async (orderId: string): Promise<ReadOrder | undefined> => {
    if (interrupted.aborted)
      throw interruption(interrupted, 'interrupted; the other deliveries were not sent')
    if (!orders.has(orderId)) {
      if (orders.size > 0) await clock.sleep(spacingMs, interrupted)
      orders.set(orderId, await readIfKnown(session, orderId))
    }
    return orders.get(orderId)
  }
  /** Returns why the target does not accept it. */
  const send = async (delivery: ReceivedDelivery, order: Order): Promise<string | undefined> => {
    for (let tries = 1; ; tries += 1) {
      // The target sees the codes.
      const problem = await revealOrders(session, { orders: [codesOf(order)], how: 'replay' }, () =>
        target.post(toRequest(delivery, order), interrupted).catch(({ message }: Error) => message),
      )
      if (problem === undefined || tries === maxTries || interrupted.aborted) return problem
      await clock.sleep(findBackoff(tries, longestWaitMs), interrupted)
    }
  }

  const account = formatAccountId(session.owner.account)
  const received = listReceived(stateFolderPath(context), account, since)

  /** The paid orders that changed, of which no delivery shows the state. */
  const listMissed = async (): Promise<ReceivedDelivery[]> => {
    const journal = await session.journals.openExisting()
    const missed: ReceivedDelivery[] = []
    for (const { orderId } of await listOpenOrders(journal.read, session.owner.account, since)) {
      const seen = await read(orderId)
      if (seen === undefined || seen.view.money !== 'spent') continue
      const { state, modifiedDate } = seen.data
      const changedAt = toMilliseconds(modifiedDate)
      if (changedAt < since || received.some((each) => each.orderId === orderId && each.state === state))
        continue
      const delivery = { deliveryId: null, orderId, namedState: state }
      // A repetition has the same key.
      const key = createKey(account, delivery, Buffer.from(`${state} ${changedAt}`)) ?? ''
      missed.push({ ...delivery, state, key })
    }
    return missed
  }

  const deliveries = options.fromJournal ? await listMissed() : received
  const all = describeCount(deliveries.length, 'delivery', 'deliveries')
  let [accepted, refused] = [0, 0]
  for (const delivery of deliveries) {
    const order = (await read(delivery.orderId))?.data
    const problem = order === undefined ? unknown : await send(delivery, order)
    print(context, { ...delivery, state: order?.state, problem }, options.json)
    if (problem === undefined) accepted += 1
    else if (order !== undefined) refused += 1
  }
  const result = `Sent ${accepted} of ${all} to ${sanitize(target.name)}\n`
  const none = options.fromJournal ? 'No order changed' : 'No delivery was received'
  writeNote(context, deliveries.length === 0 ? `${none} in this time\n` : result)
  if (refused > 0) {
    throw new Failure('unavailable', `${target.name} did not accept ${refused} of ${all}`, {
      advice: `Run the command again. The target can recognise a delivery by the header ${deliveryHeader}.`,
      retryable: true,
    })
  }
  return accepted < deliveries.length ? exitCodes.refused.code : exitCodes.ok.code
}

const readIfKnown = async (session: CommandSession, orderId: string): Promise<ReadOrder | undefined> => {
  try {
    return await readOrder(session, { orderId })
  } catch (error) {
    const isUnknown = findRefused(error, 'get')?.refusal === 'order-not-found'
    if (isUnknown || findReason(error) === 'stranger') return undefined
    throw error
  }
}

/** The ids are those of the original delivery. */
const toRequest = ({ deliveryId, key }: ReceivedDelivery, order: Order) => {
  const own: [string, string][] = [
    [deliveryHeader, key],
    ['orderctl-replay', 'true'],
  ]
  return { headers: [...createHeaders(deliveryId), ...own], body: writeJson(order) }
}

type Replayed = {
  readonly orderId: string
  readonly deliveryId: string | null
  readonly state: string | undefined
  readonly problem: string | undefined
}

/** A line of --json. */
export const replayedFields: ResultFields<Replayed> = [
  ...pick((replayed: Replayed) => replayed, {
    orderId: ['text', 'the order'],
    deliveryId: ['text', "the sender's id of the delivery"],
    state: ['text', "the service's word for its state"],
  }),
  ['sent', 'flag', 'the target accepted it', ({ problem }) => problem === undefined],
  ['problem', 'text', 'why it was not sent', ({ problem }) => problem],
]

const print = ({ stdout }: Context, replayed: Replayed, isJson: boolean): void => {
  const { orderId, state, problem } = replayed
  const theme = themeFor(stdout)
  const result = problem === undefined ? theme.good('sent') : theme.bad(`not sent: ${sanitize(problem)}`)
  const cells = [sanitize(orderId), ...(state === undefined ? [] : [stateText(state, theme)]), result]
  stdout.write(
    isJson ? renderJson(readFields(replayedFields, replayed), { oneLine: true }) : `${cells.join('  ')}\n`,
  )
}
