// batch run while something else changes the journal. run.session has the others.

import path from 'node:path'
import { expect, test } from 'vitest'
import { findBatchesOnAnyAccount, recordStart } from '../../../../src/journal/batches/batches.ts'
import { openJournal } from '../../../../src/journal/open-journal.ts'
import { realClock } from '../../../support/in-process.ts'
import { openWorld } from '../../../support/world.ts'

type Row = {
  readonly sku: string
  readonly quote: number
}

const openShop = async () => {
  const shop = await openWorld()
  const save = (rows: readonly Row[], name = 'gifts.json'): string => shop.file(JSON.stringify(rows), name)
  const countOrders = async (): Promise<number> => (await shop.calls.mock('GET', '/state')).data.orders.length
  return { ...shop, save, countOrders }
}

const game: Row = { sku: 'GAME-US', quote: 25 }

test('the same plan that another process starts during the question is refused', async () => {
  const shop = await openShop()
  for (const name of ['one.json', 'two.json']) {
    await shop.must('batch', 'plan', shop.save([game], name), '--wallet', 'USD')
  }
  const startOther = async (): Promise<true> => {
    const journal = await openJournal(path.join(shop.home, 'state', 'journal.db'))
    for (const batch of await findBatchesOnAnyAccount(journal.read, 'two')) {
      if (batch.name === 'two') await recordStart(journal, batch, { maxTotal: '100', at: Date.now() })
    }
    await journal.close()
    return true
  }
  const words = ['batch', 'run', 'one', '--max-total', '100']
  const { exit, stderr } = await shop.atTerminal(words, { answers: [startOther] })
  expect([exit, stderr]).toEqual([11, expect.stringContaining('the batch two, started in the last 24 hours')])
  expect(await shop.countOrders()).toBe(0)
})

test('a batch that a reset of the sandbox deletes while it runs is not complete', async () => {
  const shop = await openShop()
  const file = shop.save([{ sku: 'TEST-SLOW', quote: 10 }])
  const stop = new AbortController()
  const words = ['batch', 'run', file, '--wallet', 'USD', '--max-total', '100', '--yes']
  // On the real clock, the slow order is not delivered meanwhile.
  const ran = shop.atTerminal(words, { interrupted: stop.signal, clock: realClock })
  await expect.poll(shop.countOrders).toBe(1)
  await shop.must('sandbox', 'reset')
  stop.abort()
  const { exit, stdout, stderr } = await ran
  expect([exit, stdout]).toEqual([9, ''])
  expect(stderr).toContain('the batch gifts was deleted from the journal while it ran')
})
