// Answers as nobody documents them: every shape of an error's body, and every way in which a success is none.
import { describe, expect, test } from 'vitest'
import { decimalText } from '../../src/contract/decimal.ts'
import { readJson, writeJson } from '../../src/contract/json.ts'
import { confirmedExample, createdExample, gotExample } from '../../src/contract/openapi-examples.ts'
import { answering, apiOver, brief, type Given, request } from '../support/client-api.ts'
import { line } from '../support/embedded.ts'

// What the example of an answer answers.
const order = request([line('GAME-DE', { quantity: 2 })])
const html = { 'content-type': 'text/html' }
const plain = { 'content-type': 'text/plain' }
const { id } = createdExample.data

const created = (answer: Given) => apiOver(answering(answer).transport).create(order)
const confirmed = (answer: Given) => apiOver(answering(answer).transport).confirm(id)
const got = (answer: Given) => apiOver(answering(answer).transport).get(id)

describe('the words of a refusal are found', () => {
  const message = 'The entered quote is not in range'
  const found = { kind: 'refused', status: 400, message, refusal: 'quote-out-of-range' }
  test.each<[string, unknown]>([
    ['in message', { message }],
    ['in error', { error: message }],
    ['in the message of error', { error: { code: 7, message } }],
    ['in errors', { errors: [message] }],
    ['in the messages of errors', { errors: [{ message: 'Bad Request' }, { field: 'quote', message }] }],
    ['in a list of messages', { statusCode: 400, message: [message], error: 'Bad Request' }],
    ['in a problem', { type: 'about:blank', title: 'Bad Request', detail: message }],
    ['beside an error that says less', { error: 'Bad Request', message }],
    ['with another end and in another case', { message: ` ${message.toUpperCase()}. ` }],
    ['as a text', message],
  ])('%s', async (_where, body) => {
    const outcome = await created({ status: 400, body: JSON.stringify(body) })
    expect({ ...outcome, message: (outcome as typeof found).message.replace(/\.$/, '') }).toEqual({
      ...found,
      message: expect.stringMatching(new RegExp(`^${message}$`, 'i')),
    })
  })

  test('in plain text, whatever it is called', async () => {
    expect(await created({ status: 400, headers: plain, body: `${message}\n` })).toEqual(found)
    expect(await created({ status: 400, headers: {}, body: message })).toEqual(found)
  })

  test('and kept short, where nobody knows them', async () => {
    const outcome = await created({ status: 400, headers: plain, body: 'Long\n words '.repeat(1_000) })
    expect(outcome).toEqual({
      kind: 'refused',
      status: 400,
      message: expect.stringMatching(/^Long words .*…$/),
    })
    expect(JSON.stringify(outcome).length).toBeLessThan(400)
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
    'an HTML page: Sorry Come back later',
  ],
  ['another type', { headers: plain, body: '\n<!DOCTYPE html><b>No</b>' }, 'an HTML page: No'],
])("a proxy's page with %s is shown as text and proves nothing", async (_name, answer, reason) => {
  for (const status of [404, 408, 409, 419, 500, 502, 503]) {
    const outcome = await confirmed({ status, headers: html, ...answer })
    expect(outcome).toEqual({ kind: 'unknown', status, reason: `HTTP ${status}: ${reason}` })
  }
  expect(await got({ status: 404, headers: html, ...answer })).toMatchObject({ kind: 'unknown', status: 404 })
})

describe('a status that refuses before acting is a refusal, whatever the body', () => {
  const bodies: [string, Given][] = [
    ['a page', { headers: html, body: '<html><title>No</title>' }],
    ['plain text', { headers: plain, body: 'No' }],
    ['JSON', { body: '{"message":"No"}' }],
  ]
  test.each(bodies)('%s', async (_name, body) => {
    for (const status of [400, 405, 413, 415, 421, 426, 429, 431]) {
      const refused = { kind: 'refused', status, message: 'No' }
      expect(await created({ status, ...body })).toEqual(refused)
      expect(await confirmed({ status, ...body })).toEqual(refused)
    }
    for (const status of [401, 403]) {
      const refused = { kind: 'refused', status, message: 'No', refusal: 'credentials' }
      expect(await created({ status, ...body })).toEqual(refused)
      expect(await confirmed({ status, ...body })).toEqual(refused)
      expect(await got({ status, ...body })).toEqual(refused)
    }
  })

  test('that is cut off, without its words', async () => {
    for (const status of [400, 413, 429])
      expect(await created({ status, body: '{"message":"N' })).toEqual({
        kind: 'refused',
        status,
        message: '',
      })
  })

  test('but a get that is answered so is not known to be refused', async () => {
    for (const status of [405, 413, 415, 421, 426, 429, 431])
      expect(await got({ status, body: '{"message":"No"}' })).toMatchObject({ kind: 'unknown', status })
    expect(await got({ status: 400, headers: html, body: 'No' })).toMatchObject({ kind: 'unknown' })
  })
})

const { data: answer } = createdExample
const withTotal = (total: unknown) => ({ ...answer, invoice: { ...answer.invoice, total } })
const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
const text = JSON.stringify(createdExample)
const notAsDocumented = (what: string) => `HTTP 200: the answer is not as documented: ${what}`

test.each<[string, string | Uint8Array, string]>([
  ['nothing', '', 'HTTP 200: an empty answer'],
  ['null', 'null', notAsDocumented('the document is wrong (allowed: an object)')],
  ['no data', '{"message":"ok"}', notAsDocumented('data is missing (allowed: an object)')],
  [
    'a field of another type',
    JSON.stringify({ message: '', data: withTotal('CANARY') }),
    notAsDocumented('data.invoice.total is wrong (allowed: a number)'),
  ],
  [
    'a negative total',
    JSON.stringify({ message: '', data: withTotal(-1) }),
    notAsDocumented('data.invoice.total is wrong (allowed: a total that is not negative)'),
  ],
  [
    'much that is wrong',
    '{"data":{"invoice":{},"retailInvoice":{}}}',
    expect.stringMatching(/; and \d+ more$/),
  ],
  [
    'an empty id',
    JSON.stringify({ message: '', data: { ...answer, id: ' ' } }),
    'HTTP 200: the answer names no order',
  ],
  [
    'a number without bounds',
    text.replace('44.28', '1e999'),
    expect.stringContaining('has a number out of bounds'),
  ],
  [
    'a key twice',
    text.replace('"expiresAt"', '"id":"CANARY","expiresAt"'),
    expect.stringMatching(/has a key twice in one object, at line 1, column \d+$/),
  ],
  ['half of it', text.slice(0, 400), expect.stringContaining('is not valid JSON')],
  ['more than it', `${text}{}`, expect.stringContaining('is not valid JSON')],
  [
    '33 levels',
    text.replace('"expiresAt"', `"x":${deep(31)},"expiresAt"`),
    expect.stringContaining('deeper than 32'),
  ],
  ['bytes that are no text', Uint8Array.of(0x7b, 0xff, 0x7d), 'HTTP 200: the answer is not UTF-8 text'],
])('a success with %s proves nothing', async (_name, body, reason) => {
  const outcome = await created({ body })
  expect(outcome).toMatchObject({ kind: 'unknown', status: 200, reason })
  expect(JSON.stringify(outcome)).not.toContain('CANARY')
})

test.each<[string, string]>([
  ['is not as documented', JSON.stringify({ message: '', data: withTotal(-1) })],
  ['is cut off', text.slice(0, 900)],
  ['has a key twice', text.replace('"expiresAt"', '"invoice":{},"expiresAt"')],
  ['has a number out of bounds', text.replace('44.28', '1e400')],
])('a success that %s still names its order', async (_name, body) => {
  expect(await created({ body })).toMatchObject({ kind: 'unknown', status: 200, orderId: id })
  // A refusal creates none.
  expect(await created({ status: 400, body })).not.toHaveProperty('orderId')
})

test('an answer that is called a page, and is none, still names its order', async () => {
  expect(await created({ headers: html, body: text })).toMatchObject({ kind: 'unknown', orderId: id })
  // Of a real page nobody knows whose id that is.
  expect(await created({ headers: html, body: `<script>${text}</script>` })).not.toHaveProperty('orderId')
})

test('a status below 400 is a redirect where it says where to, and else it is not documented', async () => {
  const reasons = [
    await got({ status: 302, headers: { location: '/login' } }),
    await got({ status: 302, headers: { location: 'https://elsewhere.test/login' } }),
    await got({ status: 304 }),
  ]
  expect(reasons).toMatchObject([
    { reason: 'HTTP 302: redirected elsewhere, which is not followed' },
    { reason: 'HTTP 302: redirected to https://elsewhere.test, which is not followed' },
    { reason: 'HTTP 304: an answer that is not documented' },
  ])
})

describe('what the service says is shown without codes', () => {
  const said = 'Card QV7K-30DM-XH2P-9A5C of GAME-DE-20EUR-2027 (ord_9k2m7q0w4x8d5t3b) was used on 2026-11-20.'
  const wanted = 'Card •••• of •••• (ord_9k2m7q0w4x8d5t3b) was used on 2026-11-20.'

  test('in a refusal, in an error and in a page, but for what was sent', async () => {
    const outcomes = [
      await confirmed({ status: 400, body: JSON.stringify({ message: said }) }),
      await confirmed({ status: 403, headers: plain, body: said }),
      await confirmed({ status: 503, headers: plain, body: said }),
      await confirmed({ status: 200, headers: html, body: `<title>${said}</title>` }),
      await got({ status: 502, headers: html, body: `<html><p>${said}` }),
    ]
    for (const outcome of outcomes) expect(JSON.stringify(outcome)).toContain(wanted)
    const sku = 'GAME-DE-20EUR-2027'
    const { transport } = answering({ status: 400, body: JSON.stringify({ error: said }) })
    const sent = request([line(sku)], { reference: 'ord_9k2m7q0w4x8d5t3b' })
    expect(await apiOver(transport).create(sent)).toMatchObject({
      message: wanted.replace('of ••••', `of ${sku}`),
    })
  })

  test.each(['The entered quote is not in range', 'UNAUTHORIZED_ACCESS: INTERNAL_SERVER_ERROR'])(
    'and %s is none',
    async (message) => {
      expect(await created({ status: 400, body: JSON.stringify({ message }) })).toMatchObject({ message })
    },
  )
})

test('of what is wrong with an answer no key is told that the service chose', async () => {
  const change = (name: string, below: string) =>
    got({
      body: JSON.stringify(gotExample).replace(
        `"${name}":{"${below}":`,
        `"${name}":{"CANARY-1":[],"${below}":`,
      ),
    })
  expect([await change('products', 'GAME-DE'), await change('total', 'EUR')]).toEqual([
    {
      kind: 'unknown',
      status: 200,
      reason: notAsDocumented('data.products["…"] is wrong (allowed: an object)'),
    },
    {
      kind: 'unknown',
      status: 200,
      reason: notAsDocumented('data.invoice.records[0].total["…"] is wrong (allowed: a number)'),
    },
  ])
})

describe('an invoice for something else is no success, and names its order', () => {
  const [record] = answer.invoice.records
  if (record === undefined) throw new Error('the example has a record')
  const withRecords = (records: unknown[]) => ({ ...answer, invoice: { ...answer.invoice, records } })
  const item = (metaData: object, type = 'main-product') => ({ ...record.items[0], type, metaData })
  const otherProducts = 'HTTP 200: the answer is an invoice for other products'
  const otherAmounts = 'HTTP 200: the answer is an invoice for another quote or quantity'

  test.each<[string, unknown[], string | undefined]>([
    ['no records', [], undefined],
    ['no items', [{ ...record, items: [] }], undefined],
    ['no meta data', [{ ...record, items: [item({})] }], undefined],
    ['the same written otherwise', [{ ...record, items: [item({ quantity: 2, quote: 20.0 })] }], undefined],
    ['another item', [{ ...record, items: [item({ quantity: 1, quote: 1 }, 'fee')] }], undefined],
    ['another SKU', [{ ...record, sku: 'GAME-US' }], otherProducts],
    ['one SKU more', [record, { ...record, sku: 'GAME-US' }], otherProducts],
    ['the SKU twice', [record, record], otherProducts],
    ['another quantity', [{ ...record, items: [item({ quantity: 3, quote: 20 })] }], otherAmounts],
    ['another quote', [{ ...record, items: [item({ quote: 25 })] }], otherAmounts],
  ])('%s', async (_, records, reason) => {
    const outcome = await created({ body: JSON.stringify({ message: '', data: withRecords(records) }) })
    expect(outcome).toMatchObject(
      reason === undefined ? { kind: 'done' } : { kind: 'unknown', status: 200, reason, orderId: id },
    )
  })
})

test('an answer about something else is no success', async () => {
  const confirmation = (data: object) => confirmed({ body: JSON.stringify({ message: '', data }) })
  expect([
    await confirmed({ body: JSON.stringify(confirmedExample) }),
    await confirmation({ id: 'ord_other', state: 'confirmed' }),
    await confirmation({ id, state: 'created' }),
    await got({ body: JSON.stringify(gotExample) }),
    await got({ body: JSON.stringify({ ...gotExample, data: { ...gotExample.data, uid: 'ord_other' } }) }),
  ]).toMatchObject([
    { kind: 'done' },
    { kind: 'unknown', reason: 'HTTP 200: the answer is about another order' },
    { kind: 'unknown', reason: 'HTTP 200: the answer does not say confirmed' },
    { kind: 'done' },
    { kind: 'unknown', reason: 'HTTP 200: the answer is about another order' },
  ])
})

test('unknown fields, states and exact decimals are kept', async () => {
  const own = '"state":"delivered","added":{"fee":0.1000000000000000055511151231257827}'
  const outcome = await got({ body: JSON.stringify(gotExample).replace('"state":"successful"', own) })
  if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome))
  expect(outcome.data.state).toBe('delivered')
  const { fee } = outcome.data.added as { fee: never }
  expect(decimalText(fee)).toBe('0.1000000000000000055511151231257827')
})

test('an unknown field called __proto__ is kept, at every depth', async () => {
  const own = '"__proto__":{"a":[1]}'
  const body = JSON.stringify(gotExample)
    .replace('"uid"', `${own},"uid"`)
    .replace('"dealState"', `${own},"dealState"`)
    .replace('"_seconds"', `${own},"_seconds"`)
  const outcome = await got({ body })
  if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome))
  expect(readJson(writeJson(outcome.data))).toEqual((readJson(body) as { data: unknown }).data)
  expect(writeJson(outcome.data).split(own)).toHaveLength(4)
  expect(Object.getPrototypeOf(outcome.data)).toBe(Object.prototype)
})

test('but not as an amount that nobody judged', async () => {
  const outcome = await got({
    body: JSON.stringify(gotExample).replace('"total":{', '"total":{"__proto__":"x",'),
  })
  expect(writeJson(outcome)).not.toContain('__proto__')
})

test('redeem data in a shape of its own does not hide a paid order', async () => {
  const redeem = { 'GAME-DE': { cards: [{ redeemCardCode: 'C' }], voucher: 'CANARY' } }
  const outcome = await got({ body: JSON.stringify({ ...gotExample, data: { ...gotExample.data, redeem } }) })
  if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome))
  expect(outcome.data.redeem).toEqual(new Map(Object.entries(redeem)))
})

test('the time of the service is passed on, whatever the outcome', async () => {
  const headers = { 'content-type': 'application/json', date: 'Fri, 24 Jul 2026 12:00:00 GMT' }
  const bodies = [JSON.stringify(createdExample), '{}']
  const outcomes = [
    ...(await Promise.all(bodies.map((body) => created({ headers, body })))),
    await created({ headers, status: 400, body: '{"message":"no"}' }),
  ]
  expect(outcomes.map((outcome) => [brief(outcome), outcome.serverTime])).toEqual([
    ['done', 1_784_894_400_000],
    ['unknown 200', 1_784_894_400_000],
    ['refused 400 -', 1_784_894_400_000],
  ])
})
