// Formats the command that places the same order without the wizard, quoted for a shell. It holds no secrets.
import { formatDecimal } from '../../contract/decimal.ts'
import { formatProduct, type ProductInput } from '../../text/product-flag.ts'
import { quoteShellWord } from '../../text/shell-word.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import type { Draft } from './draft.ts'
import type { CreateOptions } from './options.ts'

export type AnsweredOrder = {
  readonly products: readonly ProductInput[]
  readonly wallet: string | undefined
  /** Undefined if it was generated: a second run needs a new one. */
  readonly reference: string | undefined
}

export const formatCommand = (options: CreateOptions, order: AnsweredOrder, list: Draft['list']): string => {
  const { session, parts, maxTotal } = options
  const option = (name: string, value: string | undefined): string[] =>
    value === undefined ? [] : [name, quoteShellWord(sanitize(value))]
  const only = (name: string, isOn: boolean): string[] => (isOn ? [name] : [])
  return [
    'orderctl create',
    ...order.products.flatMap((product) =>
      option('--product', formatProduct(omitDefaultType(product, list))),
    ),
    ...option('--wallet', order.wallet),
    ...option('--reference', order.reference),
    // The address may hold a token.
    ...(parts.webhookUrl === undefined ? [] : ['--webhook-url "$WEBHOOK_URL"']),
    ...option('--profile', session.profile),
    ...option('--timeout', session.timeoutMs === undefined ? undefined : formatTimeout(session.timeoutMs)),
    ...option('--max-total', maxTotal && formatDecimal(maxTotal)),
    ...only('--allow-http', session.allowHttp),
    ...only('--allow-duplicate', options.allowDuplicate),
    ...only('--dry-run', options.isDryRun),
    ...only('--reveal', options.output.isRevealed),
    ...only('--debug', session.isTraced),
    ...only('--confirm', options.isConfirmed && !options.isWatched),
    ...only('--watch', options.isWatched),
  ].join(' ')
}

/** Without a type that create would choose anyway. */
export const omitDefaultType = (product: ProductInput, list: Draft['list']): ProductInput => {
  const isDefault = product.type === (list?.products.get(product.sku)?.productType ?? 'fixed')
  return isDefault ? { ...product, type: undefined } : product
}

export const formatTimeout = (ms: number): string => (ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`)
