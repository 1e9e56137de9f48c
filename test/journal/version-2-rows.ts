// The rows of the stored journal of version 2: the same orders, as version 2 of orderctl wrote them.
import { getAccountId } from '../../src/contract/account-id.ts'
import { foldReference } from '../../src/contract/reference.ts'
import { calls, orders, type Row, reveals, states } from './fixture-rows.ts'

const addresses = [...new Set(orders.map(({ origin }) => getAccountId(String(origin)).address))]

const accounts: Row[] = [
  ...addresses.map((address, index) => ({ number: index + 1, address })),
  { number: addresses.length + 1, address: 'orders.example/v1', name: 'second' },
]

/** The last order belongs to the named account. */
const findAccount = ({ number, origin }: Row): number =>
  number === orders.length ? accounts.length : addresses.indexOf(getAccountId(String(origin)).address) + 1

const confirmedStates = [
  'confirmed',
  'processing',
  'successful',
  'partial',
  'failed',
  'rejected',
  'under-review',
]

const findState = ({ number, standing }: Row) => {
  if (standing === 'lapsed') return 'expired'
  const isConfirmSent = calls.some((call) => call.order_number === number && call.operation === 'confirm')
  return standing === 'unknown' && !isConfirmSent ? 'unanswered' : (standing ?? null)
}

export const versionTwoRows = {
  accounts,
  orders: orders.map((order) => ({
    ...order,
    account: findAccount(order),
    reference_fold: foldReference(String(order.reference)),
    standing: findState(order),
    confirmed_at: confirmedStates.includes(String(order.standing)) ? (order.changed_at ?? null) : null,
    created_at: order.order_id === null ? null : (order.placed_at ?? null),
    // Half of the proof that an unknown confirm did not spend.
    unconfirmed_at: order.number === 16 ? (order.expires_at ?? null) : null,
  })),
  calls: calls.map((call) => ({
    ...call,
    settled: call.settled === 'lapsed' ? 'expired' : (call.settled ?? null),
    ...(call.settled === 'no-effect' ? { settled_by: 'sam', reason: 'support says so' } : {}),
    ...(call.order_number === 5 && call.operation === 'confirm'
      ? { accepted: '[{"field":"total","placed":"51.10","now":"52"}]' }
      : {}),
  })),
  ...{ states, reveals },
}
