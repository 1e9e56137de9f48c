// The command that buys the products of an order as a batch.
import { formatProduct, type ProductInput } from '../../text/product-flag.ts'
import { quoteShellWord } from '../../text/shell-word.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'

export type BatchCommand = {
  readonly action: 'run' | 'plan'
  readonly file?: string | undefined
  /** Undefined if the products are in the file. */
  readonly products: readonly ProductInput[] | undefined
  readonly wallet: string | undefined
  readonly name: string | undefined
  readonly profile: string | undefined
  readonly timeout?: string | undefined
  readonly maxTotal: string | undefined
  /** Flags without a value. */
  readonly switches?: readonly string[]
}

type Flag = readonly [name: string, value: string | undefined]

const listFlags = ({
  products = [],
  wallet,
  name,
  profile,
  timeout,
  maxTotal,
}: BatchCommand): readonly (readonly [name: string, value: string])[] => {
  const flags: readonly Flag[] = [
    ...products.map((product): Flag => ['--product', formatProduct(product)]),
    ['--wallet', wallet],
    ['--name', name],
    ['--profile', profile],
    ['--timeout', timeout],
    ['--max-total', maxTotal],
  ]
  return flags.flatMap(([flag, value]) => (value === undefined ? [] : [[flag, value] as const]))
}

/** The words after the program's name. */
export const listBatchWords = (command: BatchCommand): readonly string[] => [
  'batch',
  command.action,
  ...(command.file === undefined ? [] : [command.file]),
  ...listFlags(command).flat(),
  ...(command.switches ?? []),
]

/** For a shell. */
export const formatBatchCommand = (command: BatchCommand): string =>
  [
    `orderctl batch ${command.action}`,
    ...(command.file === undefined ? [] : [command.file]),
    ...listFlags(command).map(([flag, value]) => `${flag} ${quoteShellWord(sanitize(value))}`),
    ...(command.switches ?? []),
  ].join(' ')
