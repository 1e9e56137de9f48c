// Buys many random orders from the embedded service through the operations, and reads the service's own ledger.
import { existsSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { createApi } from '../../../src/client/api.ts'
import { withCredentials } from '../../../src/client/credentials.ts'
import { decimal, formatDecimal, fromMinor } from '../../../src/contract/decimal.ts'
import type { OrderRequest } from '../../../src/contract/order-request.ts'
import type { Transport } from '../../../src/contract/transport.ts'
import { Failure } from '../../../src/errors.ts'
import type { Journal } from '../../../src/journal/journal.ts'
import { confirm } from '../../../src/operations/confirm/confirm.ts'
import type { Spending } from '../../../src/operations/deps.ts'
import { offerOf } from '../../../src/operations/offer.ts'
import { noteAnswer } from '../../../src/operations/order-update.ts'
import { place } from '../../../src/operations/place.ts'
import { createRandom } from '../../../src/service/random.ts'
import { apiKey, catalogueOf, openService } from '../../support/embedded.ts'
import { createManualClock, startTime } from '../../support/manual-clock.ts'
import { openScratch, readDatabase } from '../../support/scratch.ts'
import { timed } from '../timed.ts'

const fixed = (sku: string, currency: string, quote: number, more = {}) => ({
  ...{ sku, name: sku, country: 'US', productType: 'fixed', currency, quote },
  ...more,
})

/** Every outcome, deals, and amounts with 0, 2 and 3 minor digits. */
const products = [
  fixed('GAME', 'USD', 25),
  fixed('DEAL', 'EUR', 2.35, { fee: 2.5, discount: 7.5 }),
  fixed('PINS', 'USD', 9.99, { redeemShape: 'B' }),
  fixed('DINAR', 'KWD', 1.005),
  fixed('YEN', 'JPY', 499),
  fixed('FAIL', 'USD', 1.99, { behaviour: 'fail' }),
  fixed('REJECT', 'EUR', 5, { behaviour: 'reject' }),
  fixed('ODD', 'EUR', 1, { behaviour: 'odd-state' }),
]
/** Failures are rare. */
const likely = [...products.slice(0, 5), ...products.slice(0, 5), ...products]
const rates = [
  ['USD', 'EUR', 0.922339],
  ['USD', 'JPY', 149.401],
  ['USD', 'KWD', 0.30721],
  ['EUR', 'USD', 1.0842],
  ['EUR', 'JPY', 161.98],
  ['EUR', 'KWD', 0.33308],
  ['JPY', 'USD', 0.0066934],
  ['JPY', 'EUR', 0.00617358],
  ['JPY', 'KWD', 0.00205627],
  ['KWD', 'USD', 3.25511],
  ['KWD', 'EUR', 3.00232],
  ['KWD', 'JPY', 486.31],
].map(([baseCurrency, targetCurrency, rate]) => ({ baseCurrency, targetCurrency, rate }))
const wallets = ['USD', 'EUR', 'JPY', 'KWD']
const catalogue = catalogueOf({
  ...{ products, rates },
  wallets: wallets.map((currency) => ({ currency, balance: 900_000_000 })),
})

/** A disk in memory: to wait for a real one would take most of the time. */
const memory = '/dev/shm'
const hourMs = 60 * 60 * 1000

/** `openJournal` gets the clock of the service, which moves on by up to an hour before each order. */
export const buyOrders = async (
  count: number,
  seed: string,
  openJournal: (now: () => number) => Promise<Journal>,
) => {
  const random = createRandom(seed)
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item
  const scratch = openScratch(existsSync(memory) ? memory : undefined)
  const clock = createManualClock(startTime)
  const service = await openService({ catalogue, stateFile: scratch.file })
  const journal = await openJournal(clock.now)
  const fate = { losesAnswer: false }
  const losing: Transport = async (request) => {
    const response = await service.transport(request)
    if (!fate.losesAnswer || request.method !== 'PUT') return response
    fate.losesAnswer = false
    throw new Error('the connection was lost')
  }
  const quick = {
    ...{ now: clock.now, monotonic: clock.monotonic, newId: clock.newId },
    sleep: async (ms: number, signal?: AbortSignal): Promise<void> => {
      // No deadline ever comes.
      if (ms >= 30_000) return new Promise(() => {})
      if (!signal?.aborted) advance(ms)
    },
  }
  const advance = (ms: number): void => {
    clock.advance(ms)
    service.clock.advance(ms)
  }
  const api = createApi(withCredentials(losing, { kind: 'bearer' }, apiKey), { clock: quick, random })
  const owner = { profile: 'shop', origin: 'https://orders.example', account: { address: 'orders.example' } }
  const deps: Spending = {
    ...{ ...timed(api, quick), clock: quick, journal, owner },
    interrupted: new AbortController().signal,
  }
  const createRequest = (number: number): OrderRequest => {
    const wanted = new Map(
      Array.from({ length: pick([1, 1, 1, 2, 3]) }, () => pick(likely)).map((each) => [each.sku, each]),
    )
    return {
      productList: [...wanted.values()].map(({ sku, quote }) => ({
        ...{ sku, productType: 'fixed', quote: decimal(String(quote)), quantity: pick([1, 1, 2, 5]) },
      })),
      wallet: pick(wallets),
      reference: `${pick(['gifts', 'team-a', 'promo'])}-${number}`,
    }
  }
  const buy = async (number: number): Promise<void> => {
    advance(Math.floor(random() * hourMs))
    const { created, ...placed } = await place(deps, createRequest(number))
    if (random() < 0.05) return
    fate.losesAnswer = random() < 0.05
    await confirm(deps, offerOf(created, placed)).catch((error) => {
      if (!(error instanceof Failure)) throw error
    })
    if (random() < 0.1) return
    advance(60_000)
    const outcome = await api.get(created.id)
    if (outcome.kind === 'done') await noteAnswer(deps, outcome.data, clock.now())
  }
  for (let number = 0; number < count; number += 1) await buy(number)
  return {
    journal,
    span: { from: startTime, until: clock.now() + 1 },
    readLedger: () => readDatabase(scratch.file, readCharges),
    close: async () => {
      await journal.close()
      await service[Symbol.asyncDispose]()
      scratch[Symbol.dispose]()
    },
  }
}

type Line = { readonly sku: string; readonly charge: number; readonly quantity: number }

/** What the service charged, from its own tables. */
const readCharges = (database: DatabaseSync) =>
  database
    .prepare(
      `SELECT currency, amount, at, state, reference, lines FROM ledger JOIN orders ON number = order_number
       WHERE kind = 'charge'`,
    )
    .all()
    .map(({ currency, amount, at, state, reference, lines }) => ({
      ...{ currency: String(currency), amount: Number(amount), state: String(state) },
      ...{ day: new Date(Number(at)).toISOString().slice(0, 10), reference: String(reference) },
      lines: JSON.parse(String(lines)) as Line[],
    }))

export type LedgerCharge = ReturnType<typeof readCharges>[number]

/** Sums of minor units as exact decimals, by key. */
export const sumBy = (
  entries: readonly { readonly key: string; readonly currency: string; readonly minor: number }[],
): Record<string, string> => {
  const sums = new Map<string, { currency: string; minor: number }>()
  for (const { key, currency, minor } of entries) {
    const id = `${key} ${currency}`
    sums.set(id, { currency, minor: (sums.get(id)?.minor ?? 0) + minor })
  }
  const texts = [...sums].map(
    ([id, { currency, minor }]) => [id, formatDecimal(fromMinor(currency, minor))] as const,
  )
  return Object.fromEntries(texts.filter(([, text]) => text !== '0').toSorted())
}
