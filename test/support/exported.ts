// The files that redeem --export writes.
import type { CardOrder } from '../../src/ui/cards/cards.ts'
import { exportOrder, loadFormat } from '../../src/ui/cards/export.ts'
import type { LocalTime } from '../../src/ui/terminal/view.ts'

const [csv, text, html] = await Promise.all((['csv', 'txt', 'html'] as const).map(loadFormat))

const render =
  (format = csv) =>
  (order: CardOrder, here: LocalTime = { now: 0, timeZone: 'UTC' }): string =>
    [...(format?.render(exportOrder(order), here) ?? [])].join('')

export const renderCsv = render(csv)
export const renderCardList = render(text)
export const renderSheet = render(html)
