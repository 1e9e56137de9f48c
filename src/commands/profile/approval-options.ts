// The flags of `orderctl profile limits` that concern approvals, as typed options.
import { decimal, formatDecimal } from '../../contract/decimal.ts'
import { walletForm, walletPattern } from '../../contract/product-rules.ts'
import type { NewLimit } from '../../journal/limits/limits.ts'
import type { FlagReader } from '../shared/flag-reader.ts'
import type { LimitsFlags } from './flags.ts'
import { amountPattern, findDecimalsProblem } from './limit-amount.ts'

export type ApprovalOptions = {
  readonly approvals: readonly NewLimit[]
  /** The currencies of the limits to remove. */
  readonly approvalRemovals: readonly string[]
}

const limitForm = 'an amount and a currency, such as 1000USD'
const limitPattern = new RegExp(`^(${amountPattern})([A-Z][A-Z0-9]*)$`)

/** An amount of 0 is allowed: then every batch needs an approval. */
export const readApprovalOptions = (
  reader: FlagReader,
  { approveAbove = [], removeApproval = [] }: Pick<LimitsFlags, 'approveAbove' | 'removeApproval'>,
): ApprovalOptions => {
  const approvals = approveAbove.flatMap((text) => readLimit(reader, text) ?? [])
  const approvalRemovals = removeApproval.flatMap(
    (text) => reader.read('--remove-approval', text, parseCurrency, walletForm) ?? [],
  )
  const currencies = approvals.map(({ currency }) => currency)
  for (const each of new Set(currencies.filter((one, index) => currencies.indexOf(one) !== index)))
    reader.addProblem(`--approve-above sets ${each} twice`, '--approve-above')
  for (const each of approvalRemovals.filter((one) => currencies.includes(one)))
    reader.addProblem(`--approve-above sets ${each}, and --remove-approval removes it`, '--remove-approval')
  return { approvals, approvalRemovals }
}

const readLimit = (reader: FlagReader, text: string): NewLimit | undefined => {
  const parsed = reader.read('--approve-above', text, parseLimit, limitForm)
  if (parsed === undefined) return undefined
  const problem = findDecimalsProblem(parsed.amount, parsed.currency)
  if (problem === undefined) return { ...parsed, amount: formatDecimal(decimal(parsed.amount)) }
  reader.addProblem(`--approve-above is ${JSON.stringify(text)}; allowed: ${problem}`)
  return undefined
}

const parseLimit = (text: string): NewLimit | undefined => {
  const [, amount = '', currency = ''] = limitPattern.exec(text) ?? []
  return walletPattern.test(currency) ? { kind: 'approval', currency, amount } : undefined
}

const parseCurrency = (text: string): string | undefined => (walletPattern.test(text) ? text : undefined)
