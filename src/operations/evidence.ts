// What a response to get proves about an order. Only this file, view.ts and journal/orders/expiry.ts judge its word.
import { builtin } from '../builtin.ts'
import type { DoneOutcome } from '../client/api.ts'
import { findCards, listSecrets } from '../contract/order/redeem-cards.ts'
import type { Order } from '../contract/schemas.ts'
import {
  hasRedeemData,
  hiddenMark,
  isFinal,
  isPastPending,
  isShownState,
  pendingState,
} from '../contract/states.ts'
import { type Entry, hasReference, type Known } from '../journal/orders/entries.ts'
import { createCodeFinder } from '../text/known-codes.ts'

type Confirms = { readonly entry: Pick<Entry, 'confirms'> } & Pick<Known, 'calls'>

/** A service that was reset reuses its ids, so the reference must match too. */
export const isSameOrder = (
  entry: Pick<Entry, 'reference' | 'referenceFold'>,
  { reference }: Pick<Order, 'reference'>,
): boolean =>
  (entry.reference === undefined && entry.referenceFold === undefined) || hasReference(entry, reference)

/** A link, a value or an empty card is none. */
export const hasCodes = ({ redeem }: Pick<Order, 'redeem'>): boolean =>
  findCards(redeem).some(({ code, pin, serial }) => (code ?? pin ?? serial) !== undefined)

/** Whether the state is a word for an unconfirmed order: `created`, or the service's own word before a confirm. */
export const showsUnconfirmed = ({ state }: Pick<Order, 'state'>, { calls }: Pick<Known, 'calls'>): boolean =>
  state === pendingState ||
  calls.some(({ operation, serviceState }) => operation === 'confirm' && serviceState === state)

/** Whether a response may show the order as before its confirm. */
export const needsCalls = ({ confirms }: Pick<Entry, 'confirms'>, order: Order | undefined): boolean =>
  confirms > 0 && (order === undefined || !isPastPending(order.state))

/**
 * A documented state after `created`. In an undocumented state after a confirm, also a code, PIN or serial number. A link or
 * an empty card may be a template, so it proves nothing.
 */
export const provesPayment = (order: Order, known: Confirms | undefined): boolean =>
  isPastPending(order.state) ||
  (known !== undefined && known.entry.confirms > 0 && hasCodes(order) && !showsUnconfirmed(order, known))

/**
 * A state that is not a word, and a state, SKU or currency that repeats a code of the order, are never shown or stored.
 * Only their hashes are.
 */
export const hideCodes = (order: Order): Order => {
  const { uid, state, products, invoice, redeem } = order
  const codes = listSecrets(findCards(redeem))
  const { isIn } = createCodeFinder(codes)
  const repeats = (name: string): boolean => isIn(name, 'long')
  const hash = (text: string): string =>
    `${hiddenMark}${builtin.crypto().createHash('sha256').update(`${uid}\n${text}`).digest('hex').slice(0, 16)}`
  const shown = isShownState(state, isIn) ? order : { ...order, state: hash(state) }
  if (codes.length === 0) return shown
  const keys = invoice.records.flatMap(({ sku, total }) => [sku, ...Object.keys(total)])
  const names = [...products.keys(), ...(redeem?.keys() ?? []), invoice.wallet, ...keys]
  if (!names.some(repeats)) return shown
  const hide = (text: string): string => (repeats(text) ? hash(text) : text)
  const hideKeys = <Value>(entries: Iterable<readonly [string, Value]>) =>
    Array.from(entries, ([key, value]) => [hide(key), value] as const)
  return {
    ...shown,
    products: new Map(hideKeys(products).map(([sku, product]) => [sku, { ...product, sku }])),
    invoice: {
      ...invoice,
      wallet: hide(invoice.wallet),
      records: invoice.records.map(({ sku, total, ...record }) => ({
        ...record,
        sku: hide(sku),
        total: Object.fromEntries(hideKeys(Object.entries(total))),
      })),
    },
    redeem: redeem && new Map(hideKeys(redeem)),
  }
}

/** Whether a state is final, and whether the order then has cards. */
export const showsDelivery = (state: string): 'with-cards' | 'without-cards' | undefined => {
  if (!isFinal(state)) return undefined
  return hasRedeemData(state) ? 'with-cards' : 'without-cards'
}

/** After a refusal: the order is not confirmed so far. */
export const showsNoConfirm = ({
  data,
  isOld = false,
}: Pick<DoneOutcome<Order>, 'data' | 'isOld'>): boolean => data.state === pendingState && !isOld
