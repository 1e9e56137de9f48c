// The values of the flags of `orderctl profile limits`: budgets and limits of approvals, to set and to remove.

import type { Given, Problem } from '../../cli/spec.ts'
import {
  countableForm,
  decimal,
  formatDecimal,
  getMinorDigits,
  isLimit,
  zero,
} from '../../contract/money/decimal.ts'
import { normalizeCurrency } from '../../contract/shape.ts'
import { budgetKinds } from '../../contract/time.ts'
import type { LimitKey, NewLimit } from '../../journal/limits.ts'

/** `field`: the flag that sets it. */
export type SetLimit = NewLimit & { readonly field: string }

/** `field`: the flag that removes it. */
export type Removal = Pick<LimitKey, 'kind' | 'forRole'> & {
  /** Without it: the limits of all currencies. */
  readonly currency?: string
  readonly field: string
}

/** An amount, a currency and, for a budget, a period. `1e3USD` could be 1000 USD, so it is neither. */
const limitPattern = /^((?:0|[1-9]\d{0,14})(?:\.\d{1,9})?)((?!e\d)[^\d./][^/]*)(?:\/(\w+))?$/i

export const budgetForm =
  'an amount, a currency and a period, such as 500USD/day; the periods are order, day, week and month'
export const removalForm = 'order, day, week or month, or one currency of it, such as USD/day'
export const approvalForm = 'an amount and a currency, such as 1000USD'

/** A budget of 0 is refused. With an approval limit of 0, every batch needs an approval. */
export const createLimitParser =
  (flag: '--budget' | '--approve-above') =>
  (text: string, { problem }: Given): SetLimit | undefined => {
    const [, amount = '', code = '', period] = limitPattern.exec(text) ?? []
    const currency = normalizeCurrency(code)
    const noPeriod = period === undefined ? ('approval' as const) : undefined
    const kind = flag === '--budget' ? budgetKinds.find((each) => each === period) : noPeriod
    if (kind === undefined || currency === undefined) return undefined
    const isRefused = kind !== 'approval' && decimal(amount).eq(zero)
    const allowed = isRefused ? 'an amount above 0' : findAllowedAmount(amount, currency)
    if (allowed !== undefined) return problem(`${flag} is ${JSON.stringify(text)}; allowed: ${allowed}`)
    return { kind, currency, amount: formatDecimal(decimal(amount)), field: flag }
  }

export const parseRemoval = (text: string): Removal | undefined => {
  const [, code, period] = /^(?:(.+)\/)?(\w+)$/.exec(text) ?? []
  const kind = budgetKinds.find((each) => each === period)
  const field = '--remove-budget'
  if (kind === undefined || code === undefined) return kind && { kind, field }
  const currency = normalizeCurrency(code)
  return currency === undefined ? undefined : { kind, currency, field }
}

export const parseApprovalRemoval = (text: string): Removal | undefined => {
  const currency = normalizeCurrency(text)
  return currency === undefined ? undefined : { kind: 'approval', currency, field: '--remove-approval' }
}

/** Undefined if a limit in this currency can be that amount. */
const findAllowedAmount = (amount: string, currency: string): string | undefined => {
  const digits = getMinorDigits(currency)
  if ((amount.split('.')[1]?.length ?? 0) <= digits)
    return isLimit(amount) ? undefined : `an amount ${countableForm}`
  return `an amount with ${digits === 0 ? 'no' : `at most ${digits}`} decimals for ${currency}`
}

export const isRemoved = (limit: LimitKey, { kind, currency = limit.currency, forRole }: Removal): boolean =>
  limit.kind === kind && limit.currency === currency && limit.forRole === forRole

/** A limit must not be set twice, or set and removed. */
export const findConflicts = (set: readonly SetLimit[], removals: readonly Removal[]): Problem[] =>
  set.flatMap((limit, index): Problem[] => {
    const { kind, currency, field } = limit
    const sets = `${field} sets ${kind === 'approval' ? currency : `${currency}/${kind}`}`
    if (set.slice(0, index).some((each) => isRemoved(limit, each))) return [{ text: `${sets} twice`, field }]
    const removal = removals.find((each) => isRemoved(limit, each))
    return removal ? [{ text: `${sets}, and ${removal.field} removes it`, field: removal.field }] : []
  })
