// Which orders an approval allows, and the errors for missing approvals.
import { expect, test } from 'vitest'
import { decimal, toMillionths } from '../../src/contract/money/decimal.ts'
import { isApproved, noneCommitted } from '../../src/journal/limits.ts'
import { createUnapprovedBatchFailure } from '../../src/operations/approval.ts'
import { adviceWith } from '../support/suggest.ts'

test('amounts have the format of the screens, but the flags to type have none', () => {
  const { message, details } = createUnapprovedBatchFailure(
    { name: 'gifts', id: 'bat_1', wallet: 'USD' },
    { cap: decimal('1500'), limits: ['20000', '1000.5'], outcome: 'nothing was sent' },
  )
  expect(message).toBe(
    'the batch gifts needs an approval, because its cap of 1,500.00 USD is above 1,000.50 USD; nothing was sent',
  )
  expect(details.advice).toEqual(adviceWith('orderctl batch run gifts --max-total 1500'))
})

/** Whether an order of 25 may be confirmed. The account needs an approval above 100. */
const allows = (use?: { readonly maxTotal?: string; readonly spent?: string }, approvedCaps: string[] = []) =>
  isApproved(
    25_000_000n,
    ['100'],
    use && {
      cap: {
        amount: use.maxTotal ?? '0',
        spent: { ...noneCommitted, millionths: 3n * (toMillionths(use.spent ?? '0') ?? 0n) },
      },
      approvedCaps,
    },
  )

test('a single order needs an approval above the limit, and cannot have one', () => {
  const confirm = (total: string) => isApproved(toMillionths(total) ?? 0n, ['100'], undefined)
  expect([confirm('100'), confirm('100.01')]).toEqual([true, false])
})

test.each<[string, Parameters<typeof allows>, boolean]>([
  ['of a batch within the limit', [{ maxTotal: '100', spent: '25' }], true],
  ['of a batch whose cap is above the limit', [{ maxTotal: '100.01' }], false],
  ['that exceeds the limit with what the batch has spent', [{ spent: '25.01' }], false],
  ['that has a cap of its batch approved', [{ maxTotal: '500', spent: '25' }, ['100']], true],
  [
    'that exceeds the approved cap with what the batch has spent',
    [{ maxTotal: '500', spent: '25' }, ['99.99']],
    false,
  ],
  ['that one of several approvals covers', [{ maxTotal: '500', spent: '25' }, ['50', '100', '70']], true],
])('an order %s', (_title, given, expected) => {
  expect(allows(...given)).toBe(expected)
})
