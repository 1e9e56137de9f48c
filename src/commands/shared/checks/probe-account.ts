// Asks a service for an order that does not exist. The response shows if the address and the key work, and changes nothing.
import type { Api } from '../../../client/api.ts'
import type { Outcome } from '../../../client/outcome.ts'
import type { Order } from '../../../contract/schemas.ts'
import type { Failure } from '../../../errors.ts'
import { createReadFailure } from '../../../operations/outcome-failures.ts'

const unusedOrderId = 'orderctl-profile-test'

export const probeAccount = (api: Api, signal: AbortSignal): Promise<Outcome<Order>> =>
  api.get(unusedOrderId, { signal })

/** The response, or why it does not show that the service accepts the key. */
export const judgeProbe = (outcome: Outcome<Order>): string | Failure => {
  if (outcome.kind === 'done') return '200'
  if (outcome.kind !== 'refused' || outcome.refusal === 'credentials') return createReadFailure(outcome)
  // Not specified: a 404 of get may mean an unknown order or a wrong address, so the response is printed as it is.
  return `${outcome.status} ${outcome.message}`.trim()
}
