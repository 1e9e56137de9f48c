// A created order whose invoice is for something else than what was requested is not a success, and keeps its order id.
import { describe, expect, test } from 'vitest'
import { createdExample } from '../../src/contract/openapi/examples.ts'
import { apiOver, request, responding } from '../support/client-api.ts'
import { line } from '../support/embedded.ts'
import { rowsOf } from '../support/rows.ts'

const order = request([line('GAME-DE', { quantity: 2 })])
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
