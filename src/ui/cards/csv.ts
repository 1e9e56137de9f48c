// The cards of an order as CSV (RFC 4180), which a spreadsheet opens without calculating any of it.
import { formatDecimal } from '../../contract/decimal.ts'
import { findCards } from '../../contract/redeem-cards.ts'
import type { CardOrder } from './card-order.ts'

// What makes a spreadsheet take a cell for a formula, full width as well. The apostrophe is among them, so that one
// that is taken off on the way back was always put on here.
const risky = /^[=+\-@\t\r\n'＝＋－＠]/

/** Exactly one apostrophe in front, taken off on the way back: no code is changed by going there and back. */
const safeCell = (text: string): string => (risky.test(text) ? `'${text}` : text)

// All are quoted: a separator of another country, or an edge of white, is then no question.
const quoted = (text: string): string => `"${safeCell(text).replaceAll('"', '""')}"`

const columns = 'order,sku,card,name,value,currency,code,pin,serial,link,expires'.split(',')

/** UTF-8 without a mark: with one, the first column's name would not be `order` to most programs. */
export const csvText = ({ uid, products, redeem }: CardOrder): string =>
  [
    columns.map(quoted).join(','),
    ...findCards(redeem).map(({ sku, value, currency, code, pin, serial, link, expires }, index) =>
      [
        uid,
        sku,
        String(index + 1),
        products.get(sku)?.shopItem.name,
        value && formatDecimal(value),
        currency,
        code,
        pin,
        serial,
        link,
        expires,
      ]
        .map((cell = '') => quoted(cell))
        .join(','),
    ),
  ]
    .map((line) => `${line}\r\n`)
    .join('')
