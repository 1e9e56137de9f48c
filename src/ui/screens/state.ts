// What screens say about an order: a mark, a colour and a sentence for each value of its view, and for each word. Below,
// the suggestion for the next step of its view: a command that works, and what to know about it.

import { hideHash, type State } from '../../contract/states.ts'
import { formatSafeTime } from '../../contract/time.ts'
import type { VoidReason } from '../../journal/orders/standings.ts'
import type { Money, OrderView, Progress, Subject } from '../../operations/view.ts'
import type { Suggest } from '../../text/suggest.ts'
import { writeProofAdvice } from '../../text/suggest.ts'
import { sanitize } from '../terminal/text.ts'
import type { Theme } from '../terminal/view.ts'

export type StateStyle = { readonly mark: string; readonly paint: keyof Theme; readonly meaning: string }

const define = (mark: string, paint: keyof Theme, meaning: string): StateStyle => ({ mark, paint, meaning })

const odd = define('?', 'warning', 'an undocumented state')
const unknown = define('?', 'bad', 'a confirm was sent, its outcome is unknown')
const refused = define('○', 'warning', 'not confirmed so far')

// order-service.md only names `processing` and `rejected`. Their meanings are assumed from the words.
const paid = {
  'in-progress': define('…', 'warning', 'paid, in progress'),
  successful: define('✓', 'good', 'all products succeeded'),
  incomplete: define('!', 'warning', 'paid, but cards are missing; they may still come'),
  partial: define('!', 'warning', 'some products failed'),
  failed: define('✗', 'bad', 'all products failed'),
  rejected: define('✗', 'bad', 'the service rejected the order'),
  undocumented: define('?', 'warning', 'paid, in an undocumented state'),
}

const styles: Readonly<
  Record<Money, Partial<Record<Progress, StateStyle>> & { readonly other: StateStyle }>
> = {
  unspent: {
    other: define('○', 'warning', 'not confirmed yet, nothing spent'),
    expired: define('–', 'quiet', 'not confirmed in time, nothing was spent'),
    'not-created': define('–', 'quiet', 'not created, nothing was spent'),
    undocumented: define('?', 'warning', 'an undocumented state, nothing spent'),
  },
  'not-confirmed-so-far': {
    other: refused,
    expired: define('○', 'warning', 'not confirmed so far, expired'),
    undocumented: define('?', 'bad', 'an undocumented state, not confirmed so far'),
  },
  maybe: { other: unknown, undocumented: define('?', 'bad', 'an undocumented state, perhaps paid') },
  spent: { other: paid['in-progress'], ...paid },
}

/** For the response to create. */
export const newOrderStyle = styles.unspent.other

const responseStyles: Readonly<Record<Exclude<Subject, 'progress'>, StateStyle>> = {
  stranger: define('?', 'bad', 'the service shows a different order under its id'),
  behind: define('…', 'warning', 'the service still shows an older state'),
  'by-hand': define('?', 'warning', 'settled by hand as paid; the service shows it unconfirmed'),
}

/** The word to show beside the sentence: that of the service, unless the journal knows better. */
export const findShownWord = (
  state: string,
  { money, progress, reading, voidReason }: Pick<OrderView, 'money' | 'progress' | 'reading' | 'voidReason'>,
): string => {
  if (voidReason !== undefined) return voidReason
  if (reading === 'behind') return progress === 'in-progress' ? 'confirmed' : progress
  return money === 'maybe' && progress !== 'undocumented' ? 'unknown' : state
}

/** The orders whose payment refutes a person's decision. Undefined if there are none. */
export const describeRefuted = (orderIds: readonly string[]): string | undefined => {
  const [only, ...others] = orderIds.map(sanitize)
  if (only === undefined) return undefined
  if (others.length === 0) return `the order ${only} was settled as not spent, but it is paid`
  return `${orderIds.length} orders were settled as not spent, but they are paid: ${[only, ...others].join(', ')}`
}
export const refutedAdvice = 'If you ordered again, you paid twice.'

/** The message about orders that may have spent money. */
export const describeUnknownOrders = (ids: readonly string[]): string => {
  const named = ids.slice(0, 5).map(sanitize)
  const more = ids.length > named.length ? ` and ${ids.length - named.length} more` : ''
  const orders = ids.length === 1 ? 'the order' : `${ids.length} orders:`
  return `money may have been spent for ${orders} ${named.join(', ')}${more}`
}

/** The service gives the cards of such an order. */
export const hasDelivered = ({ isFinal, progress }: OrderView): boolean =>
  isFinal && (progress === 'successful' || progress === 'incomplete' || progress === 'partial')

const voidStyles: Readonly<Record<VoidReason, StateStyle>> = {
  lost: define('–', 'quiet', 'the response to create was lost, nothing was spent'),
  stranger: define('–', 'quiet', 'its id belongs to a different order'),
  unwanted: define('–', 'quiet', 'its batch buys the cards in another order, nothing was spent'),
  expired: define('–', 'quiet', 'not confirmed in time, nothing was spent'),
  'not-spent': define('–', 'quiet', 'settled by hand: nothing was spent'),
  refused: define('✗', 'quiet', 'the service refused to create it'),
  'not-sent': define('–', 'quiet', 'it never reached the service'),
}

/** For a word alone. */
const listed: Readonly<Record<State | VoidReason | 'unknown' | 'creating', StateStyle>> = {
  ...voidStyles,
  created: refused,
  confirmed: paid['in-progress'],
  processing: paid['in-progress'],
  successful: paid.successful,
  partial: paid.partial,
  failed: paid.failed,
  rejected: paid.rejected,
  unknown,
  creating: define('–', 'quiet', 'no response to create so far, nothing was spent'),
}

/** For an order with its view. */
export const findViewStyle = ({ money, progress, says, voidReason }: OrderView): StateStyle => {
  if (says !== 'progress') return responseStyles[says]
  return voidReason === undefined ? (styles[money][progress] ?? styles[money].other) : voidStyles[voidReason]
}

/** For a word alone, of the service or of a list of the journal. */
export const findWordStyle = (word: string): StateStyle =>
  Object.hasOwn(listed, word) ? listed[word as keyof typeof listed] : odd

/** '✓ successful' */
export const stateText = (state: string, theme: Theme, { mark, paint } = findWordStyle(state)): string =>
  theme[paint](`${mark} ${sanitize(hideHash(state))}`)

/** A table makes the text safe itself. */
export const stateCell = (state: string, theme: Theme, { mark, paint } = findWordStyle(state)) => ({
  text: `${mark} ${hideHash(state)}`,
  paint: theme[paint],
})

type Order = {
  readonly orderId?: string | undefined
  readonly batch?: string | undefined
  /** The id of the order with which its batch replaced it. */
  readonly successor?: string | undefined
  /** It cannot be confirmed, because its total needs an approval. */
  readonly needsApproval?: boolean
  /** This process's database role may not confirm it. */
  readonly needsOtherRole?: boolean
  /** An assistant prepared it. */
  readonly placedWith?: string | undefined
}

export type Suggestion = {
  /** What the command does, such as 'Confirm it'. */
  readonly label?: string
  readonly command?: string
  /** Sentences. */
  readonly advice?: string
}

export const writeSuggestion = (
  { next, money, provenAt }: Pick<OrderView, 'next' | 'money' | 'provenAt'>,
  order: Order,
  suggest: Suggest,
): Suggestion => {
  const { orderId = '', successor } = order
  const byProof = () => ({ advice: writeProofAdvice(formatSafeTime(provenAt)) })
  const suggestions: Readonly<Record<OrderView['next'], () => Suggestion>> = {
    none: () => (successor ? { label: 'Its batch replaced it', command: suggest`get ${successor}` } : {}),
    create: () => ({ advice: 'Nothing was spent. Run create again.' }),
    confirm: () => writeConfirm(order, money === 'unspent', suggest),
    watch: () => ({ label: 'Wait for it', command: suggest`watch ${orderId}` }),
    redeem: () => ({ label: 'Show its cards', command: suggest`redeem ${orderId}` }),
    explain: () => ({ label: 'See what happened', command: suggest`explain ${orderId}` }),
    'order-again': () => ({ label: 'Order again', command: suggest`create ${{ again: orderId }}` }),
    reconcile: () => ({
      label: 'Check it',
      command: suggest`reconcile ${orderId}`,
      advice: 'Do not order again.',
    }),
    'wait-for-proof': byProof,
    'settle-by-hand': byProof,
  }
  return suggestions[next]()
}

/** An order of a batch is bought within the cap of the batch, so nobody confirms it by hand. */
const writeConfirm = (order: Order, isUnspent: boolean, suggest: Suggest): Suggestion => {
  const { orderId = '', batch, needsApproval } = order
  const expires = isUnspent ? 'If you do nothing, it expires and costs nothing.' : 'Do not order again.'
  if (batch !== undefined) return { label: 'Continue its batch', command: suggest`batch run ${batch}` }
  if (needsApproval === true)
    return { advice: `It needs an approval, which only a batch can have. ${expires}` }
  return { label: describeConfirm(order), command: suggest`confirm ${orderId}`, advice: expires }
}

export const describeConfirm = ({
  placedWith,
  needsOtherRole,
}: Pick<Order, 'placedWith' | 'needsOtherRole'>) =>
  (placedWith ? 'An assistant prepared it. ' : '') +
  (needsOtherRole ? 'Ask a colleague with a different role to confirm it' : 'Confirm it')

/** 'Confirm it: orderctl confirm X. If you do nothing, it expires and costs nothing.' Empty without a suggestion. */
export const formatSuggestion = ({ label, command, advice }: Suggestion): string =>
  [command && `${label}: ${command}${advice ? '.' : ''}`, advice].filter(Boolean).join(' ')
