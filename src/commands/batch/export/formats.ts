// The formats of an exported batch. Each makes the parts of its file one after the other.
import path from 'node:path'
import type { Here } from '../../../ui/terminal/view.ts'
import { createSheetKeeper, type KeepCards, keepCards } from './exported-card.ts'
import { type ExportedBatch, formatValue, listLines, nameColumns } from './lines.ts'

export type ExportFormat = {
  readonly keepCards: KeepCards
  /** Whether the file has a line for a card without a code. */
  readonly hasAllCards: boolean
  render(exported: ExportedBatch, options: RenderOptions): Iterable<string>
}

type RenderOptions = {
  readonly here: Here
  /** The index of the column with the names of the recipients. */
  readonly recipient: number | undefined
}

const endings = ['.csv', '.jsonl', '.html'] as const
export type Ending = (typeof endings)[number]

export const endingNames = `${endings.slice(0, -1).join(', ')} or ${endings.at(-1)}`

export const findEnding = (file: string): Ending | undefined =>
  endings.find((ending) => ending === path.extname(file).toLowerCase())

/** Loads what the format needs. Call it before codes are read. */
export const loadFormat = (ending: Ending): Promise<ExportFormat> => loaders[ending]()

const loadCsv = async (): Promise<ExportFormat> => {
  const { renderCsvLine } = await import('../../../ui/cards/csv.ts')
  function* render(exported: ExportedBatch) {
    yield renderCsvLine(nameColumns(exported.batch.header.map(({ name }) => name)))
    for (const values of listLines(exported)) yield renderCsvLine(values.map(formatValue))
  }
  return { keepCards, hasAllCards: true, render }
}

const loadJsonLines = async (): Promise<ExportFormat> => {
  const { renderJsonLine } = await import('../../../ui/text/json.ts')
  function* render(exported: ExportedBatch) {
    const names = nameColumns(exported.batch.header.map(({ name }) => name))
    for (const values of listLines(exported)) yield renderJsonLine(names, values)
  }
  return { keepCards, hasAllCards: true, render }
}

const loadHtml = async (): Promise<ExportFormat> => {
  const [{ renderSheets }, { readIssuerTexts }] = await Promise.all([
    import('../../../ui/cards/sheet.ts'),
    import('../../../ui/cards/instructions.ts'),
  ])
  function* listSheets({ batch, rows, cards }: ExportedBatch, recipient: number | undefined) {
    for (const [index, { kept, row }] of cards.entries()) {
      if (kept?.print === undefined) continue
      const { card, print } = kept
      const place = `card ${index + 1} of ${cards.length}`
      yield {
        card,
        ...print,
        footer: `${batch.name} · ${place}`,
        recipient: recipient === undefined ? undefined : rows[row]?.cells[recipient],
      }
    }
  }
  return {
    keepCards: createSheetKeeper(readIssuerTexts),
    hasAllCards: false,
    render: (exported, { here, recipient }) =>
      renderSheets(`Cards ${exported.batch.name}`, listSheets(exported, recipient), here),
  }
}

const loaders: Readonly<Record<Ending, () => Promise<ExportFormat>>> = {
  '.csv': loadCsv,
  '.jsonl': loadJsonLines,
  '.html': loadHtml,
}
