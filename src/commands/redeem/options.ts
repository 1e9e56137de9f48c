// The options of redeem, read once from its flags.
import type { Context } from '../../context.ts'
import { createFlagReader } from '../shared/flag-reader.ts'
import {
  type OutputOptions,
  readOutputOptions,
  readSessionOptions,
  type SessionOptions,
} from '../shared/options.ts'
import { canPrompt } from '../shared/session.ts'
import { type ExportFormat, exportEndings, exportFormat } from './export-formats.ts'
import type { RedeemFlags } from './flags.ts'

export const valueKinds = ['pin', 'code', 'link', 'serial'] as const
export type ValueKind = (typeof valueKinds)[number]

export type ExportFile = { readonly name: string; readonly format: ExportFormat; readonly force: boolean }

export type RedeemOptions = {
  readonly session: SessionOptions
  readonly output: OutputOptions
  /** Undefined: every SKU of the order. */
  readonly skus: readonly string[] | undefined
  readonly only: ValueKind | undefined
  readonly isDrawn: boolean
  readonly isCopied: boolean
  /** A number in the list of cards, from 1. */
  readonly card: number | undefined
  readonly file: ExportFile | undefined
  readonly canPrompt: boolean
}

export const readRedeemOptions = (context: Context, flags: RedeemFlags): RedeemOptions => {
  const reader = createFlagReader('redeem')
  const { read, readCount, addProblem, check } = reader
  const { reveal = false, force = false, qr = false, copy = false, export: name } = flags
  const parseKind = (text: string) => valueKinds.find((kind) => kind === text)
  const only = read('--only', flags.only, parseKind, valueKinds.join(', '))
  const format = read('--export', name, exportFormat, `a name that ends in ${exportEndings}`)
  const card = readCount('--card', flags.card)
  const isExport = name !== undefined
  const ways = [qr && '--qr', copy && '--copy', isExport && '--export'].filter((way) => way !== false)
  if (ways.length > 1) addProblem(`${ways.join(' and ')} cannot be used together`)
  if (flags.json === true || flags.quiet === true) {
    const problem = 'so it cannot be used with --json or --quiet'
    if (qr) addProblem(`--qr draws on the terminal, ${problem}`)
    if (copy) addProblem(`--copy prints nothing, ${problem}`)
    if (flags.only !== undefined && ways.length === 0) addProblem(`--only prints bare values, ${problem}`)
    if (flags.card !== undefined && ways.length === 0) addProblem(`--card selects one card, ${problem}`)
  }
  if (isExport && flags.only !== undefined) {
    addProblem('--export writes whole cards, so it cannot be used with --only')
  }
  if (qr && !reveal) addProblem('--qr shows codes, so it needs --reveal')
  if (copy && reveal) addProblem('--copy shows nothing, so it cannot be used with --reveal')
  if (isExport && reveal) {
    addProblem('--export writes the codes to its file and shows none, so it cannot be used with --reveal')
  }
  if (force && !isExport) addProblem('--force needs --export')
  if (flags.card !== undefined && isExport) {
    addProblem('--export writes all cards, so it cannot be used with --card')
  }
  const session = readSessionOptions(reader, flags)
  const output = readOutputOptions(reader, flags)
  check()
  const file = name === undefined || format === undefined ? undefined : { name, format, force }
  return {
    session,
    output,
    skus: flags.sku,
    only,
    isDrawn: qr,
    isCopied: copy,
    card,
    file,
    canPrompt: canPrompt(context, flags),
  }
}
