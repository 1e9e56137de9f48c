// redeem --export: the cards in a file. It is a destination, so they stand there as they are; nothing shows them.
import type { Context } from '../../context.ts'
import { safeText } from '../../ui/terminal/safe-text.ts'
import type { Deliver, ExportFile } from './options.ts'
import { stageFile } from './staged-file.ts'

export const exportTo = ({ clock }: Context, { name, form, force }: ExportFile) => {
  const file = stageFile(name, { flag: '--export', force, newId: clock.newId })
  const deliver: Deliver = async ({ stderr }, { wanted, order, cards, view, show, note }) => {
    const text = await form(order, view)
    await note('export')
    file.keep(text)
    await show({ data: () => ({ file: name, cards: cards.length }), ids: [order.uid], screen: () => '' })
    const count = cards.length === 1 ? '1 card' : `${cards.length} cards`
    if (!wanted.quiet) stderr.write(`${count} unmasked in ${safeText(name)}, for your eyes alone (0600)\n`)
  }
  return { deliver, end: file.discard }
}
