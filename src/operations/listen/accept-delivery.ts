// Decides what a delivery is answered. It is accepted when its order id is in the journal and, if deliveries are
// forwarded, its bytes are in the spool.
import type { AccountId } from '../../contract/account-id.ts'
import { isFinal } from '../../contract/states.ts'
import type { ReceivedTable } from '../../journal/received.ts'
import { type Delivery, readDeliveryId } from '../../webhooks/delivery.ts'
import type { SpooledFacts, SpoolFile } from '../../webhooks/spool.ts'
import { createDeliveryKey } from './delivery-key.ts'
import { type Notice, readNotice } from './read-notice.ts'

export type Accepted = SpooledFacts & {
  readonly kind: 'accepted' | 'duplicate'
  readonly at: number
  /** Its number in the journal. */
  readonly number: number
  /** Whether the journal has the order. */
  readonly isOwn: boolean
  /** True for a duplicate only if it names a final state that the service has not shown. The first one may be forged. */
  readonly needsCheck: boolean
}

export type Refused = { readonly kind: 'refused'; readonly status: 422 | 503; readonly reason: string }

/** The spool, and what becomes of its files. */
export type Outbox = {
  /** Undefined if the spool is full. Throws if the delivery cannot be written. */
  save(facts: SpooledFacts, delivery: Delivery): SpoolFile | undefined
  /** The journal has the delivery. */
  forward(file: SpoolFile): void
  discard(file: SpoolFile): void
  /** It is unknown whether the journal has the delivery. */
  recordLater(file: SpoolFile): void
}

type Options = {
  readonly received: Pick<ReceivedTable, 'findOwnIds' | 'recordDelivery'>
  readonly account: AccountId
  readonly newId: () => string
  /** Undefined if deliveries are not forwarded. */
  readonly outbox: Outbox | undefined
  /** Whether too many ids that the journal does not have wait for a check. */
  readonly isFull: () => boolean
}

export const createAcceptor = ({ received, account, newId, outbox, isFull }: Options) => {
  /** The order that the delivery is about: one of the journal, or else the most likely name. */
  const findOrder = async ({ named, mentioned }: Notice) => {
    const ids = new Set([...named.map(({ orderId }) => orderId), ...mentioned])
    const own = new Set(await received.findOwnIds(account, [...ids]))
    const found = named.find(({ orderId }) => own.has(orderId))
    if (found !== undefined) return { ...found, isOwn: true }
    const mention = mentioned.find((id) => own.has(id))
    if (mention !== undefined) return { orderId: mention, state: undefined, isOwn: true }
    const [first] = named
    return first === undefined ? undefined : { ...first, isOwn: false }
  }

  const record = async (facts: SpooledFacts, at: number) => {
    const key = createDeliveryKey(facts)
    const { number, receipt, isChecked, state } = await received.recordDelivery(account, {
      ...facts,
      key,
      at,
    })
    // An earlier process may have checked a delivery that is still in the spool.
    if (receipt === facts.receipt) return { number, kind: 'accepted', needsCheck: !isChecked } as const
    const needsCheck = isFinal(facts.state ?? '') && !isFinal(state ?? '')
    return { number, kind: 'duplicate', needsCheck } as const
  }

  const acceptOrder = async (
    { isOwn, ...order }: NonNullable<Awaited<ReturnType<typeof findOrder>>>,
    delivery: Delivery,
  ): Promise<Accepted | Refused> => {
    const facts = { ...order, receipt: newId(), deliveryId: readDeliveryId(delivery) }
    const file = outbox?.save(facts, delivery)
    if (outbox !== undefined && file === undefined)
      return { kind: 'refused', status: 503, reason: 'too many deliveries wait to be forwarded' }
    try {
      const recorded = await record(facts, delivery.at)
      if (file !== undefined && recorded.kind === 'accepted') outbox?.forward(file)
      if (file !== undefined && recorded.kind === 'duplicate') outbox?.discard(file)
      return { ...facts, ...recorded, at: delivery.at, isOwn }
    } catch (error) {
      // Without a key, each attempt of the sender would be forwarded.
      if (file !== undefined && createDeliveryKey(facts) === undefined) outbox?.discard(file)
      else if (file !== undefined) outbox?.recordLater(file)
      throw error
    }
  }

  return {
    accept: async (delivery: Delivery): Promise<Accepted | Refused> => {
      const notice = readNotice(delivery.body)
      try {
        const order = await findOrder(notice)
        if (order === undefined) return { kind: 'refused', status: 422, reason: 'no order id found' }
        if (!order.isOwn && isFull())
          return { kind: 'refused', status: 503, reason: 'too many unknown orders wait for a check' }
        return await acceptOrder(order, delivery)
      } catch (error) {
        return { kind: 'refused', status: 503, reason: (error as Error).message }
      }
    },

    /** Records a delivery that is in the spool. Throws if the journal cannot be written. */
    recordSpooled: async (file: SpoolFile): Promise<Accepted> => {
      const [own] = await received.findOwnIds(account, [file.orderId])
      const recorded = await record(file, file.at)
      const { receipt, orderId, deliveryId, state, at } = file
      return { receipt, orderId, deliveryId, state, at, ...recorded, isOwn: own !== undefined }
    },
  }
}
