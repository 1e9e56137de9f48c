// The engine of a batch with a journal that responds late, as a journal on a different machine does.

import { expect, onTestFinished, test } from 'vitest'
import { buySlots } from '../../../src/batch/buy/buy-slots.ts'
import { createQueue, listSlots } from '../../../src/batch/buy/queue.ts'
import { withCredentials } from '../../../src/client/credentials.ts'
import { Failure } from '../../../src/errors.ts'
import { recordStart } from '../../../src/journal/batches/batches.ts'
import { countCardsByState, listBatchOrders } from '../../../src/journal/batches/cards.ts'
import { saveBatch } from '../../../src/journal/batches/insert-plan.ts'
import { openJournal } from '../../../src/journal/open-journal.ts'
import { listCalls } from '../../../src/journal/orders/entries.ts'
import { createPace } from '../../../src/operations/parallel.ts'
import { createRandom } from '../../../src/service/cards.ts'
import { createSession } from '../../operations/session.ts'
import { apiKey, openService } from '../../support/embedded.ts'
import { turnEventLoop } from '../../support/wait-until.ts'

const owner = { profile: 'test', origin: 'test:', account: { address: 'test' } }
const slotCount = 30
const longestDelayMs = 100

// biome-ignore lint/suspicious/noExplicitAny: the types of the functions are kept.
type Work = (...given: any[]) => Promise<unknown>

/** The same functions. Each waits before its work and after it. */
const delay = <Functions extends object>(functions: Functions, wait: () => Promise<void>): Functions =>
  Object.fromEntries(
    Object.entries(functions).map(([name, work]: [string, Work]) => [
      name,
      async (...given: unknown[]) => {
        await wait()
        const result = await work(...given)
        await wait()
        return result
      },
    ]),
  ) as Functions

/** Every third slot has a product that is out of stock, so the service refuses its order. */
const listRows = () =>
  Array.from({ length: slotCount * 2 }, (_, card) => ({
    ...{ line: card + 1, productType: 'fixed', quantity: 1, cells: [] },
    ...(card % 6 === 1 ? { sku: 'TEST-OUT-OF-STOCK', quote: '10' } : { sku: 'GAME-US', quote: '25' }),
  }))

/** `onBatch` is called each time that the batch is read. */
const open = async (onBatch: () => void = () => {}) => {
  const service = await openService({ processingMs: 500 })
  const { clock } = service
  const random = createRandom('slow journal')
  const journal = await openJournal(':memory:')
  onTestFinished(async () => {
    await journal.close()
    await service[Symbol.asyncDispose]()
  })
  const wait = (): Promise<void> => clock.sleep(random() * longestDelayMs)
  const { batch } = await saveBatch(
    journal,
    {
      ...owner,
      ...{ id: 'bat_1', demand: 'dem_1', name: 'gifts', wallet: 'USD', columns: [] },
      ...{ at: clock.now(), lastSlot: slotCount, rows: listRows(), slotOf: (card) => 1 + (card >> 1) },
    },
    false,
  )
  await recordStart(journal, batch, { maxTotal: '100000', at: clock.now() })

  const started: string[] = []
  const { read, write, begin, end } = journal
  const slow = delay({ all: read.all, write, begin, end }, wait)
  const session = createSession(withCredentials(service.transport, { kind: 'bearer' }, apiKey), {
    ...{ clock, random, owner },
    journal: {
      ...{ ...journal, write: slow.write, end: slow.end },
      read: {
        ...journal.read,
        all: async (sql, values) => {
          if (sql.includes('SELECT batches.*')) onBatch()
          return slow.all(sql, values)
        },
      },
      begin: async (account, work) => {
        const begun = await slow.begin(account, work)
        started.push((begun as { readonly kind: string }).kind)
        return begun
      },
    },
  })
  const pace = createPace({ max: 8, clock, random })
  const queue = createQueue(batch.lastSlot)
  const countCalling = () => listSlots(queue, 'calling', 'settling').length
  const run = async () => {
    let isDone = false
    const setup = { session, batch, pace, queue, random, onWaiting: async () => {} }
    const end = buySlots(setup).finally(() => {
      isDone = true
    })
    for (let turn = 0; !isDone && turn < 5_000; turn += 1) {
      await turnEventLoop()
      clock.advance(20)
    }
    return end
  }
  const orders = () => listBatchOrders(journal.read, batch.number)
  return { run, orders, queue, countCalling, started, batch, journal }
}

test('each slot is bought once, and never worked on twice at once', async () => {
  const { run, orders, queue, countCalling, started, batch, journal } = await open()
  expect(await run()).toEqual({ kind: 'ended' })
  // A second attempt for a slot in progress would be refused.
  expect(new Set(started)).toEqual(new Set(['started']))
  const confirmed = (await orders()).filter(({ confirmedAt }) => confirmedAt !== undefined)
  expect(new Set(confirmed.map(({ slot }) => slot)).size).toBe(confirmed.length)
  expect(await countCardsByState(journal.read, batch.number)).toEqual({
    ...{ wanted: 0, duplicate: 0, cancelled: 0 },
    ...{ delivered: (slotCount * 5) / 3, failed: slotCount / 3 },
  })
  expect([countCalling(), queue.confirmed]).toEqual([0, confirmed.length])
})

test.each([1, 2, 3, 4, 5])(
  'if read %i of the batch fails, the responses to calls in progress are recorded',
  async (failing) => {
    let reads = 0
    const { run, orders, countCalling, journal } = await open(() => {
      reads += 1
      if (reads === failing) throw new Failure('local-state', 'connection lost')
    })
    expect(await run()).toMatchObject({ kind: 'ended', failure: { message: 'connection lost' } })
    expect(countCalling()).toBe(0)
    for (const { number } of await orders())
      for (const { outcome } of await listCalls(journal.read, number)) expect(outcome).not.toBe('sending')
  },
)
