// redeem as text: a table, JSON, or bare values for scripts; masked unless they are to be revealed.
import type { Context } from '../../context.ts'
import type { Card } from '../../contract/redeem-cards.ts'
import { cardsText } from '../../ui/cards/cards.ts'
import { instructionsText } from '../../ui/cards/instructions.ts'
import { maskCode, maskLink } from '../../ui/masking/mask.ts'
import { safeText } from '../../ui/terminal/safe-text.ts'
import { noSuchValue } from './cards-of-order.ts'
import type { Asked, Kind } from './options.ts'

export const printCards = async ({ stdout, stderr }: Context, asked: Asked): Promise<void> => {
  const { order, whole, cards, view, show, reveals, note } = asked
  const { only, reveal, quiet } = asked.wanted
  const bare = only === undefined ? undefined : bareText(cards, only, reveal, order.uid)
  if (reveals) await note('reveal')
  if (bare !== undefined) stdout.write(bare)
  else {
    const screen = () =>
      [cardsText(cards, reveal, view), instructionsText(order.redeem, reveal, view, whole)]
        .filter((part) => part !== '')
        .join('\n')
    await show({ data: () => ({ redeem: order.redeem }), whole, ids: [order.uid], screen })
  }
  if (!reveal && !quiet) stderr.write('masked; --reveal shows them\n')
}

/** Bare values, for scripts; what would move a terminal's cursor is no code. */
const bareText = (cards: readonly Card[], kind: Kind, reveal: boolean, orderId: string): string => {
  const values = cards.map((card) => card[kind]).filter((value) => value !== undefined)
  if (values.length === 0) throw noSuchValue(cards, kind, orderId)
  const shown = (value: string): string =>
    reveal ? safeText(value) : kind === 'link' ? maskLink(value) : maskCode(value)
  return values.map((value) => `${shown(value)}\n`).join('')
}
