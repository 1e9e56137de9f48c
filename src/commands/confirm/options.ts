// The options of confirm, read once from its flags.
import type { Context } from '../../context.ts'
import { parseDecimal } from '../../contract/decimal.ts'
import type { Guards } from '../../operations/offer.ts'
import { createFlagReader, totalForm } from '../shared/flag-reader.ts'
import {
  type OutputOptions,
  readOutputOptions,
  readSessionOptions,
  type SessionOptions,
} from '../shared/options.ts'
import { canPrompt } from '../shared/session.ts'
import type { ConfirmFlags } from './flags.ts'

export type ConfirmOptions = {
  readonly session: SessionOptions
  readonly output: OutputOptions
  readonly guards: Guards
  readonly consent: ConsentOptions
  readonly allowDuplicate: boolean
  readonly acceptsChanges: boolean
  readonly isIdempotent: boolean
  readonly isWatched: boolean
}

export type ConsentOptions = {
  /** stdin is a terminal, and --yes was not given. */
  readonly isNeeded: boolean
  /** False with --no-input. */
  readonly mayPrompt: boolean
  /** stderr is a terminal, too, so the prompt can be shown there. */
  readonly canPromptHere: boolean
  readonly showsSummary: boolean
}

export const readConfirmOptions = (context: Context, flags: ConfirmFlags): ConfirmOptions => {
  const reader = createFlagReader('confirm')
  const { read, readDuration, check } = reader
  const guards = {
    minValidityMs: readDuration('--min-validity', flags.minValidity),
    maxTotal: read('--max-total', flags.maxTotal, parseDecimal, totalForm),
  }
  const session = readSessionOptions(reader, flags)
  const output = readOutputOptions(reader, flags)
  check()
  return {
    ...{ session, output, guards },
    consent: {
      isNeeded: flags.yes !== true && context.stdin.isTerminal,
      mayPrompt: flags.input,
      canPromptHere: canPrompt(context, flags),
      showsSummary: output.format === 'screen',
    },
    allowDuplicate: flags.allowDuplicate === true,
    acceptsChanges: flags.acceptChanges === true,
    isIdempotent: flags.idempotent === true,
    isWatched: flags.watch === true,
  }
}
