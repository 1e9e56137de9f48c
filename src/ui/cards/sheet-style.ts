// The style of the card sheet, on screens and on A4 or Letter paper.

export const sheetStyle = `
@page { margin: 15mm }
:root { color-scheme: light }
* { box-sizing: border-box }
body { margin: 0; background: #eee; color: #000; font: 11pt/1.4 system-ui, "Noto Sans", Arial, sans-serif }
article { background: #fff; max-width: 190mm; margin: 8mm auto; padding: 12mm }
h1, .recipient { overflow-wrap: anywhere }
.recipient { font-size: 14pt; line-height: 1.3; margin: 0 0 6mm }
header { display: flex; justify-content: space-between; align-items: baseline; gap: 8mm; border-bottom: .5mm solid #000 }
h1 { font-size: 20pt; line-height: 1.2; margin: 0 0 3mm }
.value { font-size: 20pt; line-height: 1.2; font-weight: 700; margin: 0 0 3mm; white-space: nowrap }
.card { display: flex; justify-content: space-between; align-items: flex-start; gap: 8mm; margin: 6mm 0 }
dl { margin: 0; min-width: 0 }
dt { color: #444; font-size: 9pt }
dd { margin: 0 0 3mm; overflow-wrap: anywhere }
.secret { font: 700 15pt/1.3 ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; white-space: pre-wrap }
.link { font-size: 9pt }
a { color: inherit }
figure { margin: 0; flex: none; text-align: center; font-size: 9pt; color: #444 }
.qr { width: 45mm; height: 45mm; display: block }
.barcode { display: block; max-width: 100% }
section { margin-top: 5mm }
section h2 { font-size: 11pt; margin: 0 0 1mm }
section div { white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: plaintext; text-align: start }
.terms { font-size: 9pt }
.terms h2 { font-size: 9pt }
footer { margin-top: 8mm; color: #444; font-size: 8pt; overflow-wrap: anywhere }
@media (max-width: 140mm) { .card { flex-direction: column } article { padding: 6mm } }
@media print {
  body { background: none }
  article { max-width: none; margin: 0; padding: 0; break-after: page }
  article:last-child { break-after: auto }
  .card, .barcode, h2, header, .recipient { break-inside: avoid; break-after: avoid }
}
`
