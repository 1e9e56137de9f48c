// The limits of order-service.md 8, and the rules for the fields of an order: for requests, rows of a batch and profiles.

export const limits = {
  quantityPerSku: 5,
  skusPerOrder: 5,
  quantityPerOrder: 25,
  /** The usual validity. Each order has its own `expiresAt`. */
  validityMs: 10 * 60 * 1000,
} as const

// Excludes control characters and lone surrogates.
const plain = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]*$/u
// Checked first, because most texts are ASCII.
const ascii = /^[\x20-\x7e]+$/

/** SKUs, product types and references. */
export const isLabel = (text: string): boolean => text.trim() !== '' && (ascii.test(text) || plain.test(text))

export const describeLabel = (what: string): string => `${what}, not empty, without control characters`

/** The allowed values, as in violations. */
export const allowedValues = {
  sku: 'a product identifier',
  productType: 'a product type such as fixed or range',
  quote: 'a number above 0',
  reference: 'a reference of your own',
} as const
