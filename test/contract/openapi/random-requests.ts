// Random requests to the service, valid and not, for tests that compare its answers with the OpenAPI document.
import { endpoints } from '../../../src/contract/endpoints.ts'
import type { Operation } from '../../../src/contract/refusals.ts'
import type { HttpRequest, HttpResponse } from '../../../src/contract/transport.ts'
import { builtInCatalogue } from '../../../src/service/catalogue.ts'
import { createRandom } from '../../../src/service/random.ts'
import { line, orderOf } from '../../support/embedded.ts'

export type RandomRequest = {
  readonly operation: Operation
  readonly request: HttpRequest
  readonly body: unknown
  /** Breaks HTTP or needs another key, so that only the status of the answer is of interest. */
  readonly defect?: string
}

type Options = {
  readonly seed: string
  readonly key: string
  readonly send: (request: HttpRequest) => Promise<HttpResponse>
  readonly advance: (duration: string) => Promise<unknown>
  /** False: send no body that is not JSON. Prism 5.16 never answers such a request. */
  readonly sendsHalfJson: boolean
}

const skus = [...builtInCatalogue().products.keys(), 'NO-SUCH-SKU']
const wallets = ['USD', 'EUR', 'GBP', 'JPY', 'AUD', 'CHF']
const json = 'application/json'

const createTools = (seed: string) => {
  const random = createRandom(seed)
  const isChosen = (percent: number): boolean => random() * 100 < percent
  const below = (limit: number): number => Math.floor(random() * limit)
  const pick = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item
  return { isChosen, below, pick }
}
type Tools = ReturnType<typeof createTools>

const createOrderBody = ({ isChosen, below, pick }: Tools): unknown => {
  const lines = Array.from({ length: 1 + below(isChosen(5) ? 7 : 4) }, () =>
    line(pick(skus), { quantity: 1 + below(5) }),
  )
  const unique = isChosen(90) ? [...new Map(lines.map((each) => [each.sku, each])).values()] : lines
  const order = orderOf(unique, { wallet: pick(wallets), reference: `r-${below(1000)}` })
  if (!isChosen(30)) return order
  const [first] = order.productList
  const { wallet: _, ...withoutWallet } = order
  return pick<unknown>([
    withoutWallet,
    [order],
    null,
    { ...order, reference: pick(['', 7, null]) },
    { ...order, wallet: pick(['usd', '', 5]) },
    { ...order, productList: pick<unknown>([[], 'x', [null], [{}]]) },
    { ...order, productList: [{ ...first, quantity: pick([0, 6, 1.5, '1']) }] },
    { ...order, productList: [{ ...first, quote: pick([-1, 0, 1, 1e9, 'x']) }] },
    { ...order, productList: [{ ...first, productType: pick(['range', 'other', '', 3]) }] },
    { ...order, webhookUrl: pick(['http://127.0.0.1:9/hook', 'ftp://x.example/', '', 'no address']) },
    { ...order, more: 'unknown fields are allowed' },
  ])
}

const createCall = (tools: Tools, ids: readonly string[]) => {
  const { isChosen, pick } = tools
  const operation = pick<Operation>(['create', 'confirm', 'get'])
  const { method, path } = endpoints[operation]
  const id = isChosen(85) ? pick(ids) : pick(['sbx_0000000000000000', 'x', ''])
  const search = operation === 'get' && isChosen(95) ? `?${new URLSearchParams({ orderId: id ?? '' })}` : ''
  const confirmed: unknown = isChosen(90) ? { orderId: id ?? '' } : pick<unknown>([{}, { orderId: 5 }, []])
  const body = { create: createOrderBody(tools), confirm: confirmed, get: undefined }[operation]
  return { operation, method, path: `${path}${search}`, body }
}

const breakCall = (
  tools: Tools,
  headers: Record<string, string>,
  { hasBody, sendsHalfJson }: { readonly hasBody: boolean; readonly sendsHalfJson: boolean },
) => {
  const other = { method: 'PATCH', name: 'another method' }
  const key = { headers: { ...headers, 'x-api-key': 'wrong' }, name: 'a wrong key' }
  const inBody = [
    { headers: { ...headers, 'content-type': 'text/plain' }, name: 'another content type' },
    ...(sendsHalfJson ? [{ body: '{"orderId": ', name: 'half the JSON' }] : []),
    { body: JSON.stringify({ orderId: 'x'.repeat(70_000) }), name: 'too many bytes' },
  ]
  return tools.pick([other, key, ...(hasBody ? inBody : [])])
}

/** Sends `count` requests one after the other, and yields each with its answer. */
export async function* sendRandomRequests(
  count: number,
  { seed, key, send, advance, sendsHalfJson }: Options,
) {
  const tools = createTools(seed)
  const ids: string[] = []
  for (let sent = 0; sent < count; sent += 1) {
    if (tools.isChosen(10)) await advance(tools.pick(['1s', '3s', '2m', '11m']))
    const { operation, body, ...target } = createCall(tools, ids.slice(-8))
    const text = body === undefined ? undefined : JSON.stringify(body)
    const headers = { 'x-api-key': key, ...(text === undefined ? {} : { 'content-type': json }) }
    const { name, ...defect } = tools.isChosen(10)
      ? breakCall(tools, headers, { hasBody: text !== undefined, sendsHalfJson })
      : { name: undefined }
    const request = { ...target, headers, ...(text === undefined ? {} : { body: text }), ...defect }
    const response = await send(request)
    const answer = JSON.parse(Buffer.from(response.body).toString())
    if (operation === 'create' && answer.data?.id !== undefined) ids.push(answer.data.id)
    const made: RandomRequest = { operation, request, body, ...(name === undefined ? {} : { defect: name }) }
    yield { ...made, response: { ...response, body: answer as unknown } }
  }
}
