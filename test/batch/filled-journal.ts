// Fills the journal of a customer with batches in a given state, without any request.

import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { sandboxOwner } from '../../src/app/journals.ts'
import { getAccountId } from '../../src/contract/account-id.ts'
import { toMillionths } from '../../src/contract/money/decimal.ts'
import {
  type Claim,
  formatLines,
  recordCancel,
  recordStart,
  type StoredRow,
} from '../../src/journal/batches/batches.ts'
import { cancelWanted, changeSlotCards } from '../../src/journal/batches/cards.ts'
import { saveBatch } from '../../src/journal/batches/insert-plan.ts'
import { type CardChange, readLines } from '../../src/journal/batches/slots.ts'
import { openJournal } from '../../src/journal/file-journal.ts'
import type { Owner } from '../../src/journal/orders/entries.ts'
import { recordFact } from '../../src/journal/orders/write-order.ts'
import { bindBatches } from '../journal/batches/batch-desk.ts'
import { callsOf } from '../journal/order-desk.ts'
import { openWorld } from '../support/world.ts'

type BatchFill = {
  readonly name?: string
  readonly id?: string
  readonly owner?: Owner
  readonly wallet?: string
  readonly columns?: readonly string[]
  readonly rows?: readonly Partial<Omit<StoredRow, 'row'>>[]
  /** Without it, the batch is planned only. */
  readonly maxTotal?: string
  readonly at?: number
}

/** The account at this address. */
const shopOrigin = 'https://orders.example'
export const ownerAs = (profile: string): Owner => ({
  ...{ profile, origin: shopOrigin, account: getAccountId(shopOrigin) },
})

const total = '100'
/** A little more, so that it is shown as '1 h ago'. */
const anHourMs = 3_700_000
const longMs = 45_000

export const fillJournal = async (home: string, osUser = 'tester') => {
  mkdirSync(path.join(home, 'state'), { recursive: true, mode: 0o700 })
  const journal = await openJournal(path.join(home, 'state', 'journal.db'), {
    identify: () => ({ osUser, host: 'desk' }),
  })
  onTestFinished(journal.close)

  const add = async ({
    owner = sandboxOwner,
    rows = [{}],
    at = Date.now() - anHourMs,
    ...fill
  }: BatchFill = {}) => {
    const { name = 'orders', wallet = 'USD', maxTotal, columns = [], id = 'bat_0123456789abcdef' } = fill
    const all = rows.map((row, index) => ({
      ...{ line: index + 2, sku: 'GAME-US', productType: 'fixed', quote: '25', quantity: 1, cells: [] },
      ...row,
    }))
    const rowOfCard = all.flatMap(({ quantity }, index) => Array.from({ length: quantity }, () => index))
    /** Each row has its own order. */
    const slotOf = (card: number): number => (rowOfCard[card] ?? 0) + 1
    const { batch } = await saveBatch(
      journal,
      {
        ...owner,
        ...{ id, demand: `demand of ${name}`, name, wallet, columns, at, slotOf, rows: all },
        lastSlot: Math.max(...rowOfCard.map((_, card) => slotOf(card))),
      },
      false,
    )
    const { number } = batch
    if (maxTotal !== undefined) await recordStart(journal, batch, { maxTotal, at: at + 1_000 })

    /** Makes the order of the slot. Only a successful one is final. */
    const buy = async (slot: number, became: 'unknown' | 'confirmed' | 'successful'): Promise<void> => {
      const when = at + 2_000
      const reference = `${name}-${String(slot).padStart(4, '0')}`
      const orderId = `sbx_${reference}`
      const lines = await readLines(journal.read, number, slot)
      const claim: Claim = { batch: number, slot, lines: formatLines(lines), holdMs: ofDeadRun }
      const intent = {
        ...owner,
        reference,
        wallet,
        at: when,
        until: when + longMs,
        claim,
        allowDuplicate: true,
      }
      const productList = lines.map(({ quote, ...line }) => ({ ...line, quote: Number(quote) }))
      const created = await callsOf(journal).beginCreate({
        ...intent,
        request: JSON.stringify({ productList }),
      })
      if (created.kind !== 'started') throw new Error(`create: ${created.kind}`)
      const done = { outcome: 'done', orderId, total, createdAt: when, expiresAt: when + 600_000 } as const
      await callsOf(journal).endCreate(created, done, when)
      const counts = toMillionths(total) ?? 0n
      const confirmed = await callsOf(journal).beginConfirm({ ...intent, orderId, total, counts })
      if (confirmed.kind !== 'started') throw new Error(`confirm: ${confirmed.kind}`)
      await callsOf(journal).endConfirm(
        confirmed,
        { outcome: became === 'unknown' ? 'unknown' : 'done' },
        when,
      )
      if (became === 'successful')
        await recordFact(journal, created.order, { kind: 'seen', state: became, isPaid: true, at: when })
    }

    /** Changes all cards of a slot, or the first of them. */
    const setCards = (slot: number, change: Omit<CardChange, 'card'>, count = Infinity): Promise<unknown> =>
      changeSlotCards(journal, number, slot, async (cards) =>
        cards.slice(0, count).map(({ card }) => ({ ...change, hash: `hash-${card}`, card })),
      )

    return {
      ...{ batch, buy, setCards },
      /** Buys and delivers whole slots. */
      deliver: async (...slots: number[]): Promise<void> => {
        for (const slot of slots) {
          await buy(slot, 'successful')
          await setCards(slot, { state: 'delivered' })
        }
      },
    }
  }

  return { journal, batches: bindBatches(journal), add }
}

/** Nobody holds the orders any more. */
const ofDeadRun = { create: -anHourMs, confirm: -anHourMs }

/** `count` rows of one card each. */
export const rowsOf = (count: number): NonNullable<BatchFill['rows']> =>
  Array.from({ length: count }, () => ({}))

/** A world with a batch of four orders. */
export const openFilled = async (fill: BatchFill = {}) => {
  const shop = await openWorld()
  const { add, batches, journal } = await fillJournal(shop.home)
  const filled = await add({ rows: rowsOf(4), maxTotal: '5000', ...fill })
  const { number } = filled.batch
  return {
    ...{ shop, add, batches, journal },
    ...filled,
    cancel: async (): Promise<void> => {
      await recordCancel(journal, number, Date.now())
      await cancelWanted(journal, number)
    },
  }
}
