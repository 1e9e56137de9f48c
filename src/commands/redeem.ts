// orderctl redeem: the cards of an order, masked unless they are to be revealed.
import type { Context } from '../context.ts'
import { type Card, cardsIn, shortfallsOf } from '../contract/redeem-cards.ts'
import type { Order } from '../contract/schemas.ts'
import { hasRedeemData, isFinal } from '../contract/states.ts'
import { Failure } from '../errors.ts'
import { exitCodes } from '../exit-codes.ts'
import { dataOf } from '../operations/failure-of.ts'
import { cardsText, shortfallsText } from '../ui/cards.ts'
import { instructionsText } from '../ui/instructions.ts'
import { maskCode, maskLink } from '../ui/mask.ts'
import { safeText } from '../ui/safe-text.ts'
import { themeFor } from '../ui/theme.ts'
import { openSession, type SessionFlags, viewOf } from './session.ts'
import { type ShowFlags, shower } from './show.ts'
import { exitCodeOf } from './show-order.ts'

const kinds = ['pin', 'code', 'link', 'serial'] as const
type Kind = (typeof kinds)[number]

export type RedeemFlags = SessionFlags &
  ShowFlags & { readonly sku?: readonly string[]; readonly only?: string }

export const redeem = async (context: Context, orderId: string, flags: RedeemFlags): Promise<number> => {
  const only = readOnly(flags.only)
  const { show } = shower(context, flags)
  const session = await openSession(context, flags)
  try {
    const order = dataOf(await session.api.get(orderId), { orderId })
    const chosen = narrowed(order, flags.sku)
    const cards = cardsIn(chosen.redeem)
    if (cards.length === 0) throw noCards(order)
    if (only !== undefined) {
      for (const value of valuesOf(cards, only, flags.reveal === true)) context.stdout.write(`${value}\n`)
    } else {
      const view = viewOf(context)
      const reveal = flags.reveal === true
      const screen = () => {
        const instructions = instructionsText(chosen.redeem, reveal, view)
        return `${cardsText(cards, reveal, view)}${instructions === '' ? '' : `\n${instructions}`}`
      }
      show({ data: { redeem: chosen.redeem }, id: order.uid, screen })
    }
    if (flags.reveal !== true) context.stderr.write('masked; --reveal shows them\n')
    const missing = shortfallsOf(chosen)
    context.stderr.write(shortfallsText(missing, themeFor(context.stderr)))
    return missing.length > 0 ? exitCodes.partial.code : exitCodes.ok.code
  } finally {
    await session.close()
  }
}

const readOnly = (text: string | undefined): Kind | undefined => {
  const kind = kinds.find((each) => each === text)
  if (text === undefined || kind !== undefined) return kind
  throw new Failure('usage', `--only is ${JSON.stringify(text)}; allowed: ${kinds.join(', ')}`, {
    field: '--only',
    fix: 'orderctl redeem --help',
  })
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

const valuesOf = (cards: readonly Card[], kind: Kind, reveal: boolean): string[] =>
  cards.flatMap((card) => {
    const value = card[kind]
    if (value === undefined) return []
    // Bare, for scripts; what would move a terminal's cursor is no code.
    return [reveal ? safeText(value) : kind === 'link' ? maskLink(value) : maskCode(value)]
  })

const noCards = (order: Order): Failure => {
  const { uid, state } = order
  if (!isFinal(state)) {
    return new Failure('refused', `the order has no cards yet: it is ${safeText(state)}`, {
      orderId: uid,
      fix: state === 'created' ? `orderctl confirm ${uid}` : `orderctl watch ${uid}`,
      retryable: true,
    })
  }
  if (!hasRedeemData(state)) {
    return new Failure('failed', `the order ended ${safeText(state)}: it has no cards`, {
      orderId: uid,
      fix: `orderctl get ${uid} --explain`,
    })
  }
  return new Failure(exitCodeOf(state) === 0 ? 'partial' : 'partial', 'no card came for what was asked', {
    orderId: uid,
    fix: `orderctl get ${uid} --explain`,
  })
}
