// The style of the page of a report, in light and dark and on paper.

export const reportStyle = `
@page { margin: 15mm }
:root { color-scheme: light dark; --text: #1b1f24; --quiet: #57606a; --line: #d0d7de; --bar: #2563a8; --page: #fff }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6edf3; --quiet: #9aa4af; --line: #3b434c; --bar: #6ca6e8; --page: #12161b }
}
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 60rem; padding: 1.5rem; background: var(--page); color: var(--text); font: 15px/1.5 system-ui, "Noto Sans", Arial, sans-serif }
h1 { font-size: 1.4rem; margin: 0 }
h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; border-bottom: 1px solid var(--line) }
p { margin: .25rem 0; color: var(--quiet) }
svg { display: block; width: 100%; height: auto; font: 13px system-ui, "Noto Sans", Arial, sans-serif }
svg rect { fill: var(--bar) }
svg text { fill: var(--text) }
.wide { overflow-x: auto }
table { border-collapse: collapse; width: 100%; margin-top: .75rem; font-variant-numeric: tabular-nums }
th, td { text-align: left; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: break-word }
th:not(.number), td:not(.number) { min-width: 6.5rem; max-width: 24rem }
th { color: var(--quiet); font-weight: 600 }
.number { text-align: right; white-space: nowrap }
tfoot td { font-weight: 700 }
@media print {
  :root { color-scheme: light; --text: #000; --quiet: #333; --line: #999; --bar: #555; --page: #fff }
  body { max-width: none; padding: 0; font-size: 10pt }
  svg rect { print-color-adjust: exact; -webkit-print-color-adjust: exact }
  .wide { overflow: visible }
  tr, svg { break-inside: avoid }
  h2 { break-after: avoid }
}
`
