// The text of `batch export`: what was written, what is missing, and how to get it.
import type { Suggest } from '../../../text/suggest.ts'
import { sanitize } from '../../terminal/sanitize.ts'
import { describeCount } from '../../text/amounts.ts'

export type ExportedBatch = {
  readonly name: string
  readonly isCancelled: boolean
  readonly file: string
  readonly counts: {
    /** With codes in the file. */
    readonly written: number
    readonly failed: number
    readonly open: number
    readonly unknown: number
    readonly cancelled: number
  }
}

export type ExportProblems = {
  /** Delivered cards that the service no longer shows. */
  readonly lost: number
  readonly surplus: readonly { readonly orderId: string; readonly count: number }[]
}

const formatCards = (count: number): string => describeCount(count, 'card')
const beFor = (count: number): string => (count === 1 ? 'is' : 'are')

export const renderExported = (
  { name, isCancelled, file, counts }: ExportedBatch,
  suggest: Suggest,
): string => {
  const { written, failed, open, unknown, cancelled } = counts
  const run = suggest`batch run ${name}`
  const line = (count: number, text: string, next: string): string =>
    count === 0 ? '' : `${formatCards(count)} ${text}.${isCancelled ? '' : next}\n`
  return [
    `Wrote ${formatCards(written)} with codes to ${sanitize(file)}, readable only by you (mode 0600)\n`,
    line(
      failed,
      'failed',
      ` Buy ${failed === 1 ? 'it' : 'them'} again: ${suggest`batch run ${name} --retry-failed`}`,
    ),
    line(unknown, 'may have been bought: the outcome is unknown', ` Check again: ${run}`),
    line(open, `${beFor(open)} not delivered yet`, ` Continue: ${run}`),
    line(cancelled, `${beFor(cancelled)} cancelled`, ''),
  ].join('')
}

const maxNamed = 3

export const listExportWarnings = ({ lost, surplus }: ExportProblems, suggest: Suggest): string[] => {
  const extra = surplus.reduce((count, each) => count + each.count, 0)
  const named = surplus.slice(0, maxNamed).map(({ orderId }) => `\n  ${suggest`redeem ${orderId} --reveal`}`)
  const more = surplus.length > maxNamed ? `\n  and ${surplus.length - maxNamed} more orders` : ''
  return [
    lost === 0
      ? ''
      : `the service no longer shows ${formatCards(lost)} that it delivered; the file has no code for ${lost === 1 ? 'it' : 'them'}. Ask the support of the service.`,
    extra === 0
      ? ''
      : `${formatCards(extra)} ${extra === 1 ? 'belongs' : 'belong'} to no row and ${beFor(extra)} not in the file. Show the cards of the order:${named.join('')}${more}`,
  ].filter((text) => text !== '')
}
