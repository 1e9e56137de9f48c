// A product catalogue with little money, little stock, and every way to fail.
import { catalogueOf } from './embedded.ts'

const fixed = (sku: string, currency: string, quote: number, more = {}) => ({
  ...{ sku, name: sku, country: 'US', productType: 'fixed', currency, quote },
  ...more,
})

export const scarce = catalogueOf({
  products: [
    fixed('FEW', 'USD', 3, { stock: 4, redeemShape: 'B' }),
    fixed('DEAL', 'EUR', 2.35, { fee: 2.5, discount: 7.5 }),
    fixed('FAIL', 'USD', 1.99, { behaviour: 'fail' }),
    fixed('REJECT', 'USD', 5, { behaviour: 'reject' }),
    fixed('SLOW', 'JPY', 499, { behaviour: 'slow' }),
    fixed('ODD', 'EUR', 1, { behaviour: 'odd-state' }),
  ],
  wallets: [
    { currency: 'USD', balance: 40 },
    { currency: 'EUR', balance: 25.5 },
    { currency: 'JPY', balance: 3_000 },
  ],
  rates: [
    { baseCurrency: 'USD', targetCurrency: 'EUR', rate: 0.922339 },
    { baseCurrency: 'USD', targetCurrency: 'JPY', rate: 149.401 },
    { baseCurrency: 'EUR', targetCurrency: 'USD', rate: 1.0842 },
    { baseCurrency: 'EUR', targetCurrency: 'JPY', rate: 161.98 },
    { baseCurrency: 'JPY', targetCurrency: 'USD', rate: 0.0066934 },
    { baseCurrency: 'JPY', targetCurrency: 'EUR', rate: 0.00617358 },
  ],
})
