// A thread that buys slots, starts batches or spends a budget, while another thread does the same.
import { parentPort, workerData } from 'node:worker_threads'
import { Failure } from '../../../src/errors.ts'
import type { Batch } from '../../../src/journal/batches/batch.ts'
import type { ConfirmIntent } from '../../../src/journal/calls.ts'
import { findJournalKind } from '../journals.ts'
import { createBatchDesk, owner } from './batch-desk.ts'

export type RivalData = {
  /** The name of the kind of the journal. */
  readonly kind: string
  readonly address: string
  readonly task: 'buy' | 'start' | 'spend'
  readonly name: string
  readonly count: number
}

const { kind, address, task, name, count } = workerData as RivalData
const journal = await findJournalKind(kind).openAt(address)
const { batches, beginCreate, beginConfirm } = createBatchDesk(journal)
const at = 5_000

/** Buys slots of the only batch. */
const buy = async (slot: number): Promise<string[]> => {
  const created = await beginCreate(slot, { reference: `${name}-${slot}`, at })
  // The order of this thread in the second half of the slots.
  const confirmed = await beginConfirm(`${name}-${count + slot}`, { at })
  return [
    ...(created.kind === 'started' ? [`create ${slot}`] : []),
    ...(confirmed.kind === 'started' ? [`confirm ${slot}`] : []),
  ]
}

const refuseAny = (same: readonly Batch[]): void => {
  if (same.length > 0) throw new Failure('duplicate', 'an equal batch was started')
}

/** Starts the batch of this thread, unless the other thread has started the batch with the same demand. */
const start = async (number: number): Promise<string[]> => {
  const [batch] = await batches.findBatches(owner.account, `${name}-${number}`)
  if (batch === undefined) throw new Error('the batch was not saved')
  try {
    await batches.startBatch(batch, { maxTotal: '100', at, refuseSame: { since: 0, check: refuseAny } })
    return [`start ${number}`]
  } catch (error) {
    if (error instanceof Failure && error.kind === 'duplicate') return []
    throw error
  }
}

/** Confirms an order of 25 USD, if the budget allows one more order. */
const spend = async (number: number): Promise<string[]> => {
  const isWithinBudget: ConfirmIntent['isWithinBudget'] = ({ spent, amount }) =>
    25 * (1 + spent.reduce((sum, { count }) => sum + count, 0)) <= Number(amount)
  const { kind } = await beginConfirm(`${name}-${number}`, { isWithinBudget })
  return kind === 'started' ? [`spend ${number}`] : []
}

const tasks = { buy, start, spend }

/** The number of a slot or batch; undefined at the end. */
parentPort?.on('message', async (number: number | undefined) => {
  if (number === undefined) await journal.close()
  parentPort?.postMessage(number === undefined ? [] : await tasks[task](number))
})
parentPort?.postMessage('ready')
