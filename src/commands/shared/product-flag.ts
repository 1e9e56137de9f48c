// The value of --product, as in GAME-US:25x2.
export const productForm = 'SKU:QUOTE[xQUANTITY][/TYPE], as in GAME-US:25x2'

export type ProductInput = {
  readonly sku: string
  readonly quote: string
  readonly quantity: string
  readonly type: string | undefined
}

export const readProduct = (text: string): ProductInput | undefined => {
  // From the right: a SKU may hold a colon, or anything else.
  const form = /^(?<sku>.+):(?<quote>[^:x/]+)(?:x(?<quantity>[^:x/]+))?(?:\/(?<type>[^:/]+))?$/s
  const { sku, quote, quantity = '1', type } = form.exec(text)?.groups ?? {}
  return sku === undefined || quote === undefined ? undefined : { sku, quote, quantity, type }
}
