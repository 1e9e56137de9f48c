// The rows of the stored journals, as version 1 of orderctl wrote them.
import type { SQLInputValue } from 'node:sqlite'

export type Row = Readonly<Record<string, SQLInputValue>>

const start = Date.UTC(2026, 10, 20, 9)
const minute = 60_000

const shop = { profile: 'shop', origin: 'https://orders.example/v1' }
const environment = { profile: 'environment', origin: 'http://127.0.0.1:8080' }
const sandbox = { profile: 'sandbox', origin: 'sandbox:' }

const requestOf = (reference: string): string =>
  `{"productList":[{"sku":"GAME-US","productType":"fixed","quote":25.50,"quantity":2},{"sku":"COFFEE","productType":"range","quote":0.1,"quantity":1}],"wallet":"USD","reference":"${reference}"}`

export const orders: Row[] = []
export const calls: Row[] = []
export const states: Row[] = []

type Call = readonly [operation: string, outcome: string, settled?: string | null, more?: Row]
type Told = { readonly order: Row; readonly calls: readonly Call[]; readonly states?: readonly string[] }

/** An order with its calls and recorded states. */
const tell = ({ order, calls: made, states: seen = [] }: Told): void => {
  const number = orders.length + 1
  const at = start + number * minute
  const reference = String(order.reference ?? `ref-${number}`)
  orders.push({
    ...{
      number,
      ...shop,
      reference,
      order_id: `ord_${number}`,
      request: requestOf(reference),
      wallet: 'USD',
    },
    ...{ total: '51.10', placed_at: at, changed_at: at + 5_000, expires_at: at + 10 * minute },
    ...order,
  })
  for (const [operation, outcome, settled = null, more] of made) {
    const started = at + calls.length * 10
    const answered = outcome === 'sending' ? null : started + 800
    calls.push({
      ...{ number: calls.length + 1, order_number: number, operation, outcome, settled },
      ...{ status: null, refusal: null, started_at: started, until: started + 45_000, answered_at: answered },
      ...{ settled_at: settled === null ? null : started + 50_000, ...more },
    })
  }
  for (const [index, state] of seen.entries())
    states.push({ order_number: number, state, at: at + index * 1_000 })
}

const created: Call = ['create', 'done']
const confirmed: Call = ['confirm', 'done']
const noId = { order_id: null, total: null, expires_at: null }

tell({ order: { standing: 'created' }, calls: [created] })
tell({ order: { standing: 'created' }, calls: [created, ['confirm', 'not-sent']], states: ['created'] })
tell({
  order: { standing: 'created' },
  calls: [created, ['confirm', 'refused', null, { status: 400, refusal: 'insufficient-funds' }]],
})
tell({ order: { standing: 'created' }, calls: [created, ['confirm', 'unknown', 'no-effect']] })
tell({ order: { standing: 'confirmed' }, calls: [created, confirmed], states: ['confirmed'] })
tell({
  order: { standing: 'processing', ...environment },
  calls: [created, ['confirm', 'unknown', 'took-effect', { status: 502 }]],
  states: ['created', 'processing'],
})
tell({
  order: { standing: 'successful', ...sandbox, total: '3000', wallet: 'JPY' },
  calls: [created, confirmed],
  states: ['confirmed', 'successful'],
})
tell({ order: { standing: 'partial' }, calls: [created, confirmed], states: ['confirmed', 'partial'] })
tell({ order: { standing: 'failed' }, calls: [created, confirmed], states: ['confirmed', 'failed'] })
tell({ order: { standing: 'rejected' }, calls: [created, confirmed], states: ['rejected'] })
tell({
  order: { standing: 'under-review' },
  calls: [created, confirmed],
  states: ['confirmed', 'under-review'],
})
tell({ order: { standing: 'unknown', ...noId }, calls: [['create', 'sending']] })
tell({ order: { standing: 'unknown', ...noId }, calls: [['create', 'unknown', null, { status: 502 }]] })
tell({ order: { standing: 'unknown', total: null, expires_at: null }, calls: [['create', 'unknown']] })
tell({ order: { standing: 'unknown' }, calls: [created, ['confirm', 'sending']] })
tell({
  order: { standing: 'unknown', ...environment },
  calls: [created, ['confirm', 'unknown', null, { status: 504 }]],
})
tell({ order: { standing: 'lapsed' }, calls: [created] })
tell({
  order: { standing: 'lapsed' },
  calls: [created, ['confirm', 'refused', null, { status: 419, refusal: 'expired' }]],
})
tell({ order: { standing: 'lapsed', ...noId }, calls: [['create', 'unknown', 'lapsed']] })
tell({ order: { standing: 'lapsed' }, calls: [created, ['confirm', 'unknown', 'lapsed']] })
tell({
  order: { standing: 'refused', ...noId },
  calls: [['create', 'refused', null, { status: 404, refusal: 'product-not-found' }]],
})
tell({ order: { standing: 'not-sent', ...noId }, calls: [['create', 'not-sent']] })
// An order that was created elsewhere, and one with an intended duplicate reference.
tell({ order: { standing: 'confirmed', request: null, reference: 'from-elsewhere' }, calls: [confirmed] })
tell({ order: { standing: 'confirmed', reference: 'ref-5', duplicate: 1 }, calls: [created, confirmed] })
// The same reference at two spellings of one address, and a reused order id.
tell({
  order: { standing: 'created', ...environment, origin: 'http://localhost:8080', reference: 'ref-6' },
  calls: [created],
})
tell({ order: { standing: 'created', order_id: 'ord_17', reference: 'größe ☕' }, calls: [created] })

export const reveals: Row[] = (['reveal', 'qr', 'export', 'copy'] as const).map((how, index) => ({
  ...{ number: index + 1, ...(index < 2 ? sandbox : shop), order_id: index < 2 ? 'ord_7' : 'ord_8' },
  ...{ skus: '["GAME-US","COFFEE"]', at: start + index * minute, who: 'sam', how },
}))
