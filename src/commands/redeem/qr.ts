// redeem --qr: what a camera is to read, drawn on the terminal.
import type { Context } from '../../context.ts'
import { Failure } from '../../errors.ts'
import { shellWord } from '../../text/shell-word.ts'
import { scannable } from '../../ui/cards/card-order.ts'
import { valueText } from '../../ui/cards/cards.ts'
import { type QrDrawing, qrText } from '../../ui/cards/qr.ts'
import { safeText } from '../../ui/terminal/safe-text.ts'
import { chosenCards, noSuchValue, skusOf } from './cards-of-order.ts'
import type { Asked, Deliver } from './options.ts'

export const drawCards: Deliver = async ({ stdout, stderr }: Context, asked: Asked): Promise<void> => {
  const { wanted, order, view, note } = asked
  const cards = chosenCards(asked).map(({ number, card }) => ({
    number,
    card,
    title: `${number}  ${safeText(card.sku)}  ${safeText(valueText(card))}`.trimEnd(),
    value: wanted.only === undefined ? scannable(card) : card[wanted.only],
  }))
  const drawn = cards.flatMap(({ value, ...card }) =>
    value === undefined ? [] : [{ ...card, drawing: qrText(value, stdout.colour) }],
  )
  if (drawn.length === 0) throw noSuchValue(asked.cards, wanted.only ?? 'link, code or PIN', order.uid)
  const problems = drawn.flatMap(({ title, drawing }) => problemOf(title, drawing, view.width))
  if (problems.length > 0) {
    throw new Failure('usage', `there is no room to draw ${problems.length} of ${drawn.length} QR codes`, {
      field: '--qr',
      orderId: order.uid,
      violations: problems,
      fix: `A wider window, or: orderctl redeem ${shellWord(order.uid)} --export cards.html`,
    })
  }
  await note('qr', skusOf(drawn.map(({ card }) => card)))
  const texts = drawn.map(({ title, drawing }) => `${view.theme.strong(title)}\n${drawing?.text ?? ''}`)
  stdout.write(texts.join('\n'))
  for (const { title, value } of cards) {
    if (value === undefined) stderr.write(`nothing to draw: ${title}\n`)
  }
}

const problemOf = (title: string, drawing: QrDrawing | undefined, width: number): string[] => {
  if (drawing === undefined) return [`${title}: longer than a QR code can be, or no whole text`]
  return drawing.width <= width ? [] : [`${title}: takes ${drawing.width} columns; there are ${width}`]
}
