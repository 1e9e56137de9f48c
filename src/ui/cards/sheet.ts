// The cards of an order as a page to print or to send: one file, a sheet a card, nothing that it loads or runs.
import { hash } from 'node:crypto'
import { type Card, findCards } from '../../contract/redeem-cards.ts'
import { safeText } from '../terminal/safe-text.ts'
import type { Here } from '../terminal/view.ts'
import { barcodeSvg } from './barcode.ts'
import { type CardOrder, expiryWords, scannable } from './card-order.ts'
import { valueText } from './cards.ts'
import { type IssuerText, issuerTexts } from './instructions.ts'
import { qrSvg } from './qr.ts'
import { sheetStyle } from './sheet-style.ts'

const entities = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
])

const escaped = (text: string): string => text.replace(/[&<>"']/g, (found) => entities.get(found) ?? '')
const html = (text: string): string => escaped(safeText(text))

/** The style of this file alone passes; no script, no image, no font, no form, from anywhere. */
const policy = `default-src 'none'; style-src 'sha256-${hash('sha256', sheetStyle, 'base64')}'; base-uri 'none'; form-action 'none'`

export const sheetHtml = (order: CardOrder, here: Here): string => {
  const cards = findCards(order.redeem)
  const texts = issuerTexts(order.redeem)
  const sheets = cards.map((card, index) => {
    const footer = `Order ${html(order.uid)} · ${html(card.sku)} · card ${index + 1} of ${cards.length}`
    return sheet(card, order.products.get(card.sku)?.shopItem.name ?? card.sku, footer, here, texts)
  })
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta http-equiv="x-dns-prefetch-control" content="off">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<meta name="viewport" content="width=device-width">
<title>Order ${html(order.uid)}</title>
<style>${sheetStyle}</style>
</head>
<body>
${sheets.join('')}</body>
</html>
`
}

const sheet = (
  card: Card,
  name: string,
  footer: string,
  here: Here,
  texts: readonly IssuerText[],
): string => {
  const { sku, code, pin, serial, link } = card
  const scanned = scannable(card)
  const qr = scanned === undefined ? undefined : qrSvg(scanned)
  // Where there is no code, as in shape B, the PIN is what was bought.
  const bars = code ?? pin
  const barcode = bars === undefined ? undefined : barcodeSvg(bars)
  const what = scanned === link ? 'link' : scanned === code ? 'code' : 'PIN'
  return `<article>
<header><h1 dir="auto">${html(name)}</h1><p class="value">${html(valueText(card))}</p></header>
<div class="card">
<dl>
${secret('Code', code)}${secret('PIN', pin)}${secret('Serial number', serial)}${link === undefined ? '' : field('Link', linkHtml(link), 'link')}${field('Expires', html(expiryWords(card, here) ?? ''))}</dl>
${qr === undefined ? '' : `<figure>${qr}<figcaption>Scan for the ${what}</figcaption></figure>\n`}</div>
${barcode === undefined ? '' : `<p>${barcode}</p>\n`}${texts
  .filter((text) => text.sku === sku)
  .map(issuerHtml)
  .join('')}<footer>${footer}</footer>
</article>
`
}

/** Nothing where there is no value: the text is HTML. */
const field = (label: string, value: string, kind = ''): string =>
  value === ''
    ? ''
    : `<dt>${label}</dt><dd${kind === '' ? '' : ` class="${kind}"`} dir="ltr" translate="no">${value}</dd>\n`

const secret = (label: string, value: string | undefined): string =>
  value === undefined ? '' : field(label, html(value), 'secret')

// Nothing but the web's own addresses can be clicked.
const linkHtml = (link: string): string =>
  /^https?:\/\//i.test(link) && URL.canParse(link)
    ? `<a href="${escaped(link)}" rel="noreferrer noopener">${html(link)}</a>`
    : html(link)

/** Each line stands on the side where its own language begins. */
const issuerHtml = ({ title, text, language }: IssuerText): string => {
  const heading = title === 'terms' ? 'Terms' : 'How to redeem'
  const lang = language !== undefined && /^[a-z]{2,3}(-[a-z\d]{2,8})*$/i.test(language) ? language : ''
  return `<section class="${title === 'terms' ? 'terms' : 'steps'}"><h2>${heading}</h2><div dir="auto"${lang === '' ? '' : ` lang="${lang}"`}>${escaped(text)}</div></section>\n`
}
