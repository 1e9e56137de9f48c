// The limits of order-service.md 8, and the rules for the fields of an order: for requests, rows of a batch and profiles.
// Also the host of a webhook, which screens show and a person accepts. The rest of its address may be a secret.

export const orderLimits = {
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

/** In lower case and ASCII, with its port unless that is the default. Undefined without a webhook. */
export const findWebhookHost = (url: string | undefined): string | undefined => {
  const { hostname, port } = URL.parse(url ?? '') ?? {}
  // The dots at the end of a name make no difference.
  const host = hostname?.replace(/\.+$/, '')
  return host && port ? `${host}:${port}` : host
}

/** As findWebhookHost returns it. Undefined if the text is not only a host. */
export const parseWebhookHost = (text: string): string | undefined =>
  /[\s/\\?#@\p{Cc}]/u.test(text) ? undefined : findWebhookHost(`https://${text}`) || undefined

export const webhookHostForm = 'a host, such as hooks.example.org or hooks.example.org:8443'
