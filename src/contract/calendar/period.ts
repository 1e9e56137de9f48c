// The periods of budgets: days, ISO weeks and months, all in UTC.
import { dayMs } from '../duration.ts'

export const periods = ['day', 'week', 'month'] as const
export type Period = (typeof periods)[number]

/** What budgets limit: one order, or all orders of a period. */
export const budgetKinds = ['order', ...periods] as const
export type BudgetKind = (typeof budgetKinds)[number]

/** The period that contains this moment: from its first millisecond until the first of the next period. */
export const findPeriod = (period: Period, at: number): { readonly from: number; readonly until: number } => {
  const date = new Date(at)
  const year = date.getUTCFullYear()
  const month = date.getUTCMonth()
  const day = date.getUTCDate()
  switch (period) {
    case 'day':
      return { from: Date.UTC(year, month, day), until: Date.UTC(year, month, day + 1) }
    case 'week': {
      // An ISO week begins on Monday.
      const from = Date.UTC(year, month, day - ((date.getUTCDay() + 6) % 7))
      return { from, until: from + 7 * dayMs }
    }
    case 'month':
      return { from: Date.UTC(year, month), until: Date.UTC(year, month + 1) }
  }
}
