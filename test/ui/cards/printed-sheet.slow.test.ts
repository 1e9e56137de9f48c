// The card sheets as Chromium prints them to PDF: two cards a page, codes that can be scanned, and no path of the file.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { findCards } from '../../../src/contract/redeem-cards.ts'
import { renderSheet } from '../../../src/ui/cards/sheet.ts'
import { line } from '../../support/embedded.ts'
import { isInstalled } from '../../support/installed.ts'
import { readPixels } from '../../support/qr-reader.ts'
import { now, ordered } from '../screens.ts'

const missing = [
  ...(isInstalled('chromium') ? [] : ['chromium']),
  ...(isInstalled('pdftoppm') ? [] : ['pdftoppm (poppler-utils)']),
]
const cannot = missing.length === 0 ? '' : ` (skipped: ${missing.join(' and ')} is not installed)`

type Paper = 'A4' | 'Letter'

/** Prints with the browser's own header and footer, as the dialog does by default. */
const print = (html: string, paper: Paper = 'Letter') => {
  const folder = mkdtempSync(path.join(tmpdir(), 'orderctl-printed-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const [page, pdf] = [path.join(folder, 'cards.html'), path.join(folder, 'cards.pdf')]
  const policy = /<meta http-equiv="Content-Security-Policy"[^>]*>/
  const sized = html.replace(policy, '').replace('</head>', `<style>@page { size: ${paper} }</style></head>`)
  writeFileSync(page, sized)
  const quiet = [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    `--user-data-dir=${path.join(folder, 'profile')}`,
  ]
  execFileSync('chromium', [...quiet, `--print-to-pdf=${pdf}`, `file://${page}`], { stdio: 'ignore' })
  const texts = execFileSync('pdftotext', ['-layout', pdf, '-'], { encoding: 'utf8' })
    .split('\f')
    .slice(0, -1)
  const draw = (number: number) => {
    const words = ['-r', '150', '-gray', '-f', String(number), '-l', String(number), '-singlefile']
    execFileSync('pdftoppm', [...words, pdf, path.join(folder, 'page')])
    return readPgm(readFileSync(path.join(folder, 'page.pgm')))
  }
  return { texts, draw }
}

/** True means light. */
const readPgm = (bytes: Buffer): boolean[][] => {
  const [header = '', width = '', height = ''] =
    /^P5\s+(\d+)\s+(\d+)\s+255\s/.exec(bytes.toString('latin1', 0, 40)) ?? []
  const pixels = bytes.subarray(header.length)
  return Array.from({ length: Number(height) }, (_, y) =>
    Array.from({ length: Number(width) }, (_, x) => (pixels[y * Number(width) + x] ?? 0) > 127),
  )
}

describe.skipIf(cannot !== '')(`in Chromium${cannot}`, { timeout: 60_000 }, () => {
  test.each(['A4', 'Letter'] as const)(
    'two cards are on a page of %s, and both can be scanned',
    async (paper) => {
      const { order } = await ordered([line('GAME-US', { quantity: 2 }), 'GAME-DE', 'FILM-IL', 'GAME-BR'])
      const cards = findCards(order.redeem)
      const { texts, draw } = print(renderSheet(order, { now, timeZone: 'UTC' }), paper)
      const numbersOf = (text: string) =>
        [...text.matchAll(/card (\d) of 5/g)].map(([, number]) => Number(number))
      expect(texts.map(numbersOf)).toEqual([[1, 2], [3, 4], [5]])
      for (const [page, numbers] of [[1, 2], [3, 4], [5]].entries()) {
        const pixels = draw(page + 1)
        const middle = Math.round(pixels.length / 2)
        const halves = [pixels.slice(0, middle), pixels.slice(middle)]
        expect(numbers.map((_, half) => readPixels(halves[half] ?? []))).toEqual(
          numbers.map((number) => cards[number - 1]?.link),
        )
      }
    },
  )

  test('no page has a path, a date or an order id, but each card a line for the recipient', async () => {
    const { order } = await ordered([line('GAME-US', { quantity: 3 })])
    const { texts } = print(renderSheet(order, { now, timeZone: 'UTC' }))
    expect(texts.join('')).not.toMatch(/file:|cards\.html|\d+\/\d+\/\d+|\d\/\d/)
    expect(texts.join('')).not.toContain(order.uid)
    expect(texts.join('').match(/^ *For *$/gm)).toHaveLength(3)
    expect(texts.join('').match(/Barcode of the code/g)).toHaveLength(3)
    expect(texts.join('').match(/QR code of the link/g)).toHaveLength(3)
  })

  test('a card with long terms is on pages of its own, and loses no line', async () => {
    const { order } = await ordered([line('GAME-US', { quantity: 2 })])
    const terms = Array.from({ length: 150 }, (_, index) => `Term ${index + 1}.`).join('\n')
    const redeem = new Map(
      [...(order.redeem ?? [])].map(([sku, each]) => [
        sku,
        { ...(each as object), redeemInstructions: { tnc: terms } },
      ]),
    )
    const { texts } = print(renderSheet({ ...order, redeem } as typeof order, { now, timeZone: 'UTC' }))
    expect(texts.length).toBeGreaterThan(2)
    for (let term = 1; term <= 150; term += 1) {
      expect(texts.join('').match(new RegExp(`Term ${term}\\.`, 'g'))).toHaveLength(2)
    }
  })
})
