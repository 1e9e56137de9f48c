// What redeem is asked for: one of what it can do, and no flag that has no part in it.
import type { Context } from '../context.ts'
import type { Card } from '../contract/redeem-cards.ts'
import type { Order } from '../contract/schemas.ts'
import type { Reveal } from '../journal/reveals.ts'
import type { View } from '../ui/view.ts'
import { type ExportForm, exportEndings, exportForm } from './export-forms.ts'
import { flagReader } from './flags.ts'
import type { SessionFlags } from './session.ts'
import type { ShowFlags, Shown } from './show.ts'

export const kinds = ['pin', 'code', 'link', 'serial'] as const
export type Kind = (typeof kinds)[number]

export type RedeemFlags = SessionFlags &
  ShowFlags & {
    readonly sku?: readonly string[]
    readonly only?: string
    readonly export?: string
    readonly force?: boolean
  }

export type ExportFile = { readonly name: string; readonly form: ExportForm; readonly force: boolean }

export type Wanted = {
  readonly only: Kind | undefined
  readonly reveal: boolean
  readonly quiet: boolean
  readonly file: ExportFile | undefined
}

/** The cards that are asked for, and where their way out leads by. */
export type Asked = {
  readonly wanted: Wanted
  readonly order: Order
  readonly cards: readonly Card[]
  readonly view: View
  readonly show: (shown: Shown) => void
  /** Whether what is shown has codes in it. */
  readonly reveals: boolean
  /** Before they leave; of these SKUs alone, where not all do. */
  note(how: Reveal['how'], redeem?: Order['redeem']): Promise<void>
}

export type Deliver = (context: Context, asked: Asked) => Promise<void>

export const readRedeemFlags = (flags: RedeemFlags): Wanted => {
  const { read, problem, check } = flagReader('redeem')
  const { json = false, quiet = false, reveal = false, force = false, export: name } = flags
  const only = read('--only', flags.only, (text) => kinds.find((each) => each === text), kinds.join(', '))
  const form = read('--export', name, exportForm, `a name that ends in ${exportEndings}`)
  const isExport = name !== undefined
  if (flags.only !== undefined) {
    if (isExport) problem('--export writes whole cards: it does not go with --only')
    else if (json || quiet) problem('--only prints bare values: it goes neither with --json nor with --quiet')
  }
  if (isExport && reveal) {
    problem('--export writes the codes to its file and shows none: it does not go with --reveal')
  }
  if (force && !isExport) problem('--force replaces a file: it goes with --export')
  check()
  const file = name === undefined || form === undefined ? undefined : { name, form, force }
  return { only, reveal, quiet, file }
}
