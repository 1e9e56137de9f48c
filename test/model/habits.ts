// Undocumented behaviour of a service. Each habit was seen at a real service or proxy.
import type { HttpResponse } from '../../src/contract/transport.ts'
import type { Habits } from './histories/steps.ts'
import { epoch, type Order, textOf } from './service.ts'

export type Shown = { readonly order: Order; readonly habits: Habits; readonly now: number }

const hourMs = 3_600_000

/** How far the service's times are behind its `Date`. */
export const lagOf = ({ expiry }: Habits): number =>
  expiry === 'slow clock' || expiry === 'slow dates' ? 8 * hourMs : expiry === 'late clock' ? 360_000 : 0

/**
 * A service may be behind for so long after the expiry. Of two reads 60 s apart, after expiry plus 60 s, one shows the
 * truth.
 */
const longestBehindMs = 115_000

const isBehind = ({ order, habits, now }: Shown): boolean => {
  const { confirmedAt, expiresAt, knownAt } = order
  if (confirmedAt === undefined || habits.behindMs === undefined) return false
  const until = confirmedAt + habits.behindMs
  return now < (knownAt.size > 0 ? until : Math.min(until, expiresAt + longestBehindMs))
}

const templates = {
  link: {
    redeemInstructions: null,
    cards: [
      {
        ...{ redeemLink: 'https://redeem.example/start', redeemCardCode: '', redeemSerialNumber: '' },
        ...{ redeemPin: '', expirationDate: '' },
      },
    ],
    currency: 'USD',
  },
  value: { redeemInstructions: null, cards: [], currency: 'USD' },
} as const

/** The response to create. */
export const showCreated = (
  response: HttpResponse,
  { id, at, expiresAt }: Pick<Order, 'id' | 'at' | 'expiresAt'>,
  habits: Habits,
): HttpResponse => {
  const document = JSON.parse(textOf(response))
  const { data } = document
  data.id = id
  const { expiry } = habits
  const isLate = expiry === 'slow clock' || expiry === 'late clock'
  data.expiresAt = Math.floor(epoch + expiresAt) - (isLate ? lagOf(habits) : 0)
  if (expiry === 'missing') data.expiresAt = 0
  if (expiry === 'past') data.expiresAt = Math.floor(epoch + at) - 1_000
  if (expiry === 'of an odd invoice') data.invoice = { amount: data.invoice.total }
  return { ...response, body: JSON.stringify(document) }
}

/** The response to get. */
export const showOrder = (response: HttpResponse, shown: Shown): HttpResponse => {
  const { order, habits } = shown
  const { template } = habits
  const document = JSON.parse(textOf(response))
  const { data } = document
  data.uid = order.id
  const lag = order.lagMs / 1_000
  data.createdDate._seconds = Math.floor((epoch + order.at) / 1_000 - lag)
  if (lag > 0) data.modifiedDate._seconds = Math.floor(data.modifiedDate._seconds - lag)
  if (order.confirmedAt === undefined || isBehind(shown)) {
    data.state = template?.state ?? 'created'
    data.redeem = undefined
    const { redeem } = template ?? {}
    if (redeem !== undefined)
      data.redeem = Object.fromEntries(
        order.products.map(({ sku, quote }) => [sku, { ...templates[redeem], value: quote }]),
      )
  }
  return { ...response, body: JSON.stringify(document) }
}

/** Whether get hides that an order is confirmed, at least for a while. */
export const mayDeceive = ({ behindMs, cache, template }: Habits): boolean =>
  behindMs !== undefined || cache !== undefined || template !== undefined
