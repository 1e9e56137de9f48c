// The service, with a log of the calls that took effect.
import { findOperation } from '../../src/contract/endpoints.ts'
import type { Operation } from '../../src/contract/refusals.ts'
import type { HttpRequest, HttpResponse } from '../../src/contract/transport.ts'
import { builtInCatalogue } from '../../src/service/catalogue.ts'
import { openEmbedded } from '../../src/service/embedded.ts'
import { secretsOf } from '../support/embedded.ts'

export const serviceKey = 'key-5eCr3t-canary-of-the-model'

/** Far from the real date, so that a use of the real clock is noticed. */
export const epoch = Date.UTC(2026, 2, 1, 12)

/** A call that took effect. */
type Effect = {
  readonly operation: 'create' | 'confirm'
  readonly at: number
  /** The process that sent it. */
  readonly by: number
  readonly orderId: string
}

type Ordered = { readonly sku: string; readonly quote: number; readonly quantity: number }

export type Order = {
  readonly id: string
  readonly reference: string
  /** The process that created it. */
  readonly by: number
  readonly expiresAt: number
  readonly products: readonly Ordered[]
  readonly response: HttpResponse
}

export type Truth = { readonly state: string; readonly secrets: readonly string[] }

export type Service = ReturnType<typeof openService>

export const textOf = ({ body }: HttpResponse): string =>
  typeof body === 'string' ? body : Buffer.from(body).toString()

export const openService = (seed: number, now: () => number) => {
  const embedded = openEmbedded({
    clock: {
      now: () => Math.floor(epoch + now()),
      monotonic: now,
      sleep: async () => {},
      newId: () => `${seed}`,
    },
    catalogue: builtInCatalogue(),
    stateFile: ':memory:',
    apiKey: serviceKey,
    seed: `model ${seed}`,
  })
  const effects: Effect[] = []
  const orders = new Map<string, Order>()

  const note = (
    operation: Operation | undefined,
    by: number,
    request: HttpRequest,
    response: HttpResponse,
  ): void => {
    if (response.status !== 200 || (operation !== 'create' && operation !== 'confirm')) return
    const { data } = JSON.parse(textOf(response))
    effects.push({ operation, at: now(), by, orderId: data.id })
    if (operation === 'confirm') return
    const { reference, productList: products } = JSON.parse(String(request.body))
    orders.set(data.id, { id: data.id, reference, by, expiresAt: data.expiresAt - epoch, products, response })
  }

  const ask = (request: HttpRequest): Promise<HttpResponse> =>
    embedded.transport({ ...request, headers: { ...request.headers, authorization: `Bearer ${serviceKey}` } })

  return {
    effects,
    orders,
    /** Handles a request of a process. */
    take: async (request: HttpRequest, by: number): Promise<HttpResponse> => {
      const response = await ask(request)
      note(findOperation(request.method, request.path), by, request, response)
      return response
    },
    confirmedAt: (orderId: string): number | undefined =>
      effects.find((each) => each.operation === 'confirm' && each.orderId === orderId)?.at,
    /** The true state of an order. */
    truth: async (orderId: string): Promise<Truth> => {
      const response = await ask({ method: 'GET', path: `/order/get?orderId=${orderId}`, headers: {} })
      const { data } = JSON.parse(textOf(response))
      return { state: data.state, secrets: secretsOf(data.redeem ?? {}) }
    },
    close: embedded.close,
  }
}
