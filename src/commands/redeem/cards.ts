// The cards of an order: which are chosen, where redeem shows or writes them, or why there are none.

import type { NumberedCard } from '../../app/clipboard.ts'
import { writeNote } from '../../app/notes.ts'
import type { Output } from '../../app/output/output.ts'
import { codesOf, revealOrders } from '../../app/output/reveal.ts'
import type { CommandSession } from '../../app/session.ts'
import { stageFile } from '../../app/staged-file.ts'
import type { Context } from '../../context.ts'
import type { Card } from '../../contract/order/redeem-cards.ts'
import type { Order } from '../../contract/schemas.ts'
import { hideHash } from '../../contract/states.ts'
import { Failure, type Fix } from '../../errors.ts'
import type { Reveal } from '../../journal/orders/seen-cards.ts'
import type { ReadOrder } from '../../operations/read.ts'
import type { Money } from '../../operations/view.ts'
import { formatValue, ownedCardFields, readCards } from '../../ui/cards/card-fields.ts'
import { type CardOrder, renderCards, scannable } from '../../ui/cards/cards.ts'
import { renderInstructions } from '../../ui/cards/instructions.ts'
import { maskCode, maskLink, maskResponse } from '../../ui/masking/mask-response.ts'
import type { NextStep } from '../../ui/screens/next-step.ts'
import { findShownWord, findViewStyle, hasDelivered } from '../../ui/screens/state.ts'
import { sanitize } from '../../ui/terminal/text.ts'
import type { View } from '../../ui/terminal/view.ts'
import { describeExport } from '../../ui/text/formats.ts'
import { type ExportFile, type RedeemOptions, type ValueKind, valueKinds } from './spec.ts'

export type Delivery = {
  readonly session: CommandSession
  readonly options: RedeemOptions
  /** Only with the SKUs that were chosen. */
  readonly order: Order & CardOrder
  /** With every SKU. */
  readonly whole: Order
  /** The cards that --card selects, or all of them. */
  readonly chosen: readonly NumberedCard[]
  readonly view: View
  readonly output: Output
}

export type Deliver = (delivery: Delivery) => Promise<void>

/** Records that the codes of these cards leave orderctl, and then shows them. */
export const revealCards = <Result>(
  { session, order: { uid: orderId } }: Delivery,
  how: Reveal['how'],
  cards: readonly Card[],
  show: () => Result,
): Promise<Awaited<Result>> =>
  revealOrders(session, { orders: [{ orderId, skus: skusOf(cards) }], how }, show)

/** Keeps only these SKUs; without any, all. Throws if one was not ordered. */
export const selectSkus = (order: Order, skus: readonly string[]): Order => {
  if (skus.length === 0) return order
  const unknown = skus.filter((sku) => !order.products.has(sku))
  if (unknown.length > 0) {
    throw new Failure('usage', `the order does not contain ${unknown.map(sanitize).join(', ')}`, {
      field: '--sku',
      orderId: order.uid,
      advice: `Use a SKU of the order: ${[...order.products.keys()].map(sanitize).join(', ')}`,
    })
  }
  const only = <Value>(map: ReadonlyMap<string, Value>) =>
    new Map([...map].filter(([sku]) => skus.includes(sku)))
  return { ...order, products: only(order.products), redeem: only(order.redeem ?? new Map()) }
}

const noCardsYet = {
  unspent: 'no-cards',
  'not-confirmed-so-far': 'no-cards',
  maybe: 'unproven',
  spent: 'timed-out',
} as const satisfies Record<Money, Failure['reason']>

/** `next`: what to do about an order that is not final. */
export const createNoCardsFailure = (
  { data: { uid, state, redeem }, view }: ReadOrder,
  { command, advice }: NextStep,
): Failure => {
  const fail = (kind: Failure['kind'], message: string, fix: Fix): Failure =>
    new Failure(kind, message, { orderId: uid, fix })
  const explain: Fix = (suggest) => suggest`get ${uid} --explain`
  if (!view.isFinal) {
    const word = sanitize(hideHash(findShownWord(state, view)))
    const problem = `the order has no cards yet. It is ${word}: ${findViewStyle(view).meaning}`
    return new Failure(noCardsYet[view.money], problem, {
      orderId: uid,
      fix: () => command,
      advice,
      retryable: true,
    })
  }
  if (!hasDelivered(view))
    return fail('failed', `the order has no cards, because its final state is ${view.progress}`, explain)
  if (maskResponse({ uid, redeem }).hidden === undefined) {
    const isDeleted = view.vanished > 0
    const problem = isDeleted
      ? 'the service does not show the cards any more that it delivered'
      : 'the order has no cards for these products'
    return fail('partial', problem, explain)
  }
  const problem = 'the redeem data is in an undocumented form, so it cannot be shown as cards'
  return fail('partial', problem, (suggest) => suggest`get ${uid} --json --fields redeem --reveal`)
}

export const createMissingValueFailure = ({ chosen, options, order }: Delivery, what: string): Failure => {
  const existing = valueKinds.filter((kind) => chosen.some(({ card }) => card[kind] !== undefined))
  const subject = options.card === undefined ? 'the cards have' : `card ${options.card} has`
  return new Failure('usage', `${subject} no ${what}`, {
    field: '--only',
    orderId: order.uid,
    advice: `Use one of these: ${existing.join(', ')}`,
  })
}

export const maskValue = (kind: ValueKind, value: string): string =>
  kind === 'link' ? maskLink(value) : maskCode(value)

const skusOf = (cards: readonly Card[]): string[] => [...new Set(cards.map(({ sku }) => sku))]

/** Prints the cards as a table, as JSON, or as bare values for scripts. */
export const printCards: Deliver = async (delivery) => {
  const { session, whole, view, output } = delivery
  const { stdout } = session.context
  const { only, card: number, reveal: isRevealed } = delivery.options
  const cards = delivery.chosen.map(({ card }) => card)
  const order = number === undefined ? delivery.order : selectSkus(delivery.order, skusOf(cards))
  if (only !== undefined) {
    const text = formatValues(delivery, only)
    if (isRevealed) await revealCards(delivery, 'reveal', cards, () => stdout.write(text))
    else stdout.write(text)
  } else {
    await output.print({
      data: (isRevealed) => {
        const { uid: id, redeem } = order
        const shown = isRevealed ? { redeem } : maskResponse({ redeem }, whole)
        return { id, ...shown, cards: readCards(cards, isRevealed, ownedCardFields) }
      },
      ids: [order.uid],
      codes: codesOf(order),
      screen: (isRevealed) => {
        const table = renderCards(cards, isRevealed, view, number)
        const instructions = renderInstructions(order.redeem, isRevealed, view, whole.redeem)
        return [table, instructions].filter((part) => part !== '').join('\n')
      },
    })
  }
  if (!isRevealed) writeNote(session.context, 'Codes are hidden. Show them with --reveal.\n')
}

/** One value per line. Control characters are escaped, because a code never has any. */
const formatValues = (delivery: Delivery, kind: ValueKind): string => {
  const values = delivery.chosen.flatMap(({ card }) => card[kind] ?? [])
  if (values.length === 0) throw createMissingValueFailure(delivery, kind)
  return values
    .map((value) => `${delivery.options.reveal ? sanitize(value) : maskValue(kind, value)}\n`)
    .join('')
}

export const drawCards: Deliver = async (delivery) => {
  const { session, options, order, chosen, view } = delivery
  const { stdout, stderr } = session.context
  const { renderQr } = await import('../../ui/cards/qr.ts')
  const cards = chosen.map(({ number, card }) => ({
    card,
    title: `${number}  ${sanitize(card.sku)}  ${sanitize(formatValue(card))}`.trimEnd(),
    value: options.only === undefined ? scannable(card) : card[options.only],
  }))
  const drawn = cards.flatMap(({ value, ...card }) =>
    value === undefined ? [] : [{ ...card, drawing: renderQr(value, stdout.colour) }],
  )
  if (drawn.length === 0) throw createMissingValueFailure(delivery, options.only ?? 'link, code or PIN')
  const problems = drawn.flatMap(({ title, drawing }) => {
    if (drawing === undefined) return `${title}: too long for a QR code, or not valid text`
    if (drawing.width <= view.width) return []
    return `${title}: needs ${drawing.width} columns, but the terminal has ${view.width}`
  })
  if (problems.length > 0) {
    throw new Failure('usage', `cannot draw ${problems.length} of ${drawn.length} QR codes`, {
      field: '--qr',
      orderId: order.uid,
      violations: problems,
      fix: (suggest) => suggest`redeem ${order.uid} --export cards.html --reveal`,
      advice: 'You can also use a wider window.',
    })
  }
  const texts = drawn.map(({ title, drawing }) => `${view.theme.strong(title)}\n${drawing?.text ?? ''}`)
  const shown = drawn.map(({ card }) => card)
  await revealCards(delivery, 'qr', shown, () => stdout.write(texts.join('\n')))
  for (const { title, value } of cards) {
    if (value === undefined) stderr.write(`Nothing to draw for card ${title}\n`)
  }
}

/** Fails before any call if the file cannot be written. An incomplete file is removed at the end. */
export const exportTo = (
  { clock, platform }: Context,
  { name, format }: ExportFile,
  { force }: RedeemOptions,
  cleanup: AsyncDisposableStack,
): Deliver => {
  const file = stageFile(name, { field: '--export', force, newId: clock.newId })
  cleanup.defer(file.discard)
  return async ({ session, order, chosen, view, output }) => {
    const text = await format(order, view)
    await revealOrders(session, { orders: [codesOf(order)], how: 'export' }, () => file.keep([text]))
    const data = { file: name, cards: chosen.length }
    await output.print({ data: () => data, ids: [order.uid], screen: () => '' })
    writeNote(session.context, describeExport(chosen.length, name, platform))
  }
}
