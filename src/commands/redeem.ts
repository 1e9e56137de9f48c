// orderctl redeem: the cards of an order, masked unless they are to be revealed.
import type { Context } from '../context.ts'
import { orderWord } from '../contract/order-word.ts'
import { type Card, cardsIn, shortfallsOf } from '../contract/redeem-cards.ts'
import type { Order } from '../contract/schemas.ts'
import { hasRedeemData, isFinal } from '../contract/states.ts'
import { Failure } from '../errors.ts'
import { exitCodes } from '../exit-codes.ts'
import { readOrder } from '../operations/read.ts'
import { cardsText, shortfallsText } from '../ui/cards.ts'
import { instructionsText } from '../ui/instructions.ts'
import { maskCode, maskLink } from '../ui/mask.ts'
import { safeText } from '../ui/safe-text.ts'
import { themeFor } from '../ui/theme.ts'
import { flagReader } from './flags.ts'
import { noteReveal } from './note-reveal.ts'
import { orderIds } from './order-ids.ts'
import { openSession, type SessionFlags } from './session.ts'
import { type ShowFlags, shower } from './show.ts'
import { viewOf } from './view-of.ts'

const kinds = ['pin', 'code', 'link', 'serial'] as const
type Kind = (typeof kinds)[number]

export type RedeemFlags = SessionFlags &
  ShowFlags & { readonly sku?: readonly string[]; readonly only?: string }

export const redeem = async (context: Context, named: string, flags: RedeemFlags): Promise<number> => {
  const { stdout, stderr } = context
  const only = readOnly(flags)
  const reveal = flags.reveal === true
  const { show, reveals } = shower(context, flags)
  const session = await openSession(context, flags)
  try {
    const [orderId = ''] = await orderIds(context, session, [named])
    const { order, serviceTime } = await readOrder(session, orderId)
    const chosen = narrowed(order, flags.sku)
    const cards = cardsIn(chosen.redeem)
    if (cards.length === 0) throw noCards(order)
    const bare = only === undefined ? undefined : bareText(cards, only, reveal, order.uid)
    if (reveals) await noteReveal(context, session, chosen)
    if (bare !== undefined) stdout.write(bare)
    else {
      const view = viewOf(context, serviceTime())
      const instructions = () => instructionsText(chosen.redeem, reveal, view)
      const screen = () =>
        [cardsText(cards, reveal, view), instructions()].filter((part) => part !== '').join('\n')
      show({ data: () => ({ redeem: chosen.redeem }), ids: [order.uid], screen })
    }
    if (!reveal && flags.quiet !== true) stderr.write('masked; --reveal shows them\n')
    const missing = shortfallsOf(chosen)
    stderr.write(shortfallsText(missing, themeFor(stderr)))
    return missing.length > 0 ? exitCodes.partial.code : exitCodes.ok.code
  } finally {
    await session.close()
  }
}

const readOnly = ({ only, json, quiet }: RedeemFlags): Kind | undefined => {
  const { read, problem, check } = flagReader('redeem')
  const kind = read('--only', only, (text) => kinds.find((each) => each === text), kinds.join(', '))
  if (only !== undefined && (json === true || quiet === true)) {
    problem('--only prints bare values: it goes neither with --json nor with --quiet')
  }
  check()
  return kind
}

/** With the SKUs that are asked for alone; one that was not ordered is a mistake. */
const narrowed = (order: Order, skus: readonly string[] | undefined): Order => {
  if (skus === undefined) return order
  const unknown = skus.filter((sku) => !order.products.has(sku))
  if (unknown.length > 0) {
    throw new Failure('usage', `not in this order: ${unknown.map(safeText).join(', ')}`, {
      field: '--sku',
      orderId: order.uid,
      fix: `It has ${[...order.products.keys()].map(safeText).join(', ')}.`,
    })
  }
  const wanted = new Set(skus)
  const only = <Value>(map: ReadonlyMap<string, Value>) =>
    new Map([...map].filter(([sku]) => wanted.has(sku)))
  return { ...order, products: only(order.products), redeem: only(order.redeem ?? new Map()) }
}

/** Bare values, for scripts; what would move a terminal's cursor is no code. */
const bareText = (cards: readonly Card[], kind: Kind, reveal: boolean, orderId: string): string => {
  const values = cards.map((card) => card[kind]).filter((value) => value !== undefined)
  if (values.length === 0) {
    const there = kinds.filter((each) => cards.some((card) => card[each] !== undefined))
    throw new Failure('usage', `the cards have no ${kind}`, {
      field: '--only',
      orderId,
      fix: `They have: ${there.join(', ')}.`,
    })
  }
  const shown = (value: string): string =>
    reveal ? safeText(value) : kind === 'link' ? maskLink(value) : maskCode(value)
  return values.map((value) => `${shown(value)}\n`).join('')
}

const noCards = (order: Order): Failure => {
  const { uid, state } = order
  if (!isFinal(state)) {
    return new Failure('refused', `the order has no cards yet: it is ${safeText(state)}`, {
      orderId: uid,
      fix: state === 'created' ? `orderctl confirm ${orderWord(uid)}` : `orderctl watch ${orderWord(uid)}`,
      retryable: true,
    })
  }
  if (!hasRedeemData(state)) {
    return new Failure('failed', `the order ended ${safeText(state)}: it has no cards`, {
      orderId: uid,
      fix: `orderctl get ${orderWord(uid)} --explain`,
    })
  }
  return new Failure('partial', 'no card came for what was asked', {
    orderId: uid,
    fix: `orderctl get ${orderWord(uid)} --explain`,
  })
}
