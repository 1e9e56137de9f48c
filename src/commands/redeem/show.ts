// Where redeem shows or writes cards: on the screen as a table or bare values, as QR codes, or in a file.
import type { Context } from '../../context.ts'
import { Failure } from '../../errors.ts'
import { formatValue, renderCards, scannable } from '../../ui/cards/cards.ts'
import { renderInstructions } from '../../ui/cards/instructions.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { describeCount } from '../../ui/text/amounts.ts'
import { writeNote } from '../shared/notes.ts'
import { codesOf } from '../shared/output/reveal.ts'
import { stageFile } from '../shared/staged-file.ts'
import {
  createMissingValueFailure,
  type Deliver,
  type Delivery,
  maskValue,
  selectSkus,
  skusOf,
} from './cards.ts'
import type { ExportFile, RedeemOptions, ValueKind } from './spec.ts'

/** As a table, as JSON, or as bare values for scripts. */
export const printCards: Deliver = async ({ stdout, stderr }, delivery) => {
  const { whole, view, output, reveal } = delivery
  const { only, card: number, reveal: isRevealed, quiet } = delivery.options
  const cards = delivery.chosen.map(({ card }) => card)
  const order = number === undefined ? delivery.order : selectSkus(delivery.order, skusOf(cards))
  if (only !== undefined) {
    const text = formatValues(delivery, only)
    if (isRevealed) await reveal('reveal', skusOf(cards), () => stdout.write(text))
    else stdout.write(text)
  } else {
    await output.print({
      data: () => ({ redeem: order.redeem }),
      whole,
      ids: [order.uid],
      codes: codesOf(order),
      screen: (isRevealed) => {
        const table = renderCards(cards, isRevealed, view, number)
        const instructions = renderInstructions(order.redeem, isRevealed, view, whole)
        return [table, instructions].filter((part) => part !== '').join('\n')
      },
    })
  }
  if (!isRevealed && !quiet) stderr.write('Codes are hidden. Show them with --reveal.\n')
}

/** One value per line. Control characters are escaped, because a code never has any. */
const formatValues = (delivery: Delivery, kind: ValueKind): string => {
  const values = delivery.chosen.flatMap(({ card }) => card[kind] ?? [])
  if (values.length === 0) throw createMissingValueFailure(delivery, kind)
  return values
    .map((value) => `${delivery.options.reveal ? sanitize(value) : maskValue(kind, value)}\n`)
    .join('')
}

export const drawCards: Deliver = async ({ stdout, stderr }, delivery) => {
  const { options, order, chosen, view, reveal } = delivery
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
      fix: (suggest) => `Use a wider window, or: ${suggest`redeem ${order.uid} --export cards.html`}`,
    })
  }
  const texts = drawn.map(({ title, drawing }) => `${view.theme.strong(title)}\n${drawing?.text ?? ''}`)
  await reveal('qr', skusOf(drawn.map(({ card }) => card)), () => stdout.write(texts.join('\n')))
  for (const { title, value } of cards) {
    if (value === undefined) stderr.write(`Nothing to draw for card ${title}\n`)
  }
}

/** Fails before any call if the file cannot be written. An incomplete file is removed at the end. */
export const exportTo = (
  { clock }: Context,
  { name, format }: ExportFile,
  { force }: RedeemOptions,
  cleanup: AsyncDisposableStack,
): Deliver => {
  const file = stageFile(name, { field: '--export', force, newId: clock.newId })
  cleanup.defer(file.discard)
  return async (context, { order, cards, view, output, reveal }) => {
    const text = await format(order, view)
    await reveal('export', undefined, () => file.keep([text]))
    const data = { file: name, cards: cards.length }
    await output.print({ data: () => data, ids: [order.uid], screen: () => '' })
    const count = describeCount(cards.length, 'card')
    const note = `Wrote ${count} with codes to ${sanitize(name)}, readable only by you (mode 0600)\n`
    writeNote(context, note)
  }
}
