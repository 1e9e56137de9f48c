// Adds up the totals of orders exactly. The journal does not load the decimals of contract/decimal.ts.
import type { Committed } from '../batches/slot-guard.ts'

/** The sum of a billion such amounts is within the limits of parseDecimal. */
const addable = /^(0|[1-9]\d{0,19})(\.\d{1,20})?$/
const digits = 20

/** Whether addAmounts can add up the total of an order. */
export const isAddable = (total: string): boolean => addable.test(total)

export const addAmounts = (amounts: readonly Committed[]): string => {
  const sum = amounts.reduce((before, { total, count }) => before + toUnits(total) * BigInt(count), 0n)
  const text = String(sum).padStart(digits + 1, '0')
  return `${text.slice(0, -digits)}.${text.slice(-digits)}`.replace(/\.?0+$/, '')
}

const toUnits = (amount: string): bigint => {
  const [whole = '', fraction = ''] = amount.split('.')
  return BigInt(whole + fraction.padEnd(digits, '0'))
}
