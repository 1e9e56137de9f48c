// Buys a batch and shows its progress.
import type { Context } from '../../context.ts'
import { type Decimal, formatDecimal } from '../../contract/decimal.ts'
import type { Batch } from '../../journal/batches/batch.ts'
import type { Batches } from '../../journal/batches/open-batches.ts'
import { createGroupedWrite } from '../../journal/grouped-writes.ts'
import type { BatchEnd } from '../../operations/batch/batch-run.ts'
import type { Pace } from '../../operations/batch/pace.ts'
import { createPoller } from '../../operations/batch/poller.ts'
import { createRefusedProducts } from '../../operations/batch/refused-products.ts'
import { runBatch } from '../../operations/batch/run-batch.ts'
import { summarizeBatch } from '../../operations/batch/summary.ts'
import type { Spending } from '../../operations/deps.ts'
import type { BatchProgress } from '../../ui/screens/batch-progress.ts'
import type { OutputOptions } from '../shared/options.ts'
import type { Session } from '../shared/session.ts'
import { createProgress } from './progress.ts'
import { refuseCancelled } from './retry-failed.ts'

type Purchase = {
  readonly deps: Spending
  readonly batches: Batches
  readonly batch: Batch
  readonly cap: Decimal
  /** Throws if another process has started the same plan since the consent. */
  readonly refuseRival: () => void
  readonly pace: Pace
  readonly output: OutputOptions
}

export const buyBatch = async (
  context: Context,
  session: Session,
  { deps, batches, batch, cap, refuseRival, pace, output }: Purchase,
): Promise<BatchEnd> => {
  const { clock, interrupted, stderr, random } = context
  if (!batches.startBatch(batch.number, formatDecimal(cap), clock.now(), refuseRival)) {
    refuseCancelled({ ...batch, cancelledAt: clock.now() })
  }
  deps.journal.groupWrites(createGroupedWrite)
  const { api } = deps
  const poller = createPoller({ api, clock, interrupted, random, ready: pace.ready, concurrency: pace.limit })
  const counter = { inFlight: 0, confirmed: 0 }
  const progress = createProgress(context, {
    isShown: output.format === 'screen',
    waiting: session.waiting,
    read: createReader(context, { batches, batch, cap, counter }),
  })
  const sayInterrupted = (): void =>
    stderr.write(
      `Interrupted: waiting for the answers to ${counter.inFlight} pending ${counter.inFlight === 1 ? 'order' : 'orders'}. Press Ctrl-C again to leave at once.\n`,
    )
  interrupted.addEventListener('abort', sayInterrupted, { once: true })
  progress.begin()
  try {
    const refused = createRefusedProducts()
    const end = await runBatch({ deps, batches, batch, pace, poller, refused, own: new Set(), counter })
    if (end.kind === 'stopped' && (end.reason === 'cap' || end.reason === 'funds')) {
      batches.stopBatch(batch.number, end.reason, clock.now())
    }
    return end
  } finally {
    interrupted.removeEventListener('abort', sayInterrupted)
    progress.end()
  }
}

const readEveryMs = 1_000
/** Counting takes longer the larger the batch is. It must not slow down the orders. */
const maxShareOfTime = 0.05

type Source = Pick<Purchase, 'batches' | 'batch' | 'cap'> & {
  readonly counter: { readonly inFlight: number }
}

/** The journal is the source, because another process may be buying the same batch. */
const createReader = (
  { clock }: Context,
  { batches, batch, cap, counter }: Source,
): (() => BatchProgress) => {
  const startedAt = clock.monotonic()
  const read = () => {
    const before = clock.monotonic()
    const summary = summarizeBatch(batches, batch, clock.now())
    const ordersDone = batches.countEnded(batch.number)
    const after = clock.monotonic()
    return {
      summary,
      ordersDone,
      validUntil: after + Math.max(readEveryMs, (after - before) / maxShareOfTime),
    }
  }
  const first = read()
  let last = first
  return () => {
    const now = clock.monotonic()
    if (now >= last.validUntil) last = read()
    const { cards, orders, spent } = last.summary
    return {
      ...{ name: batch.name, wallet: batch.wallet, cards, orders, spent, maxTotal: cap },
      ordersDone: last.ordersDone,
      ordersInFlight: counter.inFlight,
      elapsedMs: now - startedAt,
      deliveredNow: cards.delivered - first.summary.cards.delivered,
    }
  }
}
