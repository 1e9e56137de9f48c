// Renders cards as one HTML file to print or send, two cards a page. It loads nothing and runs nothing.
import { code128, drawingSVG } from 'bwip-js/generic'
import type { LocalTime } from '../terminal/view.ts'
import { escapeHtml, renderHead, toHtml } from '../text/html.ts'
import { formatValue } from './card-fields.ts'
import { describeCardExpiry, type IssuerText, type Sheet, scannable } from './cards.ts'
import { renderQrSvg } from './qr.ts'

// Without a margin of the page, browsers leave out their header and footer, which would show the path of the file. So
// each card has its own margin, also on a second page. Two cards are 276 mm high, and Letter is 279 mm.
const sheetStyle = `
@page { margin: 0 }
:root { color-scheme: light }
* { box-sizing: border-box }
body { margin: 0; background: #eee; color: #000; font: 10pt/1.35 system-ui, "Noto Sans", Arial, sans-serif }
article { background: #fff; max-width: 190mm; margin: 8mm auto; padding: 10mm 12mm }
.recipient { display: flex; gap: 3mm; align-items: baseline; margin: 0 0 4mm; color: #444; font-size: 9pt }
.recipient b { flex: 1; min-width: 0; min-height: 7mm; border-bottom: .2mm solid #444; color: #000; font-size: 13pt; line-height: 7mm; overflow-wrap: anywhere }
header { display: flex; justify-content: space-between; align-items: baseline; gap: 8mm; border-bottom: .5mm solid #000 }
h1 { font-size: 16pt; line-height: 1.2; margin: 0 0 2mm; overflow-wrap: anywhere }
.value { font-size: 16pt; line-height: 1.2; font-weight: 700; margin: 0 0 2mm; white-space: nowrap }
.card { display: flex; justify-content: space-between; align-items: flex-start; gap: 6mm; margin: 3mm 0 2mm }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 1.5mm 4mm; align-items: baseline; margin: 0; min-width: 0 }
dt { color: #444; font-size: 9pt }
dd { margin: 0; min-width: 0; overflow-wrap: anywhere }
.secret { font: 700 14pt/1.3 ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; white-space: pre-wrap }
.link { font-size: 9pt }
a { color: inherit }
figure { margin: 0; flex: none; text-align: center; font-size: 8pt; color: #444 }
.qr { width: 40mm; height: 40mm; display: block }
.bars { margin-top: 3mm; width: fit-content; max-width: 100% }
.barcode { display: block; margin: 0 auto; max-width: 100% }
section { margin-top: 2mm; font-size: 9pt }
section h2 { font-size: 9pt; margin: 0 }
section div { white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: plaintext; text-align: start }
.terms, .terms h2 { font-size: 8pt }
footer { margin-top: 3mm; color: #444; font-size: 8pt; overflow-wrap: anywhere }
@media (max-width: 140mm) { .card { flex-direction: column } article { padding: 6mm } }
@media print {
  body { background: none }
  article { max-width: none; min-height: 138mm; margin: 0; padding: 10mm 15mm; break-inside: avoid; box-decoration-break: clone; -webkit-box-decoration-break: clone }
  article:nth-child(even) { border-top: .2mm dashed #888 }
  .card, figure, h2, header, .recipient { break-inside: avoid; break-after: avoid }
}
`

/** The parts of the file, one for each sheet, so that a large file is never in memory. */
export function* renderSheets(title: string, sheets: Iterable<Sheet>, here: LocalTime): Generator<string> {
  yield renderHead(title, sheetStyle)
  for (const sheet of sheets) yield renderCard(sheet, here)
  yield `</body>
</html>
`
}

const renderCard = ({ card, name, footer, texts, recipient = '' }: Sheet, here: LocalTime): string => {
  const { code, pin, serial, link = '' } = card
  const scanned = scannable(card) ?? ''
  const qr = scanned && renderQrSvg(scanned)
  // Cards of shape B have no code: the PIN is what was bought.
  const bars = code ?? pin
  const barcode = bars && renderBarcode(bars)
  const what = scanned === link ? 'link' : scanned === code ? 'code' : 'PIN'
  const fields = [
    renderField('Code', toHtml(code ?? ''), 'secret'),
    renderField('PIN', toHtml(pin ?? ''), 'secret'),
    renderField('Serial number', toHtml(serial ?? ''), 'secret'),
    renderField('Link', renderLink(link), 'link'),
    renderField('Expires', toHtml(describeCardExpiry(card, here) ?? '')),
  ]
  const issuerTexts = texts.map(renderIssuerText)
  return `<article>
<p class="recipient"><span>For</span> <b dir="auto">${toHtml(recipient.trim())}</b></p>
<header><h1 dir="auto">${toHtml(name)}</h1><p class="value">${toHtml(formatValue(card))}</p></header>
<div class="card">
<dl>
${fields.join('')}</dl>
${qr ? `<figure>${qr}<figcaption>QR code of the ${what}</figcaption></figure>\n` : ''}</div>
${barcode ? `<figure class="bars">${barcode}<figcaption>Barcode of the ${code === undefined ? 'PIN' : 'code'}</figcaption></figure>\n` : ''}${issuerTexts.join('')}<footer>${toHtml(footer)}</footer>
</article>
`
}

/** The value is HTML. An empty value has no field. */
const renderField = (label: string, value: string, kind = ''): string =>
  value === ''
    ? ''
    : `<dt>${label}</dt><dd${kind === '' ? '' : ` class="${kind}"`} dir="ltr" translate="no">${value}</dd>\n`

// Only http and https addresses can be clicked.
const renderLink = (link: string): string =>
  /^https?:\/\//i.test(link) && URL.canParse(link)
    ? `<a href="${escapeHtml(link)}" rel="noreferrer noopener">${toHtml(link)}</a>`
    : toHtml(link)

/** `dir="auto"` aligns each text by its own writing direction. */
const renderIssuerText = ({ title, text, language }: IssuerText): string => {
  const [kind, heading] = title === 'terms' ? ['terms', 'Terms'] : ['steps', 'How to redeem']
  const isLanguage = typeof language === 'string' && /^[a-z]{2,3}(-[a-z\d]{2,8})*$/i.test(language)
  const lang = isLanguage ? ` lang="${language}"` : ''
  return `<section class="${kind}"><h2>${heading}</h2><div dir="auto"${lang}>${escapeHtml(text)}</div></section>\n`
}

/** Light modules at both ends, required by ISO/IEC 15417. */
const quietZone = 10
const moduleMm = 0.33
/** Finer modules are unreadable on paper from some printers. */
const minModuleMm = 0.25
const maxWidthMm = 175
const heightMm = 14
/** SVG units a module. */
const scale = 2

/** A Code 128 barcode for tills. Undefined if Code 128 cannot encode the characters, or the barcode is wider than a page. */
export const renderBarcode = (code: string): string | undefined => {
  if (!/^[ -~]+$/.test(code) || code.length > 100) return undefined
  const drawn = code128({ bcid: 'code128', text: code, scale, height: heightMm }, drawingSVG())
  const [, width = '', height = '', bars = ''] =
    /^<svg viewBox="0 0 (\d+) (\d+)"[^>]*>([\s\S]*)<\/svg>\s*$/.exec(drawn) ?? []
  const modules = Number(width) / scale + 2 * quietZone
  if (!(modules * minModuleMm <= maxWidthMm)) return undefined
  const widthMm = Math.min(modules * moduleMm, maxWidthMm).toFixed(2)
  return `<svg xmlns="http://www.w3.org/2000/svg" class="barcode" role="img" aria-label="Barcode" width="${widthMm}mm" height="${heightMm}mm" viewBox="${-quietZone * scale} 0 ${modules * scale} ${height}" preserveAspectRatio="none">${bars.replace(/\n/g, '')}</svg>`
}
