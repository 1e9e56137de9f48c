// The options of batch approve, read once from its flags.
import type { Context } from '../../../context.ts'
import type { Decimal } from '../../../contract/decimal.ts'
import { parseDuration } from '../../../contract/duration.ts'
import { isPlanId } from '../../../operations/batch/plan/identify.ts'
import { createFlagReader, totalForm } from '../../shared/flag-reader.ts'
import { type OutputOptions, readOutputOptions } from '../../shared/options.ts'
import { canPrompt } from '../../shared/session.ts'
import { parseTotal } from '../options.ts'
import type { ApproveFlags } from './flags.ts'

export type ApproveOptions = {
  readonly output: OutputOptions
  /** Undefined: the plan that the batch has. */
  readonly planId: string | undefined
  /** Undefined: the cap that was asked for. */
  readonly maxTotal: Decimal | undefined
  /** How long the approval is valid. */
  readonly forMs: number
  readonly asks: boolean
}

const defaultMs = 24 * 60 * 60 * 1000
const longestMs = 30 * defaultMs

export const readApproveOptions = (context: Context, flags: ApproveFlags): ApproveOptions => {
  const reader = createFlagReader('batch approve')
  const maxTotal = reader.read('--max-total', flags.maxTotal, parseTotal, totalForm)
  const planId = reader.read('--plan', flags.plan, parsePlanId, 'the id of a plan, as batch show prints it')
  const forMs = reader.read('--for', flags.for, parseValidity, 'a duration such as 4h or 90m, up to 30d')
  const output = readOutputOptions(reader, flags)
  reader.check()
  return {
    ...{ output, planId, maxTotal },
    forMs: forMs ?? defaultMs,
    asks: flags.yes !== true && canPrompt(context, flags),
  }
}

const parsePlanId = (text: string): string | undefined => (isPlanId(text) ? text : undefined)

const parseValidity = (text: string): number | undefined => {
  const ms = parseDuration(text)
  return ms !== undefined && ms > 0 && ms <= longestMs ? ms : undefined
}
