// What the errors of missing approvals say.
import { expect, test } from 'vitest'
import { decimal } from '../../src/contract/decimal.ts'
import { createUnapprovedBatchFailure } from '../../src/operations/approval.ts'

test('amounts have the format of the screens, but the flags to type have none', () => {
  const { message, details } = createUnapprovedBatchFailure(
    { name: 'gifts', wallet: 'USD' },
    { cap: decimal('1500'), limits: ['20000', '1000.5'], outcome: 'nothing was sent' },
  )
  expect(message).toBe(
    'the batch gifts needs an approval, because its cap of 1,500.00 USD is above 1,000.50 USD; nothing was sent',
  )
  expect(details.fix).toContain('orderctl batch run gifts --max-total 1500')
})
