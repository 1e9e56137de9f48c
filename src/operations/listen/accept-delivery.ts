// Decides the response to a delivery. It is accepted when it is on disk.
import { builtin } from '../../builtin.ts'
import type { AccountId } from '../../contract/account-id.ts'
import { type Delivery, listForwardedHeaders, readDeliveryId } from '../../webhooks/delivery.ts'
import type { DeliveryTable, NewDelivery } from '../../webhooks/delivery-table.ts'
import type { Answer } from '../../webhooks/receiver.ts'
import type { ReadShownOrders } from '../watch/order-changes.ts'
import { type Notice, readNotice } from './read-notice.ts'

type Options = {
  readonly account: string
  readonly table: Pick<DeliveryTable, 'insert'>
  /** Reads the journal. */
  readonly readShown: ReadShownOrders
  readonly newId: () => string
  readonly isForwarding: boolean
  /** Says why a delivery is refused. Undefined without a secret. */
  readonly findSignatureProblem: ((delivery: Delivery) => string | undefined) | undefined
  readonly containsSecret?: ((text: string) => boolean) | undefined
  readonly onAccepted: (delivery: NewDelivery, isNew: boolean) => void
}

export const createAcceptor = (options: Options) => {
  const { account, table, readShown, newId, isForwarding, findSignatureProblem, onAccepted } = options
  const isClean = (text: string): boolean => options.containsSecret?.(text) !== true

  /** The order that the delivery is about: one of the journal, or else the most likely name. */
  const findOrder = async (notice: Notice) => {
    const named = notice.named.filter(({ orderId }) => isClean(orderId))
    const mentioned = notice.mentioned.filter(isClean)
    const ids = [...named.map(({ orderId }) => orderId), ...mentioned]
    const shown = await readShown([...new Set(ids)]).catch((error) => {
      // Without the journal, the service is asked about the most likely name.
      if (named.length === 0) throw error
      return []
    })
    const own = new Set(shown.map(({ orderId }) => orderId))
    const all = [...named, ...mentioned.map((orderId) => ({ orderId, namedState: null }))]
    const found = all.find(({ orderId }) => own.has(orderId)) ?? named[0]
    return found && { ...found, isOwn: own.has(found.orderId) ? (1 as const) : (0 as const) }
  }

  return async (delivery: Delivery): Promise<Answer> => {
    const problem = findSignatureProblem?.(delivery)
    if (problem !== undefined) return { status: 401, text: problem }
    // The reason of a 503 may name files of this machine.
    const refuse = (reason: string): Answer => ({ status: 503, text: 'Send it again later.', reason })
    try {
      const order = await findOrder(readNotice(delivery.body))
      if (order === undefined) return { status: 422, text: 'no order id found' }
      const deliveryId = readDeliveryId(delivery) ?? null
      const facts = { ...order, deliveryId, received: delivery.at }
      const headers = isForwarding ? JSON.stringify(listForwardedHeaders(delivery)) : null
      const body = isForwarding ? delivery.body : null
      const shown = deliveryId !== null && isClean(deliveryId) ? deliveryId : null
      const key = createKey(account, facts, delivery.body) ?? newId()
      const row = { ...facts, deliveryId: shown, key, headers, body }
      const result = await table.insert(row)
      if (result.startsWith('too many')) return refuse(`${result} wait`)
      onAccepted(row, result === 'new')
      return { status: 200, text: result === 'new' ? 'accepted' : 'duplicate' }
    } catch (error) {
      return refuse((error as Error).message)
    }
  }
}

/** An account in the table of deliveries. */
export const formatAccount = ({ address, name }: AccountId): string =>
  name === undefined ? address : `${address}#${name}`

/** Two deliveries with the same key are the same, also on two machines. Undefined if nothing identifies the delivery. */
export const createKey = (
  account: string,
  { deliveryId, orderId, namedState }: Pick<NewDelivery, 'deliveryId' | 'orderId' | 'namedState'>,
  body: Uint8Array,
): string | undefined => {
  if (deliveryId === null && namedState === null) return undefined
  const parts = deliveryId === null ? [account, orderId, hash(body)] : [account, deliveryId]
  return hash(JSON.stringify(parts)).slice(0, 32)
}

const hash = (data: string | Uint8Array): string =>
  builtin.crypto().createHash('sha256').update(data).digest('hex')
