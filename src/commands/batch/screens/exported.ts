// The text of `batch export`: what was written, what is missing, and how to get it.
import type { Batch } from '../../../journal/batches/batches.ts'
import type { Suggest } from '../../../text/suggest.ts'
import { describeCount, describeExport } from '../../../ui/text/formats.ts'
import { listFirst } from '../../../ui/text/table.ts'
import { adviseFailed } from './batches.ts'

const formatCards = (count: number): string => describeCount(count, 'card')
const beFor = (count: number): string => (count === 1 ? 'is' : 'are')

type Counts = Readonly<Record<'written' | 'failed' | 'wrong' | 'open' | 'unknown' | 'cancelled', number>>

/** `written`: the cards with codes in the file. `wrong`: how many failed cards would be refused again. */
export const renderExported = (
  batch: Batch,
  file: string,
  counts: Counts,
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
export const listExportWarnings = (
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
