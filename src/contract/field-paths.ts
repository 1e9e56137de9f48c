// The fields of what is printed as JSON, as `--fields` names them. Held against the answers by a test: the schemas
// themselves load zod, and the TAB key cannot wait for that.

const invoice = ['', '.total', '.wallet', '.records', '.paymentMethod', '.status']

export const orderFields: readonly string[] = [
  ...['uid', 'state', 'reference', 'products', 'exchangeRates'],
  ...invoice.map((part) => `invoice${part}`),
  ...['createdDate', 'modifiedDate', 'redeem'],
]

export const createdFields: readonly string[] = [
  ...['id', 'reference', 'exchangeRates'],
  ...invoice.map((part) => `invoice${part}`),
  ...invoice.map((part) => `retailInvoice${part}`),
  'expiresAt',
]
