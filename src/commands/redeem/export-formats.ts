// The export formats, chosen by the ending of the file name.
import path from 'node:path'
import type { CardOrder } from '../../ui/cards/cards.ts'
import type { Here } from '../../ui/terminal/view.ts'

type ExportFormat = (order: CardOrder, here: Here) => Promise<string>

const formats = new Map<string, ExportFormat>([
  ['.csv', async (order) => (await import('../../ui/cards/csv.ts')).renderCsv(order)],
  // The same as --json --reveal.
  [
    '.json',
    async ({ redeem }) => (await import('../../ui/text/json.ts')).renderJson({ redeem }, { reveal: true }),
  ],
  ['.txt', async (order, here) => (await import('../../ui/cards/cards.ts')).renderCardList(order, here)],
  ['.html', async (order, here) => (await import('../../ui/cards/sheet.ts')).renderSheet(order, here)],
])

export const exportEndings = [...formats.keys()].join(', ')

export type ExportFile = { readonly name: string; readonly format: ExportFormat }

/** Undefined if no format has this ending. */
export const parseExportFile = (name: string): ExportFile | undefined => {
  const format = formats.get(path.extname(name).toLowerCase())
  return format && { name, format }
}
