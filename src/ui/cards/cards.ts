// Renders the cards of an order: as a table, in which codes are masked unless they are revealed, and as plain text. Then how
// a card is redeemed, and its terms (order-service.md 2.8): converts issuers' HTML to plain text, keeps paragraphs, lists,
// links and entities, and drops scripts and hidden text.

import type { Card, Shortfall } from '../../contract/order/redeem-cards.ts'
import type { Order } from '../../contract/schemas.ts'
import { listEntries } from '../../contract/shape.ts'
import { decodeHtmlAttribute } from '../../text/known-codes.ts'
import { createCodeMasker, listCodes, maskTerms } from '../masking/mask-response.ts'
import { safeLines, sanitize } from '../terminal/text.ts'
import type { LocalTime, Theme, View } from '../terminal/view.ts'
import { formatDate, toInstant } from '../text/formats.ts'
import { listColumns } from '../text/result-fields.ts'
import {
  type ColumnOf,
  fitsTable,
  paragraph,
  readTable,
  renderSection,
  renderTable,
  right,
} from '../text/table.ts'
import { maskCards, type OwnedCard, shownCardFields } from './card-fields.ts'

/** Leaves out empty columns, and the numbers if they count the rows. */
export const renderCards = (given: readonly OwnedCard[], reveal: boolean, view: View): string => {
  if (given.length === 0) return ''
  const cards = reveal ? given : maskCards(given)
  const numberOf = ({ number }: OwnedCard, index: number): string => String(number ?? index + 1)
  const column: ColumnOf<OwnedCard> = ['#', numberOf, right]
  const others = listColumns(shownCardFields, cards, view).filter(([, read]) =>
    cards.some((card, index) => read(card, index) !== ''),
  )
  const isCounted = cards.every((card, index) => numberOf(card, index) === String(index + 1))
  const columns = isCounted ? others : [column, ...others]
  const whole = readTable(columns, cards)
  if (fitsTable(...whole, view.width)) return renderTable(...whole, view)
  // Links are the longest texts. Below the table the terminal wraps them, so that a copied link has no line break.
  const rest = others.filter(([title]) => title !== 'LINK')
  const numbered = readTable([column, ...rest], cards)
  if (!fitsTable(...numbered, view.width)) return renderTable(...whole, view)
  const links = cards.map((card, index) =>
    card.link ? `${numberOf(card, index)}  ${sanitize(card.link)}\n` : '',
  )
  return `${renderTable(...numbered, view)}\n${renderSection('Links', links.join(''), view)}`
}

/** One line for each product with fewer cards than ordered. */
export const renderShortfalls = (shortfalls: readonly Shortfall[], theme: Theme): string =>
  shortfalls
    .map(({ sku, ordered, received }) => {
      const count = received === 0 ? 'no card' : `only ${received}`
      return `${theme.bad('missing:')} ${sanitize(sku)}: ${ordered} ordered, ${count} received\n`
    })
    .join('')

export type CardOrder = Pick<Order, 'uid' | 'reference' | 'products' | 'redeem'> & {
  /** Default: the cards in `redeem`. */
  readonly cards?: readonly OwnedCard[]
  /** How many the whole order has. Default: as many. */
  readonly cardCount?: number
}

/** The value for the QR code. A link comes first, because a camera can open it. */
export const scannable = ({ link, code, pin }: Card): string | undefined => link ?? code ?? pin

// Spec silent: an empty date means that the card never expires.
export const describeCardExpiry = ({ expires }: Card, here: LocalTime): string | undefined => {
  if (expires === undefined || expires === '') return expires === '' ? 'never' : undefined
  const at = toInstant(expires)
  return `${formatDate(expires, here)}${at !== undefined && at <= here.now ? ' (expired)' : ''}`
}

export type Sheet = {
  readonly card: Card
  readonly number: number
  readonly name: string
  /** Where the card comes from, in words of the buyer, because the recipient needs no order id. */
  readonly footer: string
  readonly texts: readonly IssuerText[]
  /** The name of the person who gets the card. Without one, the sheet has a line to write it on. */
  readonly recipient?: string | undefined
}

const maxLength = 64 * 1024

const dropped = new Set('script style template noscript head title iframe object svg math select'.split(' '))
const blockNames =
  'address article aside blockquote dd div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr main nav p pre ' +
  'section table tr'
const blocks = new Set(blockNames.split(' '))
const spaced = new Set('p h1 h2 h3 h4 h5 h6 table blockquote'.split(' '))
// Layout characters that terminals do not support.
const invisible = /(?![\ufe0e\ufe0f])\p{Default_Ignorable_Code_Point}/gu

/** A comment, or a tag with its name and attributes. A quoted `>` does not end it. */
const markup =
  /<!--.*?(?:-->|$)|<[!?][^>]*(?:>|$)|<(\/?)([a-z][a-z0-9-]*)((?:"[^"]*(?:"|$)|'[^']*(?:'|$)|[^>"'])*)(?:>|$)/gis

const readAttribute = (attributes: string, name: string): string => {
  const found = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s>"']+))`, 'i').exec(attributes)
  return decodeHtmlAttribute(found?.[1] ?? found?.[2] ?? found?.[3] ?? '').trim()
}

export const htmlToText = (html: string): string => {
  let text = ''
  let skipping = ''
  /** The number of the last item of each open list. Undefined if its items have no numbers. */
  const lists: (number | undefined)[] = []
  const links: { href: string; from: number }[] = []

  const breakLine = (lines = 1) => {
    while (text.endsWith(' ')) text = text.slice(0, -1)
    if (text === '') return
    const there = /\n*$/.exec(text.slice(-2))?.[0].length ?? 0
    text += '\n'.repeat(Math.max(0, lines - there))
  }
  const add = (words: string) => {
    text += /(^|\s)$/.test(text.slice(-1)) ? words.replace(/^ +/, '') : words
  }
  const openTag = (tag: string, attributes: string) => {
    if (tag === 'br') text += '\n'
    else if (tag === 'ul' || tag === 'ol') {
      breakLine()
      lists.push(tag === 'ol' ? 0 : undefined)
    } else if (tag === 'li') {
      breakLine()
      const count = lists.pop()
      const next = count === undefined ? undefined : count + 1
      text += `${'  '.repeat(Math.min(8, lists.length))}${next === undefined ? '-' : `${next}.`} `
      lists.push(next)
    } else if (tag === 'a') links.push({ href: readAttribute(attributes, 'href'), from: text.length })
    else if (tag === 'img') add(readAttribute(attributes, 'alt'))
    else if (tag === 'td' || tag === 'th') add(' ')
    else if (blocks.has(tag)) breakLine(spaced.has(tag) ? 2 : 1)
  }
  const closeTag = (tag: string) => {
    if (tag === 'ul' || tag === 'ol') {
      lists.pop()
      breakLine()
    } else if (tag === 'a') {
      const link = links.pop()
      const isShown = link !== undefined && text.slice(link.from).includes(link.href)
      if (link !== undefined && /^(https?:\/\/|mailto:|tel:)/i.test(link.href) && !isShown)
        add(` (${link.href})`)
    } else if (blocks.has(tag) || tag === 'li') breakLine(spaced.has(tag) ? 2 : 1)
  }

  const addText = (source: string) => {
    // As in attributes: in text, the &region of an address would become ®ion.
    const words = decodeHtmlAttribute(source.replace(/[ \t\r\n\f]+/g, ' '))
    if (skipping === '') add(words.replace(/[\u00a0\u2002\u2003\u2009]/g, ' ').replace(invisible, ''))
  }

  const source = html.slice(0, maxLength)
  let at = 0
  for (const { 0: whole, 1: slash, 2: name = '', 3: attributes = '', index } of source.matchAll(markup)) {
    addText(source.slice(at, index))
    at = index + whole.length
    const tag = name.toLowerCase()
    if (skipping !== '') {
      if (slash === '/' && tag === skipping) skipping = ''
    } else if (slash === '/') closeTag(tag)
    else if (!dropped.has(tag)) openTag(tag, attributes)
    else if (!attributes.endsWith('/')) skipping = tag
  }
  addText(source.slice(at))
  const tidy = text
    .replace(/ +\n/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
  return safeLines(html.length > maxLength ? `${tidy}…` : tidy)
}

const findField = (tree: unknown, name: string): unknown =>
  listEntries(tree)?.find(([key]) => key === name)?.[1]

const readString = (fields: unknown, name: string): string => {
  const value = findField(fields, name)
  return typeof value === 'string' ? value.trim() : ''
}

type Mask = (text: string) => string

// Masked before the text is made safe, which would escape or remove what hides a code, and again after it. A masked text may
// be decoded, so the result is made safe, too.
const readText = (fields: unknown, plain: string, html: string, mask: Mask): string => {
  const text = readString(fields, plain)
  return safeLines(mask(text === '' ? htmlToText(mask(readString(fields, html))) : safeLines(mask(text))))
}

export type IssuerText = {
  readonly sku: string
  readonly title: 'how to redeem' | 'terms'
  readonly text: string
  /** As the service sent it. */
  readonly language: unknown
}

/** Without a mask, a text may repeat a code. */
export const readIssuerTexts = (redeem: unknown, mask: Mask = (text) => text): IssuerText[] =>
  (listEntries(redeem) ?? []).flatMap(([sku, entry]) => {
    const fields = findField(entry, 'redeemInstructions')
    const language = findField(fields, 'languageCode')
    return [
      {
        sku,
        title: 'how to redeem' as const,
        text: readText(fields, 'redeem', 'redeemHtml', mask),
        language,
      },
      { sku, title: 'terms' as const, text: readText(fields, 'tnc', 'tncHtml', mask), language },
    ].filter(({ text }) => text !== '')
  })

/** Unless `reveal` is set, masks every code of the whole order that the texts repeat. */
export const renderInstructions = (
  redeem: unknown,
  reveal: boolean,
  view: Pick<View, 'width' | 'theme'>,
  whole: unknown = redeem,
): string => {
  const codes = createCodeMasker(reveal ? [] : listCodes(whole))
  return readIssuerTexts(redeem, reveal ? undefined : (text) => maskTerms(text, codes))
    .map((text) => renderIssuerText(text, view))
    .join('\n')
}

export const renderIssuerText = (
  { sku, title, text }: IssuerText,
  view: Pick<View, 'width' | 'theme'>,
): string => renderSection(`${sanitize(sku)}: ${title}`, paragraph(text, view.width, '  '), view)
