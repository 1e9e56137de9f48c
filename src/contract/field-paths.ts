// The field paths that `--fields` accepts. A test compares them with the schemas, which completion would otherwise
// have to load.

const invoice = ['', '.total', '.wallet', '.records', '.paymentMethod', '.status']

export const orderFields: readonly string[] = [
  ...['id', 'uid', 'state', 'reference', 'products', 'exchangeRates'],
  ...invoice.map((part) => `invoice${part}`),
  ...['createdDate', 'modifiedDate', 'redeem', 'money', 'progress', 'decision', 'webhookHost', 'cards'],
]

export const createdFields: readonly string[] = [
  ...['id', 'reference', 'exchangeRates'],
  ...invoice.map((part) => `invoice${part}`),
  ...invoice.map((part) => `retailInvoice${part}`),
  ...['expiresAt', 'webhookHost'],
]
