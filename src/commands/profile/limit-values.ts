// The values of the flags of `orderctl profile limits`: budgets and limits of approvals, to set and to remove.

import type { Given, Problem } from '../../cli/spec.ts'
import { normalizeCurrency } from '../../contract/money/currency.ts'
import { decimal, formatDecimal, getMinorDigits, zero } from '../../contract/money/decimal.ts'
import { countableForm, isLimit } from '../../contract/money/millionths.ts'
import { budgetKinds } from '../../contract/time/timestamp.ts'
import type { LimitKey, NewLimit } from '../../journal/limits/limits.ts'

export type Removal = {
  readonly kind: LimitKey['kind']
  /** Without it: the limits of all currencies. */
  readonly currency?: string
  readonly forRole?: string | undefined
}

/** An amount, a currency and, for a budget, a period. `1e3USD` could be 1000 USD, so it is neither. */
const limitPattern = /^((?:0|[1-9]\d{0,14})(?:\.\d{1,9})?)((?!e\d)[^\d./][^/]*)(?:\/(\w+))?$/i

export const budgetForm =
  'an amount, a currency and a period, such as 500USD/day; the periods are order, day, week and month'
export const removalForm = 'order, day, week or month, or one currency of it, such as USD/day'
export const approvalForm = 'an amount and a currency, such as 1000USD'

export const parseBudget = (text: string, { problem }: Given): NewLimit | undefined => {
  const [, amount = '', code = '', period] = limitPattern.exec(text) ?? []
  const currency = normalizeCurrency(code)
  const kind = budgetKinds.find((each) => each === period)
  if (kind === undefined || currency === undefined) return undefined
  const allowed = decimal(amount).eq(zero) ? 'an amount above 0' : findAllowedAmount(amount, currency)
  if (allowed !== undefined) return problem(`--budget is ${JSON.stringify(text)}; allowed: ${allowed}`)
  return { kind, currency, amount: formatDecimal(decimal(amount)) }
}

export const parseRemoval = (text: string): Removal | undefined => {
  const [, code, period] = /^(?:(.+)\/)?(\w+)$/.exec(text) ?? []
  const kind = budgetKinds.find((each) => each === period)
  if (kind === undefined || code === undefined) return kind && { kind }
  const currency = normalizeCurrency(code)
  return currency === undefined ? undefined : { kind, currency }
}

/** An amount of 0 is allowed: then every batch needs an approval. */
export const parseApproval = (text: string, { problem }: Given): NewLimit | undefined => {
  const [, amount = '', code = '', period] = limitPattern.exec(text) ?? []
  const currency = normalizeCurrency(code)
  if (period !== undefined || currency === undefined) return undefined
  const allowed = findAllowedAmount(amount, currency)
  if (allowed !== undefined) return problem(`--approve-above is ${JSON.stringify(text)}; allowed: ${allowed}`)
  return { kind: 'approval', currency, amount: formatDecimal(decimal(amount)) }
}

export const parseApprovalRemoval = (text: string): Removal | undefined => {
  const currency = normalizeCurrency(text)
  return currency === undefined ? undefined : { kind: 'approval', currency }
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

type Limits = { readonly set: readonly NewLimit[]; readonly removed: readonly Removal[] }

/** A limit must not be set twice, or set and removed. */
export const findConflicts = (setFlag: string, removeFlag: string, { set, removed }: Limits): Problem[] => {
  const names = set.map(({ kind, currency }) => (kind === 'approval' ? currency : `${currency}/${kind}`))
  const repeated = new Set(names.filter((name, index) => names.indexOf(name) !== index))
  const both = removed
    .map((removal) => names[set.findIndex((limit) => isRemoved(limit, removal))])
    .filter((name) => name !== undefined)
  return [
    ...[...repeated].map((name) => ({ text: `${setFlag} sets ${name} twice`, field: setFlag })),
    ...both.map((name) => ({
      text: `${setFlag} sets ${name}, and ${removeFlag} removes it`,
      field: removeFlag,
    })),
  ]
}
