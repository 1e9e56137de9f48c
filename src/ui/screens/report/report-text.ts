// The words of a report, on the screen and on its page.
import type { DoubtfulKind, Report } from '../../../contract/report/report.ts'
import { formatUtcDay } from '../../../contract/timestamp.ts'
import type { Suggest } from '../../../text/suggest.ts'

export const describePeriod = ({ from, until }: Report): string =>
  `${formatUtcDay(from)} to ${formatUtcDay(until - 1)} (UTC)`

export const describeKeys = ({ by }: Report): string => by.join(', ')

export const joinKeys = (keys: readonly string[]): string => keys.join(' / ')

export const formatCount = (count: number): string => String(count).replace(/\B(?=(?:\d{3})+$)/g, ',')

/** What the amounts mean. Empty without orders. */
export const describeAmounts = ({ totals }: Report, suggest: Suggest): string => {
  const hasOrders = (kind: DoubtfulKind): boolean =>
    [...totals.values()].some((figures) => figures[kind].orders > 0)
  const refundable = (['failed', 'partial'] as const).filter(hasOrders).map((kind) => kind.toUpperCase())
  const sentences = [
    'CHARGED is what confirmed orders cost, by the last invoice that orderctl read.',
    refundable.length === 0
      ? 'The service does not report refunds.'
      : `The service does not report refunds: parts of ${refundable.join(' and ')} may have been paid back.`,
    ...(hasOrders('open') ? ['OPEN orders are not final yet.'] : []),
    ...(hasOrders('unknown')
      ? [
          `UNKNOWN orders may have been charged and are not part of CHARGED. Settle them: ${suggest`reconcile`}`,
        ]
      : []),
  ]
  return totals.size === 0 ? '' : sentences.join(' ')
}
