// Buys a batch, shows its progress, and says which workers it waits for.
import type { Context } from '../../../context.ts'
import { type Decimal, formatDecimal } from '../../../contract/decimal.ts'
import { formatUtcTime } from '../../../contract/timestamp.ts'
import { Failure } from '../../../errors.ts'
import type { Batch, StopReason } from '../../../journal/batches/batch.ts'
import type { BatchStart } from '../../../journal/batches/batch-table.ts'
import type { Batches } from '../../../journal/batches/batches.ts'
import type { BatchEnd, Counter } from '../../../operations/batch/batch-run.ts'
import { buySlots } from '../../../operations/batch/buy-slots.ts'
import type { Pace } from '../../../operations/batch/pace.ts'
import { createPoller } from '../../../operations/batch/poller.ts'
import { createRefusedProducts } from '../../../operations/batch/refused-products.ts'
import { defaultLeaseMs } from '../../../operations/batch/slot-leases.ts'
import { summarizeBatch } from '../../../operations/batch/summary.ts'
import { createShownOrderReader } from '../../../operations/watch/order-changes.ts'
import type { BatchProgress } from '../../../ui/screens/batch/batch-progress.ts'
import { describeHolder } from '../../../ui/screens/batch/workers.ts'
import type { OutputOptions } from '../../shared/options.ts'
import type { SendingSession } from '../../shared/session.ts'
import { createCancelledFailure, createReplacedFailure } from '../cancelled.ts'
import { createProgress } from './progress.ts'
import { createRefreshed } from './refreshed.ts'

type Purchase = {
  readonly batches: Batches
  readonly batch: Batch
  readonly cap: Decimal
  /**
   * Refuses to start if another process has started the same plan since the consent, or if the cap has no valid approval
   * now. A worker starts nothing.
   */
  readonly start: Pick<BatchStart, 'refuseSame' | 'checkApproval'> | undefined
  readonly pace: Pace
  readonly output: OutputOptions
  readonly counter: Counter
}

export const buyBatch = async (
  context: Context,
  session: SendingSession,
  { batches, batch, cap, start, pace, output, counter }: Purchase,
): Promise<BatchEnd> => {
  const { interrupted, stderr, random } = context
  const { clock, api } = session
  if (start !== undefined) {
    const at = clock.now()
    const isStarted = await batches.startBatch(batch, { ...start, maxTotal: formatDecimal(cap), at })
    if (!isStarted) throw await findRefusal(batches, batch)
  }
  session.journal.groupWrites()
  const { ready, limit: concurrency } = pace
  const readShown = createShownOrderReader(session)
  const poller = createPoller({ api, clock, interrupted, random, ready, concurrency, readShown })
  const source = await createSource(context, { batches, batch, cap, counter })
  const isShown = output.format === 'screen'
  const progress = createProgress(context, { isShown, source, waiting: session.waiting })
  const sayInterrupted = (): void =>
    stderr.write(
      `Interrupted: waiting for the responses to ${counter.inFlight} pending ${counter.inFlight === 1 ? 'order' : 'orders'}. Press Ctrl-C again to leave at once.\n`,
    )
  interrupted.addEventListener('abort', sayInterrupted, { once: true })
  progress.begin()
  try {
    const refused = createRefusedProducts()
    const end = await buySlots({
      session,
      batches,
      batch,
      pace,
      poller,
      refused,
      counter,
      processes: context.processes,
      onWaiting: createWaitingNotice(context, { batches, batch }),
    })
    if (end.kind === 'stopped' && isStopReason(end.reason)) {
      await batches.stopBatch(batch.number, end.reason, clock.now())
    }
    return end
  } catch (error) {
    // Orders may be bought, so the result is still reported.
    if (error instanceof Failure && error.kind === 'local-state') return { kind: 'stopped', reason: error }
    throw error
  } finally {
    interrupted.removeEventListener('abort', sayInterrupted)
    await progress.end()
    await source.settle()
  }
}

const findRefusal = async (batches: Batches, batch: Batch): Promise<Failure> =>
  (await batches.getBatch(batch.number)) === undefined
    ? createReplacedFailure(batch)
    : createCancelledFailure(batch)

const isStopReason = (reason: (BatchEnd & { kind: 'stopped' })['reason']): reason is StopReason =>
  !(reason instanceof Failure) && reason !== 'cancelled'

type Source = Pick<Purchase, 'batches' | 'batch' | 'cap'> & {
  readonly counter: { readonly inFlight: number }
}

/** The journal is the source, because another process may be buying the same batch. */
const createSource = async ({ clock }: Context, { batches, batch, cap, counter }: Source) => {
  const startedAt = clock.monotonic()
  const counts = await createRefreshed(clock, async () => {
    const [summary, ordersDone] = await Promise.all([
      summarizeBatch(batches, batch, clock.now()),
      batches.countEnded(batch.number),
    ])
    return { summary, ordersDone }
  })
  const deliveredBefore = counts.latest().summary.cards.delivered
  return {
    ...counts,
    latest: (): BatchProgress => {
      const { summary, ordersDone } = counts.latest()
      const { cards, orders, spent } = summary
      return {
        name: batch.name,
        wallet: batch.wallet,
        cards,
        orders,
        spent,
        maxTotal: cap,
        ordersDone,
        ordersInFlight: counter.inFlight,
        elapsedMs: clock.monotonic() - startedAt,
        deliveredNow: cards.delivered - deliveredBefore,
      }
    },
  }
}

export const createWaitingNotice = (
  { stderr }: Pick<Context, 'stderr'>,
  { batches, batch }: { readonly batches: Batches; readonly batch: Batch },
): (() => Promise<void>) => {
  const named = new Set<number>()
  return async () => {
    for (const worker of await batches.listWorkers(batch.number, defaultLeaseMs)) {
      const { number, slots, until } = worker
      if (slots === 0 || until === undefined || named.has(number)) continue
      named.add(number)
      const orders = slots === 1 ? '1 order' : `${slots} orders`
      stderr.write(
        `Waiting for ${orders} of another worker: ${describeHolder(worker)}. If it does not run any more, this run continues at ${formatUtcTime(until)}.\n`,
      )
    }
  }
}
