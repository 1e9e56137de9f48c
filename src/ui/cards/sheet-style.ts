// The style of the card sheet, on screens and on paper: two cards a page of A4 or Letter.

// Without a margin of the page, browsers leave out their header and footer, which would show the path of the file. So
// each card has its own margin, also on a second page. Two cards are 276 mm high, and Letter is 279 mm.
export const sheetStyle = `
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
.bars { margin-top: 3mm; text-align: start }
.barcode { display: block; max-width: 100% }
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
