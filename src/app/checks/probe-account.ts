// Asks a service for an order that does not exist. The response shows if the address and the key work, and changes nothing.
import type { Api, Outcome } from '../../client/api.ts'
import { isVerbatim } from '../../contract/refusals.ts'
import type { Order } from '../../contract/schemas.ts'
import type { Failure } from '../../errors.ts'
import { createReadFailure, OrderFailure } from '../../operations/failures.ts'
import { requestUnrecorded } from '../../operations/read.ts'
import { environmentName } from '../../profiles/profile.ts'

const unusedOrderId = 'orderctl-profile-test'

/** `response` may be why it does not show that the address is right and that the service accepts the key. */
export const probeAccount = async (api: Api, profile: string, signal: AbortSignal) => {
  const outcome = await requestUnrecorded({ api }, unusedOrderId, signal)
  return { response: judge(outcome, profile), serverTime: outcome.serverTime }
}

const judge = (outcome: Outcome<Order>, profile: string): string | Failure => {
  if (outcome.kind === 'done') return '200'
  if (outcome.kind !== 'refused' || outcome.refusal === 'credentials') return createReadFailure(outcome)
  const response = `${outcome.status} ${outcome.message}`.trim()
  // Spec silent on the errors of get: an unknown order has the message of confirm.
  if (isVerbatim('not-pending', outcome.message)) return response
  return new OrderFailure(
    { refused: { operation: 'get', outcome } },
    'unavailable',
    `cannot tell whether the base URL is right: the service documents no response '${response}'`,
    {
      status: outcome.status,
      fix: (suggest) => (profile === environmentName ? undefined : suggest`profile show ${profile}`),
      advice: profile === environmentName ? 'Check ORDERCTL_BASE_URL.' : 'Check the base URL.',
    },
  )
}
