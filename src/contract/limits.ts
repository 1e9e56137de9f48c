// The limits of order-service.md 8.

export const limits = {
  quantityPerSku: 5,
  skusPerOrder: 5,
  quantityPerOrder: 25,
  /** The usual validity. Each order has its own `expiresAt`. */
  validityMs: 10 * 60 * 1000,
} as const
