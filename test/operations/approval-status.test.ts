// Whether a batch waits for an approval, or has one.
import { expect, test } from 'vitest'
import { decimal } from '../../src/contract/money/decimal.ts'
import type { Approval } from '../../src/journal/batches/approvals.ts'
import { findApprovalStatus } from '../../src/operations/approval.ts'

const approve = (cap: string, more: Partial<Approval> = {}): Approval => ({
  ...{ cap, role: 'ana', approvedAt: 1, until: 2, isValid: true },
  ...more,
})
const expired = { isValid: false }

/** The account needs an approval above 100. */
const find = (maxTotal: string | undefined, approvals: readonly Approval[], asked?: string) =>
  findApprovalStatus(maxTotal === undefined ? {} : { maxTotal }, {
    ...{ limits: ['100'], ownRole: 'bob', plannedBy: 'bob', approvals },
    ...(asked === undefined ? {} : { request: { cap: asked, role: 'bob', askedAt: 1 } }),
  })

test('a batch within the limit needs no approval', () => {
  expect([find(undefined, []), find('100', []), find('100', [approve('100', expired)])]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
})

test.each<[string, Approval[], string, Approval | undefined]>([
  ['none', [], 'waiting', undefined],
  ['of the cap', [approve('101')], 'approved', approve('101')],
  ['of a higher cap', [approve('500')], 'approved', approve('500')],
  ['of smaller caps', [approve('50'), approve('100.99'), approve('70')], 'waiting', approve('100.99')],
  ['that has expired', [approve('101', expired)], 'expired', approve('101', expired)],
  ['of a smaller cap that has expired', [approve('100', expired)], 'waiting', undefined],
])('a batch above the limit, with an approval %s', (_title, approvals, state, approval) => {
  const status = find('101', approvals)
  expect(status).toEqual({ state, cap: decimal('101'), ...(approval && { approval }) })
  // The requested cap counts, not the last run's cap.
  expect(find('1', approvals, '101')).toEqual({ ...status, request: expect.objectContaining({ cap: '101' }) })
})

test('a plan that was not run yet is approved by any valid approval', () => {
  expect(find(undefined, [approve('5', expired), approve('7')])).toEqual({
    state: 'approved',
    approval: approve('7'),
  })
})
