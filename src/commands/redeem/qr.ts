// redeem --qr: draws QR codes on the terminal.
import { Failure } from '../../errors.ts'
import { formatValue, scannable } from '../../ui/cards/cards.ts'
import { type QrDrawing, renderQr } from '../../ui/cards/qr.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import type { Deliver } from './cards.ts'
import { createMissingValueFailure, skusOf } from './cards.ts'

export const drawCards: Deliver = async ({ stdout, stderr }, delivery) => {
  const { options, order, chosen, view, reveal } = delivery
  const cards = chosen.map(({ number, card }) => ({
    number,
    card,
    title: `${number}  ${sanitize(card.sku)}  ${sanitize(formatValue(card))}`.trimEnd(),
    value: options.only === undefined ? scannable(card) : card[options.only],
  }))
  const drawn = cards.flatMap(({ value, ...card }) =>
    value === undefined ? [] : [{ ...card, drawing: renderQr(value, stdout.colour) }],
  )
  if (drawn.length === 0)
    throw createMissingValueFailure(delivery.cards, options.only ?? 'link, code or PIN', {
      orderId: order.uid,
    })
  const problems = drawn.flatMap(({ title, drawing }) => problemOf(title, drawing, view.width))
  if (problems.length > 0) {
    throw new Failure('usage', `cannot draw ${problems.length} of ${drawn.length} QR codes`, {
      field: '--qr',
      orderId: order.uid,
      violations: problems,
      fix: (suggest) => `Use a wider window, or: ${suggest`redeem ${order.uid} --export cards.html`}`,
    })
  }
  const texts = drawn.map(({ title, drawing }) => `${view.theme.strong(title)}\n${drawing?.text ?? ''}`)
  await reveal('qr', skusOf(drawn.map(({ card }) => card)), () => stdout.write(texts.join('\n')))
  for (const { title, value } of cards) {
    if (value === undefined) stderr.write(`Nothing to draw for card ${title}\n`)
  }
}

const problemOf = (title: string, drawing: QrDrawing | undefined, width: number): string[] => {
  if (drawing === undefined) return [`${title}: too long for a QR code, or not valid text`]
  return drawing.width <= width
    ? []
    : [`${title}: needs ${drawing.width} columns, but the terminal has ${width}`]
}
