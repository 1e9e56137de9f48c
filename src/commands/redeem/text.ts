// Prints cards as a table, as JSON, or as bare values for scripts.
import type { Card } from '../../contract/redeem-cards.ts'
import { renderCards } from '../../ui/cards/cards.ts'
import { renderInstructions } from '../../ui/cards/instructions.ts'
import { maskCode, maskLink } from '../../ui/masking/mask-codes.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { codesOf } from '../shared/output/reveal.ts'
import type { Deliver } from './cards.ts'
import { createMissingValueFailure, selectSkus, skusOf } from './cards.ts'
import type { ValueKind } from './spec.ts'

export const printCards: Deliver = async ({ stdout, stderr }, delivery) => {
  const { whole, view, output, reveal } = delivery
  const { only, card: number, reveal: isRevealed, quiet } = delivery.options
  const cards = delivery.chosen.map(({ card }) => card)
  const order = number === undefined ? delivery.order : selectSkus(delivery.order, skusOf(cards))
  if (only !== undefined) {
    const text = formatValues(cards, only, { isRevealed, orderId: order.uid, number })
    if (isRevealed) await reveal('reveal', skusOf(cards), () => stdout.write(text))
    else stdout.write(text)
  } else {
    await output.print({
      data: () => ({ redeem: order.redeem }),
      whole,
      ids: [order.uid],
      codes: codesOf(order),
      screen: (isRevealed) =>
        [
          renderCards(cards, isRevealed, view, number),
          renderInstructions(order.redeem, isRevealed, view, whole),
        ]
          .filter((part) => part !== '')
          .join('\n'),
    })
  }
  if (!isRevealed && !quiet) stderr.write('Codes are hidden. Show them with --reveal.\n')
}

type Shown = {
  readonly isRevealed: boolean
  readonly orderId: string
  readonly number: number | undefined
}

/** One value per line. Control characters are escaped, because a code never has any. */
const formatValues = (cards: readonly Card[], kind: ValueKind, { isRevealed, ...named }: Shown): string => {
  const values = cards.map((card) => card[kind]).filter((value) => value !== undefined)
  if (values.length === 0) throw createMissingValueFailure(cards, kind, named)
  const mask = kind === 'link' ? maskLink : maskCode
  return values.map((value) => `${isRevealed ? sanitize(value) : mask(value)}\n`).join('')
}
