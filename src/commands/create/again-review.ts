// Shows the products of an earlier order before they are ordered again.
import { sanitize } from '../../ui/terminal/sanitize.ts'
import type { View } from '../../ui/terminal/view.ts'
import { renderFields } from '../../ui/text/fields.ts'
import { renderTable } from '../../ui/text/table.ts'
import type { Order } from './wizard/order.ts'

export const renderAgainReview = ({ products, wallet, reference }: Order, view: View): string =>
  `\n${renderTable(
    [
      { title: 'SKU', narrow: 'wrap' },
      { title: 'TYPE', narrow: 'wrap' },
      { title: 'EACH', align: 'right' },
      { title: 'ORDERED', align: 'right' },
    ],
    products.map(({ sku, type, quote, quantity }) => [sku, type ?? 'fixed', quote, quantity]),
    view,
  )}\n${renderFields(
    [
      ['Wallet', wallet && sanitize(wallet)],
      ['Reference', sanitize(reference)],
    ],
    view,
  )}\n`
