// An example order, from its request to its redeem data (order-service.md 4), and the JSON Schema of an order file.

import * as z from 'zod/mini'
import { orderLimits } from '../limits.ts'
import { strictRequest } from '../order/order-request.ts'

const orderId = 'sbx_9k2m7q0w4x8d5t3b'
const sku = 'GAME-DE'

type Timestamp = { readonly _seconds: number; readonly _nanoseconds: number }
const createRates = (modifiedDate: Timestamp) => [
  { targetCurrency: 'USD', baseCurrency: 'EUR', rate: 1.08, modifiedDate },
]

const createItem = (type: string, description: string, amount: number, currency: string, metaData = {}) => ({
  type,
  description,
  effect: { amount, currency },
  metaData,
})

const createInvoice = (at: Timestamp, status: string, fees: object[], euros: number, dollars: number) => {
  const [rate] = createRates(at)
  const exchange = (side: string, amount: number, currency: string) =>
    createItem(`exchange-${side}-currency`, 'EUR to USD at 1.08', amount, currency, rate)
  const main = createItem('main-product', '2 x Quorvane Games 20 EUR', 40, 'EUR', { quantity: 2, quote: 20 })
  const items = [main, ...fees, exchange('base', -euros, 'EUR'), exchange('target', dollars, 'USD')]
  const records = [{ total: { EUR: 0, USD: dollars }, sku, items }]
  return { total: dollars, wallet: 'USD', records, paymentMethod: 'balance', status }
}
const createWalletInvoice = (at: Timestamp, status: string) =>
  createInvoice(at, status, [createItem('fee', 'fee 2.5 %', 1, 'EUR')], 41, 44.28)

export const createExample = {
  productList: [{ sku, productType: 'fixed', quote: 20, quantity: 2 }],
  wallet: 'USD',
  reference: 'PO-1042',
  webhookUrl: 'https://shop.example/orders',
}

export const confirmExample = { orderId }

export const confirmedExample = {
  message: 'Order confirmed successfully.',
  data: { id: orderId, state: 'confirmed' },
}

/** `seconds` is the time of the creation, in seconds since the UNIX epoch. */
export const createCreatedExample = (seconds: number) => {
  const at = { _seconds: seconds, _nanoseconds: 0 }
  return {
    message: 'Order created.',
    data: {
      id: orderId,
      exchangeRates: createRates(at),
      invoice: createWalletInvoice(at, 'unpaid'),
      retailInvoice: createInvoice(at, 'unpaid', [], 40, 43.2),
      expiresAt: seconds * 1000 + orderLimits.validityMs,
    },
  }
}

/** `seconds` is the time of the creation, in seconds since the UNIX epoch. */
export const createOrderExample = (seconds: number) => {
  const at = { _seconds: seconds, _nanoseconds: 0 }
  return {
    message: 'Order retrieved.',
    data: {
      uid: orderId,
      state: 'successful',
      products: { [sku]: productExample },
      exchangeRates: createRates(at),
      invoice: createWalletInvoice(at, 'paid'),
      createdDate: at,
      modifiedDate: { ...at, _seconds: seconds + 40 },
      redeem: {
        [sku]: {
          redeemPin: ['SANDBOX-QV7K-30DM-XH2P-9A5C', 'SANDBOX-QV7K-8T1R-0WJE-6N4B'],
          currency: 'EUR',
          redeemLink: 'https://redeem.example/GAME-DE',
          value: 20,
        },
      },
      reference: createExample.reference,
    },
  }
}

const productExample = {
  sku,
  request: { quote: 20, quantity: 2 },
  customerDeal: {
    dealState: 'ACTIVE',
    fee: { amount: 2.5, adjustmentMode: 'percentage' },
    discount: { amount: 0, adjustmentMode: 'percentage' },
  },
  shopItem: {
    country: 'DE',
    quote: 20,
    name: 'Quorvane Games 20 EUR',
    region: 'local',
    productType: 'fixed',
    baseCurrency: 'EUR',
  },
}

const exampleSeconds = 1_784_894_400
export const createdExample = createCreatedExample(exampleSeconds)
export const orderExample = createOrderExample(exampleSeconds)

/** A complete order file for beginners. */
export const exampleOrderFile = {
  productList: [{ sku: 'GAME-US', productType: 'fixed', quote: 25, quantity: 2 }],
  wallet: 'USD',
  reference: 'my-reference-1',
}

export const createOrderFileSchema = (): Record<string, unknown> => ({
  ...z.toJSONSchema(strictRequest, { io: 'input', unrepresentable: 'any' }),
  title: 'Order',
  description: 'The documented request of POST /order/create.',
})
