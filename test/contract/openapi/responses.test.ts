// The responses of the service to random requests, valid and not, compared with the OpenAPI document.
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { createOpenApiDocument } from '../../../src/contract/openapi/openapi.ts'
import type { Operation } from '../../../src/contract/refusals.ts'
import { endpoints, type Headers, type HttpRequest } from '../../../src/contract/transport.ts'
import { createRandom } from '../../../src/service/cards.ts'
import { builtInCatalogue } from '../../../src/service/catalogue.ts'
import { isAllRun } from '../../support/cases.ts'
import { apiKey, line, openService, orderOf } from '../../support/embedded.ts'
import { startTime } from '../../support/manual-clock.ts'

const seed = process.env.OPENAPI_SEED ?? 'openapi'
const documentedStatuses = [200, 400, 403, 404, 405, 413, 415, 419, 500]

const openDocument = () => {
  const document = JSON.parse(JSON.stringify(createOpenApiDocument(startTime, 'http://127.0.0.1:4010')))
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema(document, 'openapi.json')
  /** `place` is a request body or a response of the operation. */
  return (operation: Operation, place: string, value: unknown): string | undefined => {
    const { method, path: route } = endpoints[operation]
    const content = `/paths/${route.replaceAll('/', '~1')}/${method.toLowerCase()}/${place}/content`
    const validate = ajv.getSchema(`openapi.json#${encodeURI(`${content}/application~1json/schema`)}`)
    if (validate === undefined) return `nothing at ${content}`
    return validate(value) ? undefined : ajv.errorsText(validate.errors)
  }
}

// The document has no undocumented state.
const skus = [...builtInCatalogue().products.keys(), 'NO-SUCH-SKU'].filter((sku) => sku !== 'TEST-ODD-STATE')
const wallets = ['USD', 'EUR', 'GBP', 'JPY', 'AUD', 'CHF']

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

/** Breaks HTTP, or needs a different key. */
const breakCall = (tools: Tools, headers: Headers, hasBody: boolean): Partial<HttpRequest> => {
  const inBody = [
    { headers: { ...headers, 'content-type': 'text/plain' } },
    { body: '{"orderId": ' },
    { body: JSON.stringify({ orderId: 'x'.repeat(70_000) }) },
  ]
  const wrongKey = { headers: { ...headers, 'x-api-key': 'wrong' } }
  return tools.pick([{ method: 'PATCH' }, wrongKey, ...(hasBody ? inBody : [])])
}

test('random requests get documented responses, and what the document forbids is refused', async () => {
  await using service = await openService()
  const findProblem = openDocument()
  const tools = createTools(seed)
  const ids: string[] = []
  const problems: unknown[] = []
  const statuses = new Set<number>()
  for (let sent = 0; sent < (isAllRun ? 1_000 : 300); sent += 1) {
    const advance = tools.pick(['1s', '3s', '2m', '11m'])
    if (tools.isChosen(10)) await service.mock('POST', '/clock', { advance })
    const { operation, body, ...target } = createCall(tools, ids.slice(-8))
    const content = body === undefined ? {} : { body: JSON.stringify(body) }
    const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
    const headers = { 'x-api-key': apiKey, ...type }
    const defect = tools.isChosen(10) ? breakCall(tools, headers, body !== undefined) : {}
    const request = { ...target, headers, ...content, ...defect }
    const { status, body: bytes } = await service.transport(request)
    const response = JSON.parse(Buffer.from(bytes).toString())
    if (operation === 'create' && response.data?.id !== undefined) ids.push(response.data.id)
    statuses.add(status)
    const inResponse = findProblem(operation, `responses/${status}`, response)
    const isAccepted = status === 200 && body !== undefined
    const inRequest = isAccepted ? findProblem(operation, 'requestBody', body) : undefined
    if (inResponse ?? inRequest) problems.push({ request, status, response, inResponse, inRequest })
  }
  expect({ seed, problems }).toEqual({ seed, problems: [] })
  expect([...statuses].sort()).toEqual(documentedStatuses)
})
