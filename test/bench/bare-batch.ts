// The bare loop beside a batch: creates, confirms and gets orders over undici, without a journal or a check. An order
// is read first 250 ms after its confirm, then less and less often, as in a batch. Prints how many were successful.
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'

type Options = { readonly orders: number; readonly atOnce: number; readonly lines: readonly object[] }

const firstIntervalMs = 250
const maxIntervalMs = 10_000
const growth = 1.5

const { orders, atOnce, lines }: Options = JSON.parse(process.argv[2] ?? '')
const pool = new Pool(process.env.ORDERCTL_BASE_URL ?? '', { connections: atOnce })
const headers = {
  authorization: `Bearer ${process.env.ORDERCTL_API_KEY}`,
  'content-type': 'application/json',
}

const call = async (method: string, target: string, content?: object) => {
  const body = content === undefined ? null : JSON.stringify(content)
  const response = await pool.request({ method, path: target, headers, body })
  const text = await response.body.text()
  if (response.statusCode !== 200) throw new Error(`HTTP ${response.statusCode}: ${text}`)
  return JSON.parse(text).data
}

const buy = async (reference: string): Promise<string> => {
  const { id } = await call('POST', '/order/create', { productList: lines, wallet: 'USD', reference })
  await call('PUT', '/order/confirm', { orderId: id })
  for (let intervalMs = firstIntervalMs; ; intervalMs = Math.min(intervalMs * growth, maxIntervalMs)) {
    await sleep(intervalMs)
    const { state } = await call('GET', `/order/get?orderId=${id}`)
    if (state !== 'confirmed' && state !== 'processing') return state
  }
}

let begun = 0
let successful = 0
const work = async (): Promise<void> => {
  while (begun < orders) {
    begun += 1
    if ((await buy(`bare-${begun}`)) === 'successful') successful += 1
  }
}
await Promise.all(Array.from({ length: atOnce }, work))
await pool.close()
console.log(successful)
