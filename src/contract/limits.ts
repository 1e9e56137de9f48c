// The limits of section 8, each once.

export const limits = {
  quantityPerSku: 5,
  skusPerOrder: 5,
  quantityPerOrder: 25,
  /** Normally; each order carries its own `expiresAt`. */
  validityMs: 10 * 60 * 1000,
} as const
