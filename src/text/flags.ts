// How flags and products are written on a command line.

export const productForm = 'SKU:QUOTE[xQUANTITY][/TYPE], such as GAME-US:25x2'

/** Numbers stay text until the whole order is checked, so that one error lists every problem. */
export type ProductInput = {
  readonly sku: string
  readonly quote: string
  readonly quantity: string
  readonly type: string | undefined
}

export const parseProduct = (text: string): ProductInput | undefined => {
  // Read from the right, because a SKU may contain a colon or anything else.
  const form = /^(?<sku>.+):(?<quote>[^:x/]+)(?:x(?<quantity>[^:x/]+))?(?:\/(?<type>[^:/]+))?$/s
  const { sku, quote, quantity = '1', type } = form.exec(text)?.groups ?? {}
  return sku === undefined || quote === undefined ? undefined : { sku, quote, quantity, type }
}

export const formatProduct = ({ sku, quote, quantity, type }: ProductInput): string =>
  `${sku}:${quote}${quantity === '1' ? '' : `x${quantity}`}${type === undefined ? '' : `/${type}`}`

/** `maxTotal` → `--max-total`. */
export const flagName = (key: string): string =>
  `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
