// Computes the ids that identify a batch when it is given again. Checks them before an approval.

import { builtin } from '../builtin.ts'
import type { AccountId } from '../contract/account-id.ts'
import type { StoredPlan } from '../journal/batches/approvals.ts'
import type { Batch, StoredRow } from '../journal/batches/batches.ts'
import { type BatchRows, formatProductKey } from '../operations/batch-limits.ts'
import { compareTexts } from '../text/words.ts'

/**
 * The id of the rows, in their order. It does not depend on the format of the file, the order of the columns, empty
 * columns or line numbers.
 */
export const identifyBatch = ({ columns, rows }: BatchRows, account: AccountId, wallet: string) => {
  const hash = createIncrementalHash(['rows', account, wallet])
  const named = [...columns.entries()].sort(([, one], [, other]) => compareTexts(one, other))
  for (const { sku, productType, quote, quantity, cells } of rows) {
    const parts = [sku, productType, quote, quantity]
    for (const [index, name] of named) {
      const cell = cells[index] ?? ''
      if (cell !== '') parts.push(name, cell)
    }
    hash.add(parts)
  }
  return `bat_${hash.finish()}`
}

/** The id of the demand: the number of cards of each product, without the other columns. */
export const identifyDemand = ({ rows }: Pick<BatchRows, 'rows'>, account: AccountId, wallet: string) => {
  const hash = createIncrementalHash(['demand', account, wallet])
  const byProduct = [...Map.groupBy(rows, formatProductKey)]
  for (const [key, same] of byProduct.sort(([one], [other]) => compareTexts(one, other)))
    hash.add([key, same.reduce((sum, { quantity }) => sum + quantity, 0)])
  return `dem_${hash.finish()}`
}

const chunkLength = 65_536

// Crockford's base 32: one case, no punctuation, and no letter that looks like a digit.
const digits = '0123456789abcdefghjkmnpqrstvwxyz'

/** 32 digits, which are 160 bits: to plan two batches with one id takes about 2^80 attempts. */
const formatHash = (hex: string): string =>
  BigInt(`0x${hex.slice(0, 40)}`)
    .toString(32)
    .padStart(32, '0')
    .replace(/./g, (digit) => digits.charAt(Number.parseInt(digit, 32)))

export const isPlanId = (text: string): boolean => /^bat_[0-9a-hjkmnp-tv-z]{32}$/.test(text)

/** Hashes the values as lines of JSON, so that different values never give the same bytes. */
const createIncrementalHash = ([kind, { address, name }, wallet]: [string, AccountId, string]) => {
  const hash = builtin.crypto().createHash('sha256')
  let chunk = `${JSON.stringify([kind, address, name ?? null, wallet])}\n`
  return {
    add: (values: readonly unknown[]): void => {
      chunk += `${JSON.stringify(values)}\n`
      if (chunk.length < chunkLength) return
      hash.update(chunk)
      chunk = ''
    },
    finish: (): string => formatHash(hash.update(chunk).digest('hex')),
  }
}

type Plan = Pick<Batch, 'id' | 'columns' | 'wallet'>

/** Whether the plan's id matches the rows. */
export const hasRows = (plan: Plan, account: AccountId, rows: readonly StoredRow[]): boolean =>
  identifyBatch({ ...plan, rows }, account, plan.wallet) === plan.id

/** An approver sees only the rows, so each row must have exactly as many cards as it wants. */
export const isGenuinePlan = (plan: Plan, account: AccountId, { rows, cardsOf }: StoredPlan): boolean =>
  hasRows(plan, account, rows) &&
  rows.length === cardsOf.size &&
  rows.every(({ row, quantity }) => cardsOf.get(row) === quantity)
