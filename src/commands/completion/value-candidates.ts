// Candidates for values with parts: faults, limits, mapped columns and ways to authenticate.
import { budgetKinds } from '../../contract/calendar/period.ts'
import { findWallets } from './product-candidates.ts'
import { none, type Source } from './source.ts'

/** First the operation, then the kind of the fault. */
export const findFaults: Source = async ({ line: { word } }) => {
  const { operations } = await import('../../contract/endpoints.ts')
  const { faultKinds } = await import('../../service/faults/faults.ts')
  const on = [...operations, 'any'].map((operation) => `${operation}:`)
  const operation = on.find((each) => word.startsWith(each))
  if (operation === undefined) return { candidates: on.map((value) => ({ value })), next: 'nospace' }
  const candidates = Object.entries(faultKinds).map(([kind, { needsValue, summary }]) => ({
    value: `${operation}${kind}${needsValue ? '=' : ''}`,
    description: summary,
  }))
  return { candidates, next: 'nospace' }
}

/** `500USD` gets its periods. Without a currency, it gets the wallets. */
export const findBudgets: Source = async (ask) => {
  const [, amount = '', currency = ''] = /^(\d+(?:\.\d+)?)([A-Z]\w*)?/.exec(ask.line.word) ?? []
  if (amount === '') return { ...none, next: 'nospace' }
  if (/^[A-Z]\w{2,}$/.test(currency) && (ask.line.word.includes('/') || currency.length === 3))
    return { candidates: budgetKinds.map((period) => ({ value: `${amount}${currency}/${period}` })) }
  const held = await findWallets(ask)
  return { candidates: held.map(({ value }) => ({ value: `${amount}${value}/` })), next: 'nospace' }
}

/** `1000` gets its wallets. */
export const findApprovalLimits: Source = async (ask) => {
  const [amount] = /^\d+(?:\.\d+)?/.exec(ask.line.word) ?? []
  if (amount === undefined) return { ...none, next: 'nospace' }
  return { candidates: (await findWallets(ask)).map(({ value }) => ({ value: `${amount}${value}` })) }
}

/** The header of the file is not read: it may be large, or a pipe. */
export const findMappedFields: Source = () => ({
  candidates: ['sku=', 'quote=', 'quantity=', 'productType='].map((value) => ({ value })),
  next: 'nospace',
})

export const findAuthMethods: Source = () => ({
  candidates: [
    { value: 'bearer', description: 'Authorization: Bearer KEY' },
    { value: 'basic', description: 'Authorization: Basic, with KEY in base64' },
    { value: 'header:', description: 'in a header: header:X-Api-Key' },
    { value: 'query:', description: 'in the URL: query:key' },
  ],
})
