// Undocumented responses: all shapes of an error's body, bodies that look like a success, and another order's invoice.
import { describe, expect, test } from 'vitest'
import { createdExample, orderExample } from '../../src/contract/openapi/examples.ts'
import { apiOver, type Given, request, responding } from '../support/client-api.ts'
import { line } from '../support/embedded.ts'
import { rowsOf } from '../support/rows.ts'

// The client's outcomes for the documented example response.
const order = request([line('GAME-DE', { quantity: 2 })])
const html = { 'content-type': 'text/html' }
const plain = { 'content-type': 'text/plain' }
const { id } = createdExample.data

const created = (response: Given) => apiOver(responding(response).transport).create(order)
const confirmed = (response: Given) => apiOver(responding(response).transport).confirm(id)
const got = (response: Given) => apiOver(responding(response).transport).get(id)

describe('the message of a refusal is found', () => {
  const message = 'The entered quote is not in range'
  const capitals = `${message.toUpperCase()}.`
  const deepAt = (levels: number): object => (levels === 0 ? { message } : { error: deepAt(levels - 1) })
  const listed = (before: number) => ({ errors: [...Array(before).fill({}), { message }] })
  const several = [{ message: 'Bad Request' }, { field: 'quote', message }]

  test.each<[string, unknown, string]>([
    ['in message', { message }, message],
    ['in error', { error: message }, message],
    ['in the message of error', { error: { code: 7, message } }, message],
    ['in errors', { errors: [message] }, message],
    ['in the messages of errors', { errors: several }, message],
    ['in a list of messages', { statusCode: 400, message: [message], error: 'Bad Request' }, message],
    ['in a problem', { type: 'about:blank', title: 'Bad Request', detail: message }, message],
    ['beside an error that says less', { error: 'Bad Request', message }, message],
    ['with a different end and in a different case', { message: ` ${capitals} ` }, capitals],
    ['as a text', message, message],
    ['three levels deep', deepAt(3), message],
    ['but not four levels deep', deepAt(4), ''],
    ['among twenty items', listed(19), message],
    ['but not among more', listed(20), ''],
    ['if it is unknown, beside an error', { error: 'Bad Request', message: 'Too odd' }, 'Too odd'],
    ['if it is unknown, in a problem', { title: 'Bad Request', detail: 'Too odd' }, 'Too odd'],
    ['if there are several unknown messages', { errors: ['First', 'Second'] }, 'First'],
  ])('%s', async (_where, body, found) => {
    expect(await created({ status: 400, body: JSON.stringify(body) })).toEqual({
      ...{ kind: 'refused', status: 400, message: found },
      ...([message, capitals].includes(found) ? { refusal: 'quote-out-of-range' } : {}),
    })
  })
})

test.each<[string, object, string]>([
  [
    'a title',
    { body: '<html><title>502 Bad &amp; Gateway</title><p>nginx' },
    'an HTML page: 502 Bad & Gateway',
  ],
  [
    'no title',
    { body: '<!doctype html><style>p{}</style><script>x</script><h1>Sorry</h1><p>Come back&nbsp;later' },
    'an HTML page',
  ],
  ['a title too far away', { body: `<html>${' '.repeat(20_000)}<title>Late</title>` }, 'an HTML page'],
  ['a different type', { headers: plain, body: '\n<!DOCTYPE html><title>No' }, 'an HTML page: No'],
])("a proxy's page with %s is shown as text and proves nothing", async (_name, response, reason) => {
  for (const status of [404, 408, 409, 419, 500, 502, 503]) {
    const outcome = await confirmed({ status, headers: html, ...response })
    expect(outcome).toEqual({ kind: 'unknown', status, reason: `HTTP ${status}: ${reason}` })
  }
  expect(await got({ status: 404, headers: html, ...response })).toMatchObject({
    kind: 'unknown',
    status: 404,
  })
})

const { data: response } = createdExample
const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
const text = JSON.stringify(createdExample)
const notAsDocumented = (what: string) => `HTTP 200: the response is not as documented: ${what}`

/** A body, or a change of the documented response: `what → with what`. */
const bodyOf = (change = ''): string => {
  const [, what, replacement] = /^(.*) → (.*)$/.exec(change) ?? []
  return what === undefined ? change : text.replaceAll(what, replacement ?? '')
}

test.each([
  ...rowsOf(`
    nothing | | an empty response
    a negative total | "total":44.28 → "total":-1 \
      | WRONG: data.invoice.total is wrong (allowed: a total that is not negative)
    an empty id | "id":"${id}" → "id":" " | the response has no usable order id
    the id @last, which names another order | ${id} → @last | the response has no usable order id
  `),
  [
    'much that is wrong',
    '{"data":{"invoice":{},"retailInvoice":{}}}',
    /: [^;]+; [^;]+; [^;]+; and \d+ more$/,
  ],
  ['a number without bounds', bodyOf('44.28 → 1e999'), /contains a number out of range/],
  [
    'a key twice',
    bodyOf('"expiresAt" → "id":"CANARY","expiresAt"'),
    /a key twice in one object, at line 1, column \d+$/,
  ],
  ['33 levels', bodyOf(`"expiresAt" → "x":${deep(31)},"expiresAt"`), /deeper than 32/],
  ['bytes that are no text', Uint8Array.of(0x7b, 0xff, 0x7d), 'the response is not UTF-8 text'],
] as [string, string | Uint8Array, string | RegExp][])(
  'a success with %s proves nothing',
  async (_, body, reason) => {
    const said =
      typeof reason === 'string' ? reason.replace('WRONG', 'the response is not as documented') : reason
    const outcome = await created({ body: typeof body === 'string' ? bodyOf(body) : body })
    expect(outcome).toMatchObject({
      ...{ kind: 'unknown', status: 200 },
      reason: typeof said === 'string' ? `HTTP 200: ${said}` : expect.stringMatching(said),
    })
    expect(JSON.stringify(outcome)).not.toContain('CANARY')
  },
)

describe('an invalid response with an order id says that the order was created', () => {
  const bytes = Buffer.from(text)
  const cut = (length: number) => text.slice(0, length)
  const wrongBodies: [string, string | Uint8Array][] = [
    ['a bad invoice', bodyOf('"total":44.28 → "total":"x"')],
    ['no message', JSON.stringify({ data: response })],
    ['nothing but the id', JSON.stringify({ data: { id } })],
    ['a different wallet', text.replace('"wallet":"USD"', '"wallet":"EUR"')],
    ['other products', text.replaceAll('GAME-DE', 'GAME-US')],
    ['a different total', text.replace('"total":44.28', '"total":495')],
    ['a key twice', text.replace('"expiresAt"', '"invoice":{},"expiresAt"')],
    ['a number out of bounds', text.replace('44.28', '1e400')],
    ['half of it', cut(900)],
    ['more than it', `${text}{}`],
    ['a byte order mark in front, and half of it', `\ufeff${cut(900)}`],
    ['a line in front', `\n${cut(900)}`],
    ['bytes that are no text', Buffer.concat([bytes, Buffer.of(0xff)])],
    ['too many levels', text.replace('"expiresAt"', `"x":${deep(99)},"expiresAt"`)],
  ]
  const types = ['application/json', 'text/html', 'text/plain', 'application/octet-stream']
  const noId = expect.not.objectContaining({ orderId: expect.anything() })

  test.each(wrongBodies)('%s', async (_name, body) => {
    for (const headers of [...types.map((type) => ({ 'content-type': type })), {}])
      for (const status of [200, 201, 202, 206, 299])
        expect(await created({ status, headers, body })).toMatchObject({
          kind: 'unknown',
          status,
          orderId: id,
        })
  })

  test('a body that is shorter than its content-length', async () => {
    const headers = { 'content-type': 'application/json', 'content-length': String(text.length + 1) }
    expect(await created({ headers, body: text })).toEqual({
      kind: 'unknown',
      status: 200,
      reason: 'HTTP 200: the response is cut off',
      orderId: id,
    })
    const exact = { ...headers, 'content-length': String(text.length) }
    expect(await created({ headers: exact, body: text })).toMatchObject({ kind: 'done' })
  })

  test.each(['', ' '])('the blank id %j does not count', async (named) => {
    expect(await created({ body: JSON.stringify({ data: { id: named } }) })).toEqual(noId)
  })

  test('a valid response is done with any success status', async () => {
    for (const status of [200, 201, 202, 299])
      expect(await created({ status, body: text })).toMatchObject({ kind: 'done', data: { id } })
  })

  test.each(wrongBodies)(
    'also with an error, but not if it refuses before acting: %s',
    async (name, body) => {
      const refusing = name === 'nothing but the id' ? [] : [404, 409]
      for (const status of [300, 302, 304, ...refusing, 500, 502])
        expect(await created({ status, body })).toMatchObject({ kind: 'unknown', status, orderId: id })
      for (const status of [400, 401, 403, 429]) expect(await created({ status, body })).toEqual(noId)
      expect([await confirmed({ body }), await got({ body })]).toEqual([noId, noId])
    },
  )

  test.each([
    [404, '{"message":"Product not found","data":{"id":"GAME-US"}}'],
    [502, '{"error":{"id":"trace-9f2",'],
    [200, '{"data":{"products":[{"id":"prod_1"}]'],
  ])('the id of something else is none, with %s: %s', async (status, body) => {
    expect(await created({ status, body })).toEqual(noId)
  })

  test('JSON with the content type of a page keeps it, but the id in a real page may belong to anything', async () => {
    expect(await created({ headers: html, body: text })).toMatchObject({ kind: 'unknown', orderId: id })
    expect(await created({ headers: html, body: `<script>${text}</script>` })).toEqual(noId)
  })
})

test.each<[number, string | undefined, string]>([
  [302, '/login', 'redirected elsewhere; orderctl does not follow redirects'],
  [
    302,
    'https://elsewhere.test/login?key=secret',
    'redirected to https://elsewhere.test; orderctl does not follow redirects',
  ],
  [304, undefined, 'a response that is not documented'],
])('the status %i with the location %s is: %s', async (status, location, reason) => {
  const headers: Record<string, string> = location === undefined ? {} : { location }
  expect(await got({ status, headers })).toMatchObject({ reason: `HTTP ${status}: ${reason}` })
})

test('the text of a success is not shown, because it may hold codes', async () => {
  const bodies: [Record<string, string>, string, string][] = [
    [plain, 'Your PIN: 4711', 'a response that is not JSON'],
    [html, '<html><p>Your PIN: 4711', 'an HTML page'],
    [html, '<html><title>Shop</title><p>Your PIN: 4711', 'an HTML page: Shop'],
  ]
  for (const [headers, body, reason] of bodies)
    expect(await created({ headers, body })).toMatchObject({ reason: `HTTP 200: ${reason}` })
  // The text of an error is.
  expect(await created({ status: 503, headers: plain, body: 'Down' })).toMatchObject({
    reason: 'HTTP 503: Down',
  })
})

describe('a message of the service is shown without codes', () => {
  const said =
    'Card QV7K-30DM-XH2P-9A5C of GAME-DE-20EUR-2027 (sbx_9k2m7q0w4x8d5t3b) was used on 2026-11-20. Its PIN was 4711.'
  const wanted = 'Card •••• of •••• (sbx_9k2m7q0w4x8d5t3b) was used on 2026-11-20. Its PIN was ••••.'

  test('in a refusal, an error and a page, except texts of the request', async () => {
    const outcomes = [
      await confirmed({ status: 400, body: JSON.stringify({ message: said }) }),
      await confirmed({ status: 403, headers: plain, body: said }),
      await confirmed({ status: 503, headers: plain, body: said }),
      await confirmed({ status: 200, headers: html, body: `<title>${said}</title>` }),
      await got({ status: 502, headers: html, body: `<html><title>${said}` }),
    ]
    for (const outcome of outcomes) expect(JSON.stringify(outcome)).toContain(wanted)
    const sku = 'GAME-DE-20EUR-2027'
    const { transport } = responding({ status: 400, body: JSON.stringify({ error: said }) })
    const sent = request([line(sku)], { reference: 'sbx_9k2m7q0w4x8d5t3b' })
    expect(await apiOver(transport).create(sent)).toMatchObject({
      message: wanted.replace('of ••••', `of ${sku}`),
    })
  })

  const spelled = ['&#45;', '%2D', '<b>-</b>', '\u200b-'].map((dash) => `QV7K${dash}30DM-XH2P-9A5C`)

  test.each(spelled)('even if it is written as %s', async (written) => {
    const body = JSON.stringify({ message: `Card ${written} was used.` })
    expect(await confirmed({ status: 400, body })).toMatchObject({ message: 'Card •••• was used.' })
  })

  test.each(['The entered quote is not in range', 'UNAUTHORIZED_ACCESS: INTERNAL_SERVER_ERROR'])(
    'and %s is none',
    async (message) => {
      expect(await created({ status: 400, body: JSON.stringify({ message }) })).toMatchObject({ message })
    },
  )
})

const keysOfTotal = 'an object whose keys are different currency codes'

test.each<[string, string, string]>([
  ['products', 'GAME-DE', 'data.products["…"] is wrong (allowed: an object)'],
  ['total', 'EUR', `data.invoice.records[0].total is wrong (allowed: ${keysOfTotal})`],
])('the description of an invalid response omits a key of %s', async (name, below, reason) => {
  const changed = `"${name}":{"CANARY-1":[],"${below}":`
  const body = JSON.stringify(orderExample).replace(`"${name}":{"${below}":`, changed)
  expect(await got({ body })).toEqual({ kind: 'unknown', status: 200, reason: notAsDocumented(reason) })
})

test('a confirm that does not say confirmed is not a success', async () => {
  const data = { id, state: 'created' }
  expect(await confirmed({ body: JSON.stringify({ message: '', data }) })).toMatchObject({
    ...{ kind: 'unknown', reason: 'HTTP 200: the response does not say confirmed' },
  })
})

const both = request([line('GAME-DE', { quantity: 2 }), 'GAME-US'])

const { data } = createdExample
const [record] = data.invoice.records
if (record === undefined) throw new Error('the example has a record')

const item = (metaData: object, type = 'main-product') => ({ ...record.items[0], type, metaData })
const withItems = (...items: object[]) => ({ ...record, items })
const another = { ...record, sku: 'GAME-US', items: [item({ quantity: 1, quote: 25 })] }

const responded = (invoice: object, sent = order) => {
  const changed = { ...data, invoice: { ...data.invoice, ...invoice } }
  return apiOver(responding({ body: JSON.stringify({ message: '', data: changed }) }).transport).create(sent)
}
const doubt = (difference: string) => ({
  ...{ kind: 'unknown', status: 200, reason: `HTTP 200: the response is an invoice ${difference}` },
  ...{ orderId: data.id, expiresAt: data.expiresAt },
})

test.each<[string, unknown[]]>([
  ['no items', [withItems()]],
  ['no meta data', [withItems(item({}))]],
  ['the same written otherwise', [withItems(item({ quantity: 2, quote: 20.0 }))]],
  ['a different item', [withItems(item({ quantity: 1, quote: 1 }, 'fee'))]],
])('%s is no difference', async (_, records) => {
  expect(await responded({ records })).toMatchObject({ kind: 'done' })
})

const many = ['A', 'B', 'C', 'D', 'E', 'F', 'G'].map((sku) => ({ ...record, sku }))
const second = withItems(item({ quote: 20 }), item({ quote: 0.5 }))

test.each<[string, unknown[], string]>([
  ['no records', [], 'without GAME-DE'],
  ['a different SKU', [another], 'without GAME-DE and with GAME-US, not ordered'],
  ['one SKU more', [record, another], 'with GAME-US, not ordered'],
  ['the SKU twice', [record, record], 'with two records for one SKU'],
  ['many SKUs', [record, ...many], 'with A, B, C, D, E, 2 more, not ordered'],
  ['another quantity', [withItems(item({ quantity: 3, quote: 20 }))], 'for 3 × GAME-DE, not for 2'],
  ['a different quote', [withItems(item({ quote: 25 }))], 'for GAME-DE at 25, not at 20'],
  ['another quote in a second item', [second], 'for GAME-DE at 0.5, not at 20'],
])('%s is a difference', async (_, records, difference) => {
  expect(await responded({ records })).toEqual(doubt(difference))
})

test('each of two products is compared', async () => {
  expect(await responded({}, both)).toEqual(doubt('without GAME-US'))
  const records = [record, { ...another, total: { USD: 0 } }]
  expect(await responded({ records }, both)).toMatchObject({ kind: 'done' })
  const otherQuote = { ...another, items: [item({ quote: 20 })] }
  expect(await responded({ records: [record, otherQuote] }, both)).toEqual(
    doubt('for GAME-US at 20, not at 25'),
  )
})

test('another wallet is a difference, and only the first difference is reported', async () => {
  expect(await responded({ wallet: 'EUR' })).toEqual(doubt('in EUR, not in USD'))
  expect(await responded({ wallet: 'EUR', records: [], total: 1 })).toEqual(doubt('in EUR, not in USD'))
  const long = await responded({ wallet: `x\n${'y '.repeat(9_999)}` })
  const reason = expect.stringContaining('data.invoice.wallet is wrong')
  expect(long).toMatchObject({ kind: 'unknown', reason })
  expect(JSON.stringify(long).length).toBeLessThan(500)
})

describe('the total is that of the records', () => {
  // The wallet, the total, the totals of the record, and the difference. Less than a minor unit of the wallet is none.
  test.each(
    rowsOf(`
      USD | 44.29   | {"USD": 44.28}            | of 44.29 USD, but its records add up to 44.28 USD
      USD | 495     | {"USD": 25, "EUR": 470}   | of 495.00 USD, but its records add up to 25.00 USD
      USD | 44.28   | {"EUR": 44.28}            | of 44.28 USD, but its records add up to 0.00 USD
      USD | 44.28   | {}                        | of 44.28 USD, but its records add up to 0.00 USD
      USD | 0       | {"USD": 0.01}             | of 0.00 USD, but its records add up to 0.01 USD
      USD | 44.285  | {"USD": 44.284}           | of 44.285 USD, but its records add up to 44.284 USD
      USD | 44.28   | {"USD": 44.2849}
      USD | 44.28   | {"USD": 44.275}
      USD | 44.2849 | {"USD": 44.28}
      USD | 0       | {"USD": 0.0049}
      USD | 0       | {"USD": 0}
      JPY | 44      | {"JPY": 44.4, "USD": 44}
      JPY | 44      | {"JPY": 45, "USD": 44}    | of 44 JPY, but its records add up to 45 JPY
      KWD | 44.28   | {"KWD": 44.2804, "USD": 44.28}
      KWD | 44.28   | {"KWD": 44.281, "USD": 44.28} | of 44.280 KWD, but its records add up to 44.281 KWD
    `),
  )('%s: %s and %s', async (wallet = '', total, totals = '', difference) => {
    const records = [{ ...record, total: JSON.parse(totals) }]
    const outcome = await responded({ wallet, total: Number(total), records }, { ...order, wallet })
    expect(outcome).toMatchObject(difference === undefined ? { kind: 'done' } : doubt(difference))
  })

  test('which are added before they are rounded', async () => {
    const total = { USD: 0.004 }
    const records = [
      { ...record, total },
      { ...another, total },
    ]
    expect(await responded({ total: 0.01, records }, both)).toMatchObject({ kind: 'done' })
    expect(await responded({ total: 0, records }, both)).toEqual(
      doubt('of 0.00 USD, but its records add up to 0.008 USD'),
    )
  })
})
