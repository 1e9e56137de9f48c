// What may be done to the service in any order, and what must then be true, seen from outside.
import * as fc from 'fast-check'
import { expect } from 'vitest'
import { readJson } from '../../src/contract/json.ts'
import { decimal, formatDecimal, sum } from '../../src/contract/money/decimal.ts'
import { getResponse, type Order } from '../../src/contract/schemas.ts'
import { isFinal } from '../../src/contract/states.ts'
import type { Product } from '../../src/service/catalogue.ts'
import { forcibleOutcomes } from '../../src/service/rules.ts'
import { type Calls, type countingClock, type Line, type Reply, secretsOf } from '../support/embedded.ts'
import { readValid } from '../support/read-valid.ts'
import { scarce } from '../support/scarce.ts'

const lineOf = (product: Product) =>
  fc.integer({ min: 1, max: 3 }).map((quantity): Line => {
    const quote = Number(formatDecimal('quote' in product ? product.quote : product.min))
    return { sku: product.sku, productType: 'fixed', quote, quantity }
  })
const lines = fc
  .shuffledSubarray([...scarce.products.values()], { minLength: 1, maxLength: 3 })
  .chain((chosen) => fc.tuple(...chosen.map(lineOf)))

const nth = fc.nat(20)
/** Some happen more often than others, or few orders would succeed. */
const often = <Value>(weight: number, arbitrary: fc.Arbitrary<Value>) => ({ weight, arbitrary })
const op = <const Op extends string, Fields extends object>(
  name: Op,
  fields: { readonly [Name in keyof Fields]: fc.Arbitrary<Fields[Name]> },
) => fc.record({ op: fc.constant(name), ...fields }) as unknown as fc.Arbitrary<{ op: Op } & Fields>

const step = fc.oneof(
  often(15, op('create', { lines, wallet: fc.constantFrom('USD', 'EUR', 'JPY'), hook: fc.boolean() })),
  often(18, op('confirm', { nth, rivals: fc.integer({ min: 1, max: 3 }) })),
  often(9, op('get', { nth })),
  often(12, op('wait', { ms: fc.constantFrom(1, 499, 500, 2_000, 60_000, 599_000) })),
  often(3, op('advance', { by: fc.constantFrom('1s', '1m', '10m') })),
  often(6, op('force', { nth, outcome: fc.constantFrom(...forcibleOutcomes) })),
  often(1, op('reset', {})),
)

export type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

/** Steps, and whose turn it is at each. */
export const stepsOf = (maxLength: number) =>
  fc.array(fc.record({ step, client: fc.nat(9) }), { minLength: 1, maxLength })

type Known = { id: string; expiresAt: number; confirmed: boolean; last?: Order }

export type World = {
  readonly clients: readonly Calls[]
  readonly clock: ReturnType<typeof countingClock>
}

const rank = (state: string): number => {
  const place = ['created', 'confirmed', 'processing'].indexOf(state)
  return place === -1 ? 3 : place
}

export const openModel = ({ clients, clock }: World) => {
  let known: Known[] = []
  let ahead = 0
  const client = (turn: number): Calls => clients[turn % clients.length] as Calls
  const pick = (turn: number): Known | undefined => known[turn % Math.max(known.length, 1)]

  const look = async (order: Known, turn: number): Promise<Order> => {
    const { data } = readValid(getResponse, readJson((await client(turn).get(order.id)).text))
    const { last } = order
    expect(rank(data.state)).toBeGreaterThanOrEqual(rank(last?.state ?? 'created'))
    // What has ended stays as it is.
    if (last !== undefined && rank(last.state) === 3) expect(data).toEqual(last)
    expect(order.confirmed).toBe(data.state !== 'created')
    order.last = data
    return data
  }

  const confirm = async (order: Known, rivals: number, turn: number): Promise<void> => {
    const expired = clock.now() + ahead >= order.expiresAt
    const asked = Array.from({ length: rivals }, (_, rival) => client(turn + rival).confirm(order.id))
    const replies: Reply[] = await Promise.all(asked)
    const statuses = replies.map(({ status }) => status).sort()
    const all = (status: number) => Array(rivals).fill(status)
    if (order.confirmed) expect(statuses).toEqual(all(404))
    else if (expired) expect(statuses).toEqual(all(419))
    else if (statuses[0] === 400) expect(statuses).toEqual(all(400))
    else {
      expect(statuses).toEqual([200, ...all(404)].slice(0, rivals))
      order.confirmed = true
    }
  }

  return {
    take: async (step: Step, turn: number): Promise<void> => {
      const order = 'nth' in step ? pick(step.nth) : undefined
      switch (step.op) {
        case 'create': {
          const url = step.hook ? { webhookUrl: 'http://127.0.0.1:1/' } : {}
          const { status, data } = await client(turn).create(step.lines, { wallet: step.wallet, ...url })
          expect([200, 400, 500]).toContain(status)
          if (status === 200) known.push({ id: data.id, expiresAt: data.expiresAt, confirmed: false })
          break
        }
        case 'confirm':
          if (order !== undefined) await confirm(order, step.rivals, turn)
          break
        case 'get':
          if (order !== undefined) await look(order, turn)
          break
        case 'wait':
          clock.advance(step.ms)
          break
        case 'advance': {
          const { data } = await client(turn).mock('POST', '/clock', { advance: step.by })
          ahead = data.clockOffsetMs
          break
        }
        case 'force':
          if (order !== undefined)
            await client(turn).mock('POST', '/outcome', { orderId: order.id, outcome: step.outcome })
          break
        case 'reset':
          await client(turn).mock('POST', '/reset')
          known = []
          ahead = 0
      }
    },

    /** Money and codes, added up from what the service responds with about each order. */
    audit: async (turn: number): Promise<void> => {
      const orders = await Promise.all(known.map((order) => look(order, turn)))
      const { data } = await client(turn).mock('GET', '/state')
      for (const { currency, opening, balance } of data.wallets) {
        const own = orders.filter(({ invoice }) => invoice.wallet === currency)
        const spent = sum(own.flatMap((order) => costOf(order)))
        expect([currency, formatDecimal(decimal(`${balance}`))]).toEqual([
          currency,
          formatDecimal(decimal(`${opening}`).minus(spent)),
        ])
        expect(balance).toBeGreaterThanOrEqual(0)
      }
      for (const { remaining } of data.stock) expect(remaining).toBeGreaterThanOrEqual(0)
      // biome-ignore lint/suspicious/noExplicitAny: either shape of redeem data
      const secrets = orders.flatMap(({ redeem }) => secretsOf(Object.fromEntries(redeem ?? []) as any))
      const codes = secrets.filter((text) => /^SANDBOX-/.test(text))
      expect(new Set(codes).size).toBe(codes.length)
      const delivered = orders.flatMap(({ products, redeem }) =>
        [...(redeem?.keys() ?? [])].map((sku) => products.get(sku)?.request.quantity ?? 0),
      )
      expect(codes.length).toBe(delivered.reduce((all, units) => all + units, 0))
    },
  }
}

/** What the order has cost so far: its lines, less those that failed. */
const costOf = ({ state, invoice, redeem }: Order) => {
  if (state === 'created') return []
  const costs = (sku: string) => !isFinal(state) || (redeem?.has(sku) ?? false)
  return invoice.records
    .filter(({ sku }) => costs(sku))
    .map(({ total }) => total[invoice.wallet] ?? decimal('0'))
}
