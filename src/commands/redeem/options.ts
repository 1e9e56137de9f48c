// What redeem is asked for: one of what it can do, and no flag that has no part in it.
import type { Context } from '../../context.ts'
import type { Card } from '../../contract/redeem-cards.ts'
import type { Order } from '../../contract/schemas.ts'
import type { Reveal } from '../../journal/reveals.ts'
import type { View } from '../../ui/terminal/view.ts'
import { flagReader } from '../shared/flag-reader.ts'
import type { ShowFlags, Shown } from '../shared/output.ts'
import type { SessionFlags } from '../shared/session.ts'
import { type ExportForm, exportEndings, exportForm } from './export-formats.ts'

export const kinds = ['pin', 'code', 'link', 'serial'] as const
export type Kind = (typeof kinds)[number]

export type RedeemFlags = SessionFlags &
  ShowFlags & {
    readonly sku?: readonly string[]
    readonly only?: string
    readonly export?: string
    readonly force?: boolean
    readonly qr?: boolean
    readonly copy?: boolean
    readonly card?: string
  }

export type ExportFile = { readonly name: string; readonly form: ExportForm; readonly force: boolean }

export type Wanted = {
  readonly only: Kind | undefined
  readonly reveal: boolean
  readonly quiet: boolean
  readonly qr: boolean
  readonly copy: boolean
  /** Of those that are listed, from 1. */
  readonly card: number | undefined
  readonly file: ExportFile | undefined
}

/** The cards that are asked for, and where their way out leads by. */
export type Asked = {
  readonly wanted: Wanted
  readonly order: Order
  /** With the SKUs that are not asked for, too. */
  readonly whole: Order
  readonly cards: readonly Card[]
  readonly view: View
  readonly show: (shown: Shown) => Promise<void>
  /** Whether what is shown has codes in it. */
  readonly reveals: boolean
  /** Before they leave; of these SKUs alone, where not all do. */
  note(how: Reveal['how'], redeem?: Order['redeem']): Promise<void>
}

export type Deliver = (context: Context, asked: Asked) => Promise<void>

export const readRedeemFlags = (flags: RedeemFlags): Wanted => {
  const { read, count, problem, check } = flagReader('redeem')
  const { json = false, quiet = false, reveal = false, force = false, qr = false, copy = false } = flags
  const { export: name } = flags
  const only = read('--only', flags.only, (text) => kinds.find((each) => each === text), kinds.join(', '))
  const form = read('--export', name, exportForm, `a name that ends in ${exportEndings}`)
  const card = count('--card', flags.card)
  const isExport = name !== undefined
  const ways = [qr && '--qr', copy && '--copy', isExport && '--export'].filter((way) => way !== false)
  if (ways.length > 1) problem(`${ways.join(' and ')} do not go together`)
  if (json || quiet) {
    const why = 'it goes neither with --json nor with --quiet'
    if (qr) problem(`--qr draws on the terminal: ${why}`)
    if (copy) problem(`--copy prints nothing: ${why}`)
    if (flags.only !== undefined && ways.length === 0) problem(`--only prints bare values: ${why}`)
  }
  if (isExport && flags.only !== undefined) problem('--export writes whole cards: it does not go with --only')
  if (qr && !reveal) problem('--qr shows codes: type --qr --reveal')
  if (copy && reveal) problem('--copy shows nothing: it does not go with --reveal')
  if (isExport && reveal) {
    problem('--export writes the codes to its file and shows none: it does not go with --reveal')
  }
  if (force && !isExport) problem('--force replaces a file: it goes with --export')
  if (flags.card !== undefined && !qr && !copy)
    problem('--card chooses one card: it goes with --copy or --qr')
  check()
  const file = name === undefined || form === undefined ? undefined : { name, form, force }
  return { only, reveal, quiet, qr, copy, card, file }
}
