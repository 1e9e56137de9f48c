// redeem --export: writes the cards with their codes to a file.
import type { Context } from '../../context.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { describeCount } from '../../ui/text/amounts.ts'
import { writeNote } from '../shared/notes.ts'
import { stageFile } from '../shared/staged-file.ts'
import type { Deliver, Destination } from './cards.ts'
import type { ExportFile, RedeemOptions } from './spec.ts'

export const exportTo = (
  { clock }: Context,
  { name, format }: ExportFile,
  { force }: RedeemOptions,
): Destination => {
  const file = stageFile(name, { field: '--export', force, newId: clock.newId })
  const deliver: Deliver = async ({ stderr }, { order, cards, view, output, reveal }) => {
    const text = await format(order, view)
    await reveal('export', undefined, () => file.keep([text]))
    await output.print({
      data: () => ({ file: name, cards: cards.length }),
      ids: [order.uid],
      screen: () => '',
    })
    writeNote(
      { stderr },
      `Wrote ${describeCount(cards.length, 'card')} with codes to ${sanitize(name)}, readable only by you (mode 0600)\n`,
    )
  }
  return { deliver, close: file.discard }
}
