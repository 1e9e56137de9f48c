// The command that an order's answers stand for, to be pasted into a shell. Without what may be a secret.
import { shellWord } from '../../text/shell-word.ts'
import { safeText } from '../../ui/terminal/safe-text.ts'
import type { ProductInput } from '../shared/product-flag.ts'
import type { TypeOf } from './order-input.ts'

/** Those of create that are said again as they were. */
export type RepeatedFlags = {
  readonly profile?: string
  readonly timeout?: string
  readonly allowHttp?: boolean
  readonly debug?: boolean
  readonly webhookUrl?: string
  readonly wallet?: string
  readonly reference?: string
  readonly confirm?: boolean
  readonly watch?: boolean
  readonly maxTotal?: string
  readonly allowDuplicate?: boolean
  readonly dryRun?: boolean
  readonly reveal?: boolean
}

const productWord = ({ sku, quote, quantity, type }: ProductInput, typeOf: TypeOf): string => {
  const isUsual = type === undefined || type === (typeOf(sku) ?? 'fixed')
  return `${sku}:${quote}${quantity === '1' ? '' : `x${quantity}`}${isUsual ? '' : `/${type}`}`
}

export type Ordered = {
  readonly products: readonly ProductInput[]
  readonly wallet: string | undefined
  /** Left out where it was made up: said again it would be taken. */
  readonly reference: string | undefined
}

export const productWords = (products: readonly ProductInput[], typeOf: TypeOf): string[] =>
  products.map((each) => productWord(each, typeOf))

export const commandText = (flags: RepeatedFlags, order: Ordered, typeOf: TypeOf): string => {
  const option = (name: string, value: string | undefined): string[] =>
    value === undefined ? [] : [name, shellWord(safeText(value))]
  const only = (name: string, isOn: boolean | undefined): string[] => (isOn === true ? [name] : [])
  return [
    'orderctl create',
    ...productWords(order.products, typeOf).flatMap((word) => option('--product', word)),
    ...option('--wallet', order.wallet),
    ...option('--reference', order.reference),
    // Its address may hold a token.
    ...(flags.webhookUrl === undefined ? [] : ['--webhook-url "$WEBHOOK_URL"']),
    ...option('--profile', flags.profile),
    ...option('--timeout', flags.timeout),
    ...option('--max-total', flags.maxTotal),
    ...only('--allow-http', flags.allowHttp),
    ...only('--allow-duplicate', flags.allowDuplicate),
    ...only('--dry-run', flags.dryRun),
    ...only('--reveal', flags.reveal),
    ...only('--debug', flags.debug),
    ...only('--confirm', flags.confirm),
    ...only('--watch', flags.watch),
  ].join(' ')
}
