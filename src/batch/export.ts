// The steps of `orderctl batch export`: options → file → batch → its orders → the card of each row → recorded, written → what
// is missing, and how to get it. Below: what the file has of a batch.

import { openSession } from '../app/open-session.ts'
import { openToSend } from '../app/open-to-send.ts'
import { revealOrders, type ShownCodes } from '../app/output/output.ts'
import { type ExportFile, exportFile, stageFile } from '../app/staged-file.ts'
import { warnProse, writeProse } from '../app/terminal.ts'
import type { Context } from '../context.ts'
import { parseDecimal } from '../contract/money/decimal.ts'
import type { Card } from '../contract/order/redeem-cards.ts'
import type { Order } from '../contract/schemas.ts'
import { exitCodes, Failure, interruption } from '../errors.ts'
import type { Batch, StoredRow } from '../journal/batches/batches.ts'
import { listBatchRows } from '../journal/batches/cards.ts'
import type { HeaderColumn } from '../journal/tables/batches.ts'
import type { Suggest } from '../text/suggest.ts'
import { describeDuplicateRows } from '../ui/cards/card-fields.ts'
import { type IssuerText, readIssuerTexts } from '../ui/cards/cards.ts'
import {
  codeColumns,
  type ExportedCards,
  type ExportedValue,
  formatCell,
  loadFormat,
  readCodes,
} from '../ui/cards/export.ts'
import { viewOf } from '../ui/terminal/view.ts'
import { describeCount, describeExport } from '../ui/text/formats.ts'
import { readFields, renderJson } from '../ui/text/result-fields.ts'
import { listFirst } from '../ui/text/table.ts'
import { type CollectedCard, collectCards } from './buy/collect-cards.ts'
import { findBatch } from './open-batch.ts'
import { adviseFailed, exportedFields, isRowRefusal } from './screens/batches.ts'
import type { ExportOptions } from './spec.ts'

const fileArgument = 'FILE'

/** Returns the exit code. */
export const exportBatch = async (context: Context, options: ExportOptions): Promise<number> => {
  const { interrupted } = context
  const ending = findEnding(options)
  const { force } = options
  const file = stageFile(context, options.file, { field: fileArgument, force })
  try {
    await using opened = await openSession(context, options)
    const session = await openToSend(opened, { spends: false })
    const journal = session.journal
    const batch = await findBatch(journal, session.owner, options.batch)
    refuseWithoutCodes(batch)
    const recipient = findRecipient(batch, options.recipient)
    const format = await loadFormat(ending)
    let progress = ''
    const reading = session.waiting.begin(() => progress)
    const { cards, surplus } = await collectCards(
      session,
      batch,
      createKeeper(format.isPrinted),
      (done, total) => {
        progress = `reading orders: ${done} of ${total}`
      },
    ).finally(reading.end)
    if (interrupted.aborted) throw interruption(interrupted, 'interrupted; no file was written')
    const orders = listShownCodes(cards)
    if (orders.length === 0 && format.isPrinted) {
      throw new Failure('no-cards', `the batch ${batch.name} has no codes to print`, {
        fix: (suggest) => suggest`batch show ${batch.name}`,
      })
    }
    const exported = { batch, cards, rows: await listBatchRows(journal.read, batch.number) }
    const parts = format.render(toExportedCards(exported, recipient), viewOf(context, session.serviceNow()))
    const { end } = session.waiting.begin(() => `writing ${cards.length} cards`)
    await revealOrders(session, { orders, how: 'export' }, () =>
      file.keep(withPauses(context, parts)),
    ).finally(end)
    const duplicates = cards.filter(({ outcome }) => outcome === 'duplicate')
    const warnings = [
      ...listExportWarnings(cards.filter(isLost).length, surplus, context.suggest),
      describeDuplicateRows(
        duplicates.map(({ row, order, error }) => ({
          line: exported.rows[row]?.line,
          orderId: order?.orderId,
          error,
        })),
      ),
    ]
    for (const text of warnings) if (text !== undefined) warnProse(context, text)
    report(context, options, exported)
    return duplicates.length > 0 ? exitCodes.partial.code : exitCodes.ok.code
  } finally {
    file.discard()
  }
}

/** The extension of the file selects the format. */
const findEnding = ({ file, recipient }: ExportOptions): ExportFile['ending'] => {
  const fix = () => 'orderctl batch export --help'
  const ending = exportFile.parse(file)?.ending
  if (ending === undefined) {
    const text = `${fileArgument} is ${JSON.stringify(file)}; allowed: ${exportFile.allowed}`
    throw new Failure('usage', text, { field: fileArgument, fix })
  }
  if (recipient !== undefined && ending !== 'html' && ending !== 'txt') {
    const text = `--recipient needs a ${fileArgument} that ends in .html or .txt`
    throw new Failure('usage', text, { field: '--recipient', fix })
  }
  return ending
}

const refuseWithoutCodes = ({ name, startedAt, cancelledAt }: Batch): void => {
  if (startedAt !== undefined) return
  const why = cancelledAt === undefined ? 'it was not started' : 'it was cancelled before it was started'
  throw new Failure('no-cards', `the batch ${name} has no codes, because ${why}`, {
    fix: (suggest) => suggest`batch show ${name}`,
  })
}

/** Returns the index of the column of --recipient. Without the flag, a column with a usual name is used. */
const findRecipient = ({ name, columns }: Batch, recipient: string | undefined): number | undefined => {
  if (recipient === undefined) {
    const folded = columns.map((column) => column.trim().toLowerCase())
    return ['recipient', 'name'].map((usual) => folded.indexOf(usual)).find((index) => index !== -1)
  }
  const index = columns.indexOf(recipient)
  if (index !== -1) return index
  const named = columns.map((column) => `'${column}'`).join(', ')
  const noOthers = named === '' ? ', and no other columns' : ''
  throw new Failure('usage', `the batch ${name} has no column '${recipient}'${noOthers}`, {
    field: '--recipient',
    advice: named === '' ? 'Omit --recipient.' : `Use a column of the batch: ${named}`,
  })
}

const listShownCodes = (cards: readonly CollectedCard<ExportedCard>[]): readonly ShownCodes[] => {
  const shown = cards.filter(({ order, kept }) => order !== undefined && kept !== undefined)
  return [...Map.groupBy(shown, ({ order }) => order?.orderId ?? '')].map(([orderId, theirs]) => ({
    orderId,
    skus: [...new Set(theirs.flatMap(({ kept }) => kept?.card.sku ?? []))],
  }))
}

const report = (context: Context, { file, json }: ExportOptions, { batch, cards }: ExportedBatch): void => {
  const counts = { delivered: 0, failed: 0, duplicate: 0, open: 0, unknown: 0, cancelled: 0 }
  for (const { outcome } of cards) counts[outcome] += 1
  if (json) {
    const cardCounts = { ordered: cards.length, ...counts }
    return void context.stdout.write(renderJson(readFields(exportedFields, { file, cardCounts })))
  }
  const written = cards.filter(({ kept }) => kept !== undefined).length
  const wrong = cards.filter(({ outcome, error }) => outcome === 'failed' && isRowRefusal(error ?? '')).length
  writeProse(context, renderExported(batch, file, { ...counts, written, wrong }, context))
}

const busyMs = 50

/** Throws after Ctrl-C. */
async function* withPauses<Part>(
  { clock, interrupted }: Context,
  parts: Iterable<Part>,
): AsyncGenerator<Part> {
  let pausedAt = clock.monotonic()
  for (const part of parts) {
    if (clock.monotonic() - pausedAt >= busyMs) {
      await clock.sleep(0, interrupted)
      pausedAt = clock.monotonic()
    }
    if (interrupted.aborted) throw interruption(interrupted, 'interrupted; no file was written')
    yield part
  }
}

const formatCards = (count: number): string => describeCount(count, 'card')
const beFor = (count: number): string => (count === 1 ? 'is' : 'are')

/** `written`: the cards with codes in the file. `wrong`: how many failed cards would be refused again. */
const renderExported = (
  batch: Batch,
  file: string,
  counts: Readonly<Record<'written' | 'failed' | 'wrong' | 'open' | 'unknown' | 'cancelled', number>>,
  { suggest, platform }: { readonly suggest: Suggest; readonly platform: string },
): string => {
  const { name, cancelledAt } = batch
  const { written, failed, open, unknown, cancelled } = counts
  const run = suggest`batch run ${name}`
  const others: (readonly [count: number, text: string, next: string])[] = [
    [failed, 'failed', ` ${adviseFailed(batch, counts, suggest).join('\n')}`],
    [unknown, 'may have been bought: the outcome is unknown', ` Check again: ${run}`],
    [open, `${beFor(open)} not delivered yet`, ` Continue: ${run}`],
    [cancelled, `${beFor(cancelled)} cancelled`, ''],
  ]
  return [
    describeExport(written, file, platform),
    ...others
      .filter(([count]) => count > 0)
      .map(
        ([count, text, next]) => `${formatCards(count)} ${text}.${cancelledAt === undefined ? next : ''}\n`,
      ),
  ].join('')
}

/** `lost`: delivered cards that the service no longer shows. `surplus`: cards that belong to no row. */
const listExportWarnings = (
  lost: number,
  surplus: readonly { readonly orderId: string; readonly count: number }[],
  suggest: Suggest,
): string[] => {
  const extra = surplus.reduce((count, each) => count + each.count, 0)
  const reads = surplus.map(({ orderId }) => `\n  ${suggest`redeem ${orderId} --reveal`}`)
  const named = listFirst(reads, 3, (more) => `\n  and ${more} more orders`).join('')
  const warnings: string[] = []
  if (lost > 0)
    warnings.push(
      `the service no longer shows ${formatCards(lost)} that it delivered; the file has no code for ${lost === 1 ? 'it' : 'them'}. Contact the service's support.`,
    )
  if (extra > 0)
    warnings.push(
      `${formatCards(extra)} ${extra === 1 ? 'belongs' : 'belong'} to no row and ${beFor(extra)} not in the file. List the cards and their rows:${named}`,
    )
  return warnings
}

type ExportedCard = {
  readonly card: Card
  /** Only for a format that prints them. */
  readonly print?: { readonly name: string; readonly texts: readonly IssuerText[] }
}

type ExportedBatch = {
  readonly batch: Batch
  readonly rows: readonly StoredRow[]
  readonly cards: readonly CollectedCard<ExportedCard>[]
}

/** Orders of the same product have the same texts, which are kept once. */
const createKeeper = (isPrinted: boolean): ((order: Order) => (card: Card) => ExportedCard) => {
  const known = new Map<string, readonly IssuerText[]>()
  if (!isPrinted) return () => (card) => ({ card })
  return ({ redeem, products }) => {
    const bySku = Map.groupBy(readIssuerTexts(redeem), ({ sku }) => sku)
    return (card) => {
      const { sku } = card
      const key = JSON.stringify([sku, bySku.get(sku)])
      const texts = known.get(key) ?? bySku.get(sku) ?? []
      known.set(key, texts)
      return { card, print: { name: products.get(sku)?.shopItem.name ?? sku, texts } }
    }
  }
}

/** `recipient`: the index of the column with the names of the recipients. */
const toExportedCards = (exported: ExportedBatch, recipient: number | undefined): ExportedCards => {
  const { batch, rows, cards } = exported
  function* listSheets() {
    for (const [index, { kept, row }] of cards.entries()) {
      if (kept?.print === undefined) continue
      yield {
        card: kept.card,
        number: index + 1,
        ...kept.print,
        footer: `${batch.name} · card ${index + 1} of ${cards.length}`,
        recipient: recipient === undefined ? undefined : rows[row]?.cells[recipient],
      }
    }
  }
  return {
    title: `Cards ${batch.name}`,
    columns: [...nameColumns(batch.header), ...addedColumns],
    csv: batch.format,
    lines: () => listLines(exported),
    sheets: listSheets,
  }
}

const addedColumns = ['order_id', 'reference', 'state', 'error', ...codeColumns]

/** An input column with the name of another column gets a prefix, so that each name is unique. */
const nameColumns = (header: Batch['header']): readonly string[] => {
  const columns = header.map(({ name }) => name)
  return columns.map((column) => {
    let name = column
    while (addedColumns.includes(name) || (name !== column && columns.includes(name))) name = `input_${name}`
    return name
  })
}

const isLost = ({ outcome, kept }: CollectedCard<ExportedCard>): boolean =>
  outcome === 'delivered' && kept === undefined

/** Yields a line for each card: the values of the input's columns, as the user wrote them, and the result. */
function* listLines({ batch, rows, cards }: ExportedBatch) {
  const sources = batch.header.map(({ name, field }) => field ?? batch.columns.indexOf(name))
  const fields = [...sources.keys()].filter((index) => typeof sources[index] === 'string')
  for (const each of cards) {
    const { outcome, order, kept } = each
    const row = rows[each.row]
    const error = isLost(each) ? 'the service no longer shows this card' : each.error
    const cells = sources.map((source) => row && readCell(row, source))
    const given = new Map(fields.map((column, index) => [column, row?.given?.[index]]))
    yield {
      values: [...cells, order?.orderId, order?.reference, outcome, error, ...readCodes(kept?.card)],
      given: cells.map((cell, index) => given.get(index) ?? formatCell(cell)),
    }
  }
}

const readCell = (row: StoredRow, source: HeaderColumn['field'] | number): ExportedValue => {
  if (typeof source === 'number') return row.cells[source]
  return source === 'quote' ? (parseDecimal(row.quote) ?? row.quote) : source && row[source]
}
