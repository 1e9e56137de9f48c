// Places an order: one create, sent once.
import type { Api } from '../client/api.ts'
import type { OrderRequest } from '../contract/order-request.ts'
import type { CreatedOrder } from '../contract/schemas.ts'
import { Failure } from '../errors.ts'
import { refusedFailure, unsentFailure } from './failure-of.ts'

export type Placed = { readonly created: CreatedOrder; readonly serverTime: number | undefined }

export const place = async (api: Api, request: OrderRequest): Promise<Placed> => {
  const outcome = await api.create(request)
  switch (outcome.kind) {
    case 'done':
      return { created: outcome.data, serverTime: outcome.serverTime }
    case 'refused':
      throw refusedFailure(outcome)
    case 'not-sent':
      throw unsentFailure(outcome)
    case 'unknown': {
      const { orderId, reason, status } = outcome
      // The service has no look-up by reference: without an id in the answer, nobody can find it again.
      const found =
        orderId === undefined
          ? 'It cannot be looked up. Left unconfirmed it lapses in about ten minutes and spends nothing; whether it holds funds until then is not documented.'
          : `Look at it: orderctl get ${orderId}`
      throw new Failure(
        'unknown',
        `whether the order ${request.reference} was created is not known: ${reason}`,
        {
          fix: found,
          ...(orderId === undefined ? {} : { orderId }),
          ...(status === undefined ? {} : { status }),
        },
      )
    }
  }
}
