// Decides the response to a delivery, which is accepted when it is on disk. Then finds the order that a delivery is about.
// Spec silent: the payload of a webhook, so any plausible form is accepted. Nothing else in the delivery is used: the order
// itself is read from the service.

import { builtin } from '../../builtin.ts'
import { stateNames } from '../../contract/states.ts'
import type { Headers, Transport } from '../../contract/transport.ts'
import type { DeliveryTable, NewDelivery } from '../../webhooks/deliveries.ts'
import {
  createSignatureCheck,
  type Delivery,
  listForwardedHeaders,
  readDeliveryId,
} from '../../webhooks/deliveries.ts'

type Options = {
  readonly account: string
  readonly table: Pick<DeliveryTable, 'insert'>
  /** Which of these ids are of orders of the journal. */
  readonly findOwn: (orderIds: readonly string[]) => Promise<readonly string[]>
  readonly newId: () => string
  /** This machine's time. Signatures are compared with it. A shared journal's time may differ. */
  readonly now: () => number
  readonly isForwarding: boolean
  /** Undefined if deliveries need no signature. */
  readonly secret: string | undefined
  readonly containsSecret?: ((text: string) => boolean) | undefined
  readonly onAccepted: (delivery: NewDelivery, isNew: boolean) => void
  readonly onRefused: (status: number, reason: string) => void
}

/** Of the server. Its URL may be on the internet. */
export const receivingLimits = {
  /** Each takes a descriptor, and the journal needs some, too. */
  connections: 256,
  bodyBytes: 1024 * 1024,
  headersMs: 3_000,
  closeMs: 10_000,
}

const extraHeaders: Readonly<Record<number, Headers>> = {
  405: { allow: 'POST' },
  503: { 'retry-after': '1' },
}

/** A message for the sender. The log may contain more: `reason`. */
type Response = { readonly status: number; readonly message: string; readonly reason?: string }

export const createAcceptor = (options: Options): Transport => {
  const { account, table, findOwn, isForwarding, secret, onAccepted, onRefused } = options
  const findSignatureProblem = secret === undefined ? () => undefined : createSignatureCheck(secret)
  const isClean = (text: string): boolean => options.containsSecret?.(text) !== true

  /** The order that the delivery is about: one of the journal, or else the most likely name. */
  const findOrder = async (body: Uint8Array) => {
    const candidates = readNotice(body).filter(({ orderId }) => isClean(orderId))
    const named = candidates.find(({ isNamed }) => isNamed)
    const ids = [...new Set(candidates.map(({ orderId }) => orderId))]
    const shown = await findOwn(ids).catch((error): readonly string[] => {
      // Without the journal, the service is asked about the most likely name.
      if (named === undefined) throw error
      return []
    })
    const own = candidates.find(({ orderId }) => shown.includes(orderId))
    const found = own ?? named
    if (found === undefined) return undefined
    const { orderId, namedState } = found
    return { orderId, namedState, isOwn: own === undefined ? (0 as const) : (1 as const) }
  }

  const record = async (delivery: Delivery): Promise<Response> => {
    const { body, at } = delivery
    const order = await findOrder(body)
    if (order === undefined) return { status: 422, message: 'no order id found' }
    const deliveryId = readDeliveryId(delivery)
    const row = {
      ...order,
      key: createKey(account, { ...order, deliveryId }, body) ?? options.newId(),
      deliveryId: deliveryId !== null && isClean(deliveryId) ? deliveryId : null,
      received: at,
      // Anyone can send an unsigned delivery, so the order itself is forwarded.
      headers: isForwarding && secret !== undefined ? JSON.stringify(listForwardedHeaders(delivery)) : null,
      body: isForwarding ? body : null,
    }
    const result = await table.insert(row)
    if (result !== 'new' && result !== 'duplicate') throw new Error(`${result} wait`)
    onAccepted(row, result === 'new')
    return { status: 200, message: result === 'new' ? 'accepted' : 'duplicate' }
  }

  const respond = async (method: string, delivery: Delivery): Promise<Response> => {
    if (method !== 'POST') return { status: 405, message: 'Send deliveries with POST.' }
    if ((delivery.headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity')
      return { status: 415, message: 'Send the body without Content-Encoding.' }
    const problem = findSignatureProblem(delivery)
    if (problem !== undefined) return { status: 401, message: problem }
    try {
      return await record(delivery)
    } catch (error) {
      // The reason may contain paths of this machine.
      return { status: 503, message: 'Send it again later.', reason: (error as Error).message }
    }
  }

  return async ({ method, headers, body = '' }) => {
    const bytes = typeof body === 'string' ? Buffer.from(body) : body
    const delivery = { headers, body: bytes, at: options.now() }
    const { status, message, reason = message } = await respond(method, delivery)
    if (status !== 200) onRefused(status, reason)
    return {
      status,
      headers: { 'content-type': 'application/json', ...extraHeaders[status] },
      body: JSON.stringify({ message }),
    }
  }
}

/**
 * Two deliveries with the same key are the same, even on two machines. Undefined if nothing identifies the delivery.
 */
export const createKey = (
  account: string,
  { deliveryId, orderId, namedState }: Pick<NewDelivery, 'deliveryId' | 'orderId' | 'namedState'>,
  body: Uint8Array,
): string | undefined => {
  if (deliveryId === null && namedState === null) return undefined
  const { hash } = builtin.crypto()
  const parts = deliveryId === null ? [account, orderId, hash('sha256', body)] : [account, deliveryId]
  return hash('sha256', JSON.stringify(parts)).slice(0, 32)
}

/** A text that may be the order id. */
type Candidate = {
  readonly orderId: string
  /** The state in the same object. */
  readonly namedState: string | null
  /** Otherwise the text is an order id only if the journal contains an order with it. */
  readonly isNamed: boolean
}

type Field = {
  readonly value: unknown
  /** In lower case, without separators. */
  readonly key: string
  readonly parentKey: string
  /** The state that is in the same object as the value. */
  readonly namedState: string | null
}

const longestId = 128
const maxDepth = 16
const maxValues = 20_000
const maxNamed = 100
const maxMentioned = 100

/** The content that may hold codes is never searched. */
const secretKeys = new Set(['redeem', 'cards'])
const stateKeys = new Set(['state', 'status', 'orderstate'])

const documented: ReadonlySet<string> = new Set(stateNames)

const idForm = new RegExp(`^[^\\s\\p{C}]{1,${longestId}}$`, 'u')

/** The most likely first. */
export const readNotice = (body: Uint8Array): Candidate[] => {
  const named: (Candidate & { readonly rank: number })[] = []
  const mentioned = new Set<string>()
  let open: Field[] = [
    { value: parse(new TextDecoder().decode(body)), key: '', parentKey: '', namedState: null },
  ]
  let left = maxValues
  for (let depth = 0; depth < maxDepth && open.length > 0; depth += 1) {
    const seen = open.slice(0, left)
    left -= seen.length
    for (const field of seen) {
      const { value, namedState } = field
      const [orderId, rank] = [readId(value), findRank(field, depth)]
      if (orderId === undefined) continue
      if (rank !== undefined) named.push({ rank, orderId, namedState, isNamed: true })
      else if (typeof value === 'string' && mentioned.size < maxMentioned) mentioned.add(orderId)
    }
    open = seen.flatMap(listInner)
  }
  const likely = named.toSorted((one, other) => one.rank - other.rank).slice(0, maxNamed)
  return [
    ...likely.map(({ rank: _, ...candidate }) => candidate),
    ...[...mentioned].map((orderId) => ({ orderId, namedState: null, isNamed: false })),
  ]
}

/** All bodies of the service are JSON. */
const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const listInner = ({ value, key: parentKey }: Field): Field[] => {
  if (typeof value !== 'object' || value === null) return []
  const fields = Object.entries(value).map(([name, inner]): [key: string, value: unknown] => [
    Array.isArray(value) ? '' : name.toLowerCase().replace(/[^a-z\d]/g, ''),
    inner,
  ])
  const states = fields.flatMap(([key, inner]) =>
    stateKeys.has(key) && typeof inner === 'string' ? inner : [],
  )
  const namedState = states.find((text) => documented.has(text)) ?? null
  return fields
    .filter(([key]) => !secretKeys.has(key))
    .map(([key, inner]) => ({ key, value: inner, parentKey, namedState }))
}

const readId = (value: unknown): string | undefined => {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value
  return typeof text === 'string' && idForm.test(text) ? text : undefined
}

/** order-service.md calls it `uid`, `id` and `orderId`. Undefined if the field does not identify an order. */
const findRank = ({ key, parentKey }: Field, depth: number): number | undefined => {
  if (key === 'uid' || key === 'orderid' || key === 'orderuid') return depth
  if (key === 'order') return 100 + depth
  if (key !== 'id') return undefined
  if (parentKey === 'order') return 200 + depth
  return parentKey === 'data' || parentKey === 'object' ? 300 + depth : 400 + depth
}
