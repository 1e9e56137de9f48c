// The service, with a log of the calls that took effect. It is the oracle: it knows what was bought, and by which process.
import { findOperation, type HttpRequest, type HttpResponse } from '../../src/contract/transport.ts'
import { builtInCatalogue } from '../../src/service/catalogue.ts'
import { openEmbedded } from '../../src/service/embedded.ts'
import { secretsOf } from '../support/embedded.ts'
import { orderIdOf } from './calls.ts'
import { lagOf, type Shown, showCreated, showOrder } from './habits.ts'
import { expiries, type Foreign, type Habits } from './histories/steps.ts'

export const serviceKey = 'key-5eCr3t-canary-of-the-model'

/** Far from the real date, so that a use of the real clock is noticed. */
export const epoch = Date.UTC(2026, 2, 1, 12)

type Ordered = { readonly sku: string; readonly quote: number; readonly quantity: number }

export type Order = {
  /** The id that clients see. After a reset, a different order has the same id. */
  readonly id: string
  readonly reference: string
  /** The process that created it, or 0 for a different program. */
  readonly by: number
  readonly at: number
  /** From then on, it cannot be confirmed. */
  readonly expiresAt: number
  readonly products: readonly Ordered[]
  readonly total: number
  readonly response: HttpResponse
  /** The request that created it. */
  readonly request: HttpRequest
  /** How far its times are behind the service's `Date`. */
  readonly lagMs: number
  /** Its id in the embedded service. */
  inner: string
  confirmedAt?: number
  confirmedBy?: number
  /** When the service forgot it. */
  goneAt?: number
  /** The codes of an order that the service forgot. */
  secrets?: readonly string[]
  /** When the journal of each machine learned that it is confirmed. */
  readonly knownAt: Map<number, number>
}

/** A call that took effect. */
type Effect = {
  readonly operation: 'create' | 'confirm'
  readonly at: number
  /** The process that sent it. */
  readonly by: number
  readonly order: Order
}

export type Truth = { readonly state: string; readonly secrets: readonly string[] }

export type Service = ReturnType<typeof openService>

export const textOf = ({ body }: HttpResponse): string =>
  typeof body === 'string' ? body : Buffer.from(body).toString()

const jsonRequest = (method: string, path: string, body: object): HttpRequest => ({
  ...{ method, path, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
})

const unknown = 'ord_nobody'
const documentedMs = 600_000

export const openService = (seed: number, now: () => number, given: Habits = {}) => {
  let habits = given
  let generation = 0
  let ids = 0
  const open = () =>
    openEmbedded({
      clock: {
        now: () => Math.floor(epoch + now()),
        monotonic: now,
        sleep: async () => {},
        newId: () => {
          ids += 1
          return `${seed}-${ids}`
        },
      },
      catalogue: builtInCatalogue(),
      stateFile: ':memory:',
      apiKey: serviceKey,
      seed: generation === 0 ? `model ${seed}` : `model ${seed}, reset ${generation}`,
    })
  let embedded = open()
  /** The ids of the orders that a reset has lost. The next orders get them. */
  let freeIds: string[] = []
  const effects: Effect[] = []
  const orders: Order[] = []
  const cached = new Map<string, { readonly at: number; readonly response: HttpResponse }>()

  const ask = (request: HttpRequest): Promise<HttpResponse> =>
    embedded.transport({ ...request, headers: { ...request.headers, authorization: `Bearer ${serviceKey}` } })

  /** The order that the service has under this id. */
  const find = (id: string | undefined): Order | undefined =>
    orders.findLast((order) => order.id === id && order.goneAt === undefined)

  const askFor = (order: Order | undefined, operation: 'confirm' | 'get'): Promise<HttpResponse> => {
    const orderId = order?.inner ?? unknown
    return operation === 'get'
      ? ask({ method: 'GET', path: `/order/get?orderId=${orderId}`, headers: {} })
      : ask(jsonRequest('PUT', '/order/confirm', { orderId }))
  }
  const shownOf = (order: Order): Shown => ({ order, habits, now: now() })

  const create = async (request: HttpRequest, by: number, validMs: number): Promise<HttpResponse> => {
    const own = await ask(request)
    if (own.status !== 200) return own
    const { data } = JSON.parse(textOf(own))
    const { reference, productList: products } = JSON.parse(String(request.body))
    const id = freeIds.shift() ?? data.id
    const facts = { id, reference, by, at: now(), expiresAt: now() + validMs, products, request }
    const response = showCreated(own, facts, habits)
    const order: Order = {
      ...{ ...facts, lagMs: lagOf(habits), response, inner: data.id },
      ...{ total: data.invoice.total, knownAt: new Map() },
    }
    orders.push(order)
    effects.push({ operation: 'create', at: now(), by, order })
    return response
  }

  /** The embedded service knows one validity. An order that lives longer is created there again. */
  const renew = async (order: Order): Promise<void> => {
    if (order.confirmedAt !== undefined || now() > order.expiresAt) return
    if (now() - order.at < documentedMs) return
    order.inner = JSON.parse(textOf(await ask(order.request))).data.id
  }

  const confirm = async (order: Order | undefined, by: number): Promise<HttpResponse> => {
    if (order !== undefined) await renew(order)
    const own = await askFor(order, 'confirm')
    if (order === undefined || own.status !== 200) return own
    order.confirmedAt = now()
    order.confirmedBy = by
    effects.push({ operation: 'confirm', at: now(), by, order })
    return { ...own, body: textOf(own).replaceAll(order.inner, order.id) }
  }

  const get = async (order: Order | undefined): Promise<HttpResponse> => {
    const own = await askFor(order, 'get')
    return order === undefined || own.status !== 200 ? own : showOrder(own, shownOf(order))
  }

  const getThroughCache = async (request: HttpRequest): Promise<HttpResponse> => {
    const { path, headers } = request
    const { ms = 0, isStubborn = false } = habits.cache ?? {}
    const isAsked = /no-cache|no-store|max-age=0/.test(headers['cache-control'] ?? '')
    const old = cached.get(path)
    if (old !== undefined && now() - old.at < ms && (isStubborn || !isAsked)) {
      const age = String(Math.floor((now() - old.at) / 1_000))
      return { ...old.response, headers: { ...old.response.headers, age } }
    }
    const response = await get(find(orderIdOf(request)))
    cached.set(path, { at: now(), response })
    return response
  }

  const truthOf = async (order: Order): Promise<Truth> => {
    const { data } = JSON.parse(textOf(await askFor(order, 'get')))
    return { state: data.state, secrets: secretsOf(data.redeem ?? {}) }
  }

  const forget = async (order: Order): Promise<void> => {
    order.secrets = (await truthOf(order)).secrets
    order.goneAt = now()
  }

  const orderElsewhere = async ({ reference, isConfirmed, validMs }: Foreign): Promise<void> => {
    const productList = [{ sku: 'GAME-US', productType: 'fixed', quote: 25, quantity: 1 }]
    const request = jsonRequest('POST', '/order/create', { productList, wallet: 'USD', reference })
    await create(request, 0, validMs ?? documentedMs)
    if (isConfirmed) await confirm(orders.at(-1), 0)
  }

  return {
    ...{ effects, orders, find, forget, orderElsewhere },
    /** Ends what would end by itself. */
    calm: (): void => {
      habits = given.template === undefined ? {} : { template: given.template }
      cached.clear()
    },
    /** Handles a request of a process. */
    take: async (request: HttpRequest, by: number): Promise<HttpResponse> => {
      const operation = findOperation(request.method, request.path)
      if (operation === 'create')
        return create(request, by, habits.expiry === undefined ? documentedMs : expiries[habits.expiry])
      return operation === 'confirm' ? confirm(find(orderIdOf(request)), by) : getThroughCache(request)
    },
    reset: async (strangers: readonly Foreign[]): Promise<void> => {
      for (const order of orders) if (order.goneAt === undefined) await forget(order)
      cached.clear()
      freeIds = [...new Set(orders.map(({ id }) => id))]
      embedded.close()
      generation += 1
      embedded = open()
      for (const stranger of strangers) {
        // With the same reference under the same id, no one can distinguish the two orders.
        const isTwin = orders.some(
          ({ id, reference }) => id === freeIds[0] && reference === stranger.reference,
        )
        await orderElsewhere(isTwin ? { ...stranger, reference: 'theirs' } : stranger)
      }
    },
    /** The true state of an order that the service has. */
    truth: truthOf,
    secretsOf: async (order: Order): Promise<readonly string[]> =>
      order.secrets ?? (await truthOf(order)).secrets,
    close: (): void => embedded.close(),
  }
}
