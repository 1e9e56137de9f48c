// The service with a manual clock, and short calls to it, in process or over a socket.

import { formatDecimal } from '../../src/contract/money/decimal.ts'
import type { Clock } from '../../src/contract/time.ts'
import { endpoints, type Headers, type HttpResponse, type Transport } from '../../src/contract/transport.ts'
import { builtInCatalogue, type Catalogue } from '../../src/service/catalogue.ts'
import { checkCatalogue } from '../../src/service/catalogue-file.ts'
import { type EmbeddedOptions, openEmbedded } from '../../src/service/embedded.ts'
import { createManualClock, startTime } from './manual-clock.ts'
import { overSocket } from './socket-client.ts'

export const apiKey = 'the-key'

type Way = (
  transport: Transport,
  clock: Clock,
) => Promise<{ readonly transport: Transport; close(): Promise<void> }>

const inProcess: Way = async (transport) => ({ transport, close: async () => {} })

/** For `describe.each`: one suite, both ways. */
export const ways: readonly (readonly [string, Way])[] = [
  ['in process', inProcess],
  ['over a socket', overSocket],
]

export type Line = {
  readonly sku: string
  readonly productType: string
  readonly quote: number
  readonly quantity: number
}

/** A valid line: a fixed product at its price, or a range at its minimum. */
export const line = (sku: string, fields: Partial<Line> = {}): Line => {
  const product = builtInCatalogue().products.get(sku)
  if (product === undefined) return { sku, productType: 'fixed', quote: 1, quantity: 1, ...fields }
  const quote = Number(formatDecimal(product.productType === 'fixed' ? product.quote : product.min))
  return { sku, productType: product.productType, quote, quantity: 1, ...fields }
}

type OrderFields = { readonly wallet?: string; readonly reference?: string; readonly webhookUrl?: string }

/** The body of a create request. A SKU alone means one unit. */
export const orderOf = (lines: readonly (string | Line)[], fields: OrderFields = {}) => ({
  productList: lines.map((each) => (typeof each === 'string' ? line(each) : each)),
  wallet: 'USD',
  reference: 'a reference',
  ...fields,
})

// biome-ignore lint/suspicious/noExplicitAny: a response is whatever the service says, and is compared whole.
type Loose = any

export type Reply = {
  readonly status: number
  readonly message: Loose
  /** The `data` of an operation, or the whole body of another response. */
  readonly data: Loose
  readonly violations: Loose
  readonly headers: Headers
  readonly text: string
}

const textOf = ({ body }: HttpResponse): string =>
  typeof body === 'string' ? body : new TextDecoder().decode(body)

// A fault may have damaged the body.
const parsed = (text: string): Loose => {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

const replyOf = (response: HttpResponse): Reply => {
  const text = textOf(response)
  const { status, headers } = response
  const body = parsed(text)
  const { message, data = body, violations } = body
  return { status, message, data, violations, headers, text }
}

const send = async (
  transport: Transport,
  method: string,
  path: string,
  more: { readonly headers?: Headers; readonly body?: string | Uint8Array; readonly key?: string } = {},
): Promise<Reply> => {
  const { headers = {}, body, key } = more
  const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
  const authorized: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` }
  const all = { ...type, ...authorized, ...headers }
  return replyOf(await transport({ method, path, headers: all, ...(body === undefined ? {} : { body }) }))
}

export type Calls = ReturnType<typeof callsOver>

/** Calls to the service over any transport. */
export const callsOver = (transport: Transport, key: string | undefined = apiKey) => {
  const json = (method: string, path: string, body?: unknown) =>
    send(transport, method, path, { key, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })
  const create = (lines: readonly (string | Line)[], fields: OrderFields = {}) =>
    json(endpoints.create.method, endpoints.create.path, orderOf(lines, fields))
  const confirm = (orderId: unknown) => json(endpoints.confirm.method, endpoints.confirm.path, { orderId })
  const get = (orderId: string) =>
    json(endpoints.get.method, `${endpoints.get.path}?${new URLSearchParams({ orderId })}`)
  return {
    create,
    confirm,
    get,
    json,
    /** Sends the request unchanged, without a key. */
    raw: (method: string, path: string, more: Parameters<typeof send>[3] = {}) =>
      send(transport, method, path, more),
    mock: (method: string, path: string, body?: unknown) => json(method, `/_mock${path}`, body),
    /** Creates an order and returns its id. */
    created: async (lines: readonly (string | Line)[], fields: OrderFields = {}): Promise<string> =>
      idOf(await create(lines, fields)),
    /** Creates and confirms an order and returns its id. */
    confirmed: async (lines: readonly (string | Line)[], fields: OrderFields = {}): Promise<string> =>
      idOf(await confirm(idOf(await create(lines, fields)))),
    state: async (id: string): Promise<unknown> => (await get(id)).data.state,
    /** The balance of a wallet, as text. */
    balance: async (currency: string): Promise<unknown> => {
      const { data } = await json('GET', '/_mock/state')
      return data.wallets.find((wallet: Loose) => wallet.currency === currency)?.balance
    },
    remaining: async (sku: string): Promise<unknown> => {
      const { data } = await json('GET', '/_mock/state')
      return data.stock.find((entry: Loose) => entry.sku === sku)?.remaining
    },
  }
}

const idOf = ({ status, data, text }: Reply): string => {
  if (status !== 200) throw new Error(text)
  return data.id
}

type Redeem = Record<string, { cards?: Record<string, string>[]; redeemPin?: string[] }>

/** All codes, PINs, links and serial numbers. */
export const secretsOf = (redeem: Redeem): string[] => {
  const fields = ['redeemLink', 'redeemCardCode', 'redeemSerialNumber', 'redeemPin']
  return Object.values(redeem)
    .flatMap(({ cards = [], redeemPin = [] }) => [
      ...redeemPin,
      ...cards.flatMap((card) => fields.map((field) => card[field] ?? '')),
    ])
    .filter((text) => text !== '')
}

/** A manual clock with numbered ids. `who` distinguishes the ids of several instances. */
export const countingClock = (who = 'id') => {
  let count = 0
  const newId = () => {
    count += 1
    return `${who}-${count}`
  }
  return { ...createManualClock(startTime), newId }
}

/** A catalogue from the content of a catalogue file. */
export const catalogueOf = (document: object): Catalogue => {
  const result = checkCatalogue({ rates: [], ...document })
  if ('violations' in result) throw new Error(JSON.stringify(result.violations))
  return result.catalogue
}

type Options = Partial<Omit<EmbeddedOptions, 'clock'>> & {
  readonly way?: Way
  /** Distinguishes the ids of two services on one file. */
  readonly who?: string
}

export const openService = async ({ way = inProcess, who, ...options }: Options = {}) => {
  const clock = countingClock(who)
  const catalogue = builtInCatalogue()
  const settings = { clock, catalogue, stateFile: ':memory:', seed: 'test', apiKey, ...options }
  const embedded = openEmbedded(settings)
  const { transport, close } = await way(embedded.transport, clock)
  return {
    ...callsOver(transport, settings.apiKey),
    clock,
    embedded,
    transport,
    async [Symbol.asyncDispose]() {
      await close()
      embedded.close()
    },
  }
}
