// The steps of `orderctl batch export`: options → file → batch → its orders → the card of each row → recorded, written.
import type { Context } from '../../../context.ts'
import type { Clock } from '../../../contract/clock.ts'
import { Failure, interruption } from '../../../errors.ts'
import { exitCodes } from '../../../exit-codes.ts'
import type { Batch } from '../../../journal/batches/batch.ts'
import type { Batches } from '../../../journal/batches/batches.ts'
import { openBatches } from '../../../journal/batches/batches.ts'
import type { Owner } from '../../../journal/entry.ts'
import { type Collected, type CollectedCard, collectCards } from '../../../operations/batch/collect-cards.ts'
import { type DuplicateRow, describeDuplicateRows } from '../../../ui/cards/duplicates.ts'
import { listExportWarnings, renderExported } from '../../../ui/screens/batch/batch-exported.ts'
import { renderJson } from '../../../ui/text/json.ts'
import { revealOrders, type ShownCodes } from '../../shared/output/reveal.ts'
import { viewOf } from '../../shared/output/view-of.ts'
import { openSession, openToSend, type SendingSession } from '../../shared/session.ts'
import { stageFile } from '../../shared/staged-file.ts'
import { findBatch } from '../open-batch.ts'
import type { ExportOptions } from '../spec.ts'
import {
  type Ending,
  type ExportedBatch,
  type ExportedCard,
  endingNames,
  findEnding,
  isLost,
  type KeepCards,
  loadFormat,
} from './formats.ts'

const fileArgument = 'FILE'

/** Returns the exit code. */
export const exportBatch = async (context: Context, options: ExportOptions): Promise<number> => {
  const ending = readEnding(options)
  const { force } = options
  const file = stageFile(options.file, { field: fileArgument, force, newId: context.clock.newId })
  try {
    const opened = await openSession(context, options)
    try {
      const session = await openToSend(context, opened, { spends: false })
      const batches = openBatches(session.journal)
      const batch = await findExportable(batches, session.owner, options.batch)
      const recipient = findRecipient(batch, options.recipient)
      const format = await loadFormat(ending)
      const { cards, surplus } = await collectWithProgress(session, batch, format.keepCards)
      stopIfInterrupted(session.interrupted)
      const orders = listShownCodes(cards)
      if (orders.length === 0 && !format.hasAllCards) throw createNoCodesFailure(batch)
      const here = viewOf(context, session.serviceNow())
      const exported = { batch, cards, rows: await batches.listRows(batch.number) }
      const { end } = session.waiting.begin(() => `writing ${cards.length} cards`)
      await revealOrders(context, session, { orders, how: 'export' }, () =>
        file.keep(withPauses(format.render(exported, { here, recipient }), session)),
      ).finally(end)
      const problems = { lost: cards.filter(isLost).length, surplus }
      const duplicates = describeDuplicateRows(listDuplicates(exported)) ?? []
      for (const text of listExportWarnings(problems, context.suggest).concat(duplicates))
        context.stderr.warn(text)
      report(context, options, batch, cards)
      return cards.some(isDuplicate) ? exitCodes.partial.code : exitCodes.ok.code
    } finally {
      await opened.close()
    }
  } finally {
    file.discard()
  }
}

/** The extension of the file, which selects the format. */
const readEnding = ({ file, recipient }: ExportOptions): Ending => {
  const fix = 'orderctl batch export --help'
  const ending = findEnding(file)
  if (ending === undefined) {
    const text = `${fileArgument} is ${JSON.stringify(file)}; allowed: a name that ends in ${endingNames}`
    throw new Failure('usage', text, { field: fileArgument, fix })
  }
  if (recipient !== undefined && ending !== '.html') {
    const text = `--recipient needs a ${fileArgument} that ends in .html`
    throw new Failure('usage', text, { field: '--recipient', fix })
  }
  return ending
}

const findExportable = async (batches: Batches, owner: Owner, named: string): Promise<Batch> => {
  const batch = await findBatch(batches, owner, named)
  const { name, startedAt, cancelledAt } = batch
  if (startedAt !== undefined) return batch
  if (cancelledAt !== undefined) {
    throw new Failure(
      'refused',
      `the batch ${name} has no codes, because it was cancelled before it was started`,
    )
  }
  throw new Failure('refused', `the batch ${name} has no codes yet, because it was not started`, {
    fix: (suggest) => suggest`batch run ${name}`,
  })
}

/** Returns the index of the column of --recipient. Without the flag, a column with a usual name is used. */
const findRecipient = ({ name, columns }: Batch, recipient: string | undefined): number | undefined => {
  if (recipient === undefined) return findUsual(columns)
  const index = columns.indexOf(recipient)
  if (index !== -1) return index
  const problem = `the batch ${name} has no column '${recipient}'`
  throw new Failure('usage', columns.length === 0 ? `${problem}, and no other columns` : problem, {
    field: '--recipient',
    fix:
      columns.length === 0
        ? 'Omit --recipient.'
        : `Use a column of the batch: ${columns.map((column) => `'${column}'`).join(', ')}`,
  })
}

const findUsual = (columns: readonly string[]): number | undefined => {
  const folded = columns.map((column) => column.trim().toLowerCase())
  return ['recipient', 'name'].map((usual) => folded.indexOf(usual)).find((index) => index !== -1)
}

const collectWithProgress = async (
  session: SendingSession,
  batch: Batch,
  keepCards: KeepCards,
): Promise<Collected<ExportedCard>> => {
  let progress = ''
  const onProgress = (done: number, total: number): void => {
    progress = `reading orders: ${done} of ${total}`
  }
  const { end } = session.waiting.begin(() => progress)
  return collectCards(session, batch, { keepCards, onProgress }).finally(end)
}

const isDuplicate = ({ outcome }: Pick<CollectedCard<unknown>, 'outcome'>): boolean => outcome === 'duplicate'

const listDuplicates = ({ rows, cards }: ExportedBatch): DuplicateRow[] =>
  cards
    .filter(isDuplicate)
    .map(({ row, order, error }) => ({ line: rows[row]?.line, orderId: order?.orderId, error }))

/** The orders whose codes are written. */
const listShownCodes = (cards: readonly CollectedCard<ExportedCard>[]): readonly ShownCodes[] => {
  const skusOf = new Map<string, Set<string>>()
  for (const { order, kept } of cards) {
    if (order === undefined || kept === undefined) continue
    const skus = skusOf.get(order.orderId) ?? new Set()
    skusOf.set(order.orderId, skus.add(kept.card.sku))
  }
  return [...skusOf].map(([orderId, skus]) => ({ orderId, skus: [...skus] }))
}

const report = (
  { stdout, stderr, suggest }: Context,
  { file, json, quiet }: ExportOptions,
  { name, cancelledAt }: Batch,
  cards: readonly CollectedCard<ExportedCard>[],
): void => {
  const count = (outcome: CollectedCard<ExportedCard>['outcome']): number =>
    cards.filter((card) => card.outcome === outcome).length
  const counts = {
    delivered: count('delivered'),
    failed: count('failed'),
    duplicate: count('duplicate'),
    open: count('open'),
    unknown: count('unknown'),
    cancelled: count('cancelled'),
  }
  if (json) stdout.write(renderJson({ file, cards: cards.length, ...counts }))
  if (quiet || json) return
  const written = cards.filter(({ kept }) => kept !== undefined).length
  const isCancelled = cancelledAt !== undefined
  stderr.write(renderExported({ name, isCancelled, file, counts: { ...counts, written } }, suggest))
}

const createNoCodesFailure = ({ name }: Batch): Failure =>
  new Failure('refused', `the batch ${name} has no codes to print`, {
    fix: (suggest) => suggest`batch show ${name}`,
  })

const busyMs = 50

const stopIfInterrupted = (interrupted: AbortSignal): void => {
  if (interrupted.aborted) throw interruption(interrupted, 'interrupted; no file was written')
}

/** Throws after Ctrl-C. */
async function* withPauses(
  parts: Iterable<string>,
  { clock, interrupted }: { readonly clock: Clock; readonly interrupted: AbortSignal },
): AsyncGenerator<string> {
  let pausedAt = clock.monotonic()
  for (const part of parts) {
    if (clock.monotonic() - pausedAt >= busyMs) {
      await clock.sleep(0, interrupted)
      pausedAt = clock.monotonic()
    }
    stopIfInterrupted(interrupted)
    yield part
  }
}
