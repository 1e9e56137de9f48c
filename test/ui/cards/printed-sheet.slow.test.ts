// The card sheets as Chromium prints them to PDF: two cards a page, codes that can be scanned, and no path of the file.
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { execa } from 'execa'
import { describe, expect, onTestFinished, test } from 'vitest'
import { findCards } from '../../../src/contract/order/redeem-cards.ts'
import { line } from '../../support/embedded.ts'
import { renderSheet } from '../../support/exported.ts'
import { isInstalled } from '../../support/installed.ts'
import { readPixels } from '../../support/qr-reader.ts'
import { now, ordered } from '../screens.ts'

const missing = ['chromium', 'pdftoppm'].filter((program) => !isInstalled(program))
const cannot = missing.length === 0 ? '' : ` (skipped: ${missing.join(' and ')} is not installed)`

type Paper = 'A4' | 'Letter'

const here = { now, timeZone: 'UTC' }

/** Prints with the browser's own header and footer, as the dialog does by default. A proxy records what it requests. */
const print = async (html: string, paper: Paper = 'Letter') => {
  const folder = mkdtempSync(path.join(tmpdir(), 'orderctl-printed-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const [page, pdf] = [path.join(folder, 'cards.html'), path.join(folder, 'cards.pdf')]
  const size = `@page { size: ${paper} }`
  const allowed = html.replace("style-src '", `style-src 'sha256-${hash('sha256', size, 'base64')}' '`)
  writeFileSync(page, allowed.replace('</head>', `<style>${size}</style></head>`))
  const requested: string[] = []
  const record = (url = '') => {
    // No flag prevents the browser's own requests.
    if (!/^(https?:\/\/)?[\w.]+\.(google|googleapis|gvt1)\.com\b/.test(url)) requested.push(url)
  }
  const proxy = createServer((request, response) => {
    record(request.url)
    response.end()
  }).on('connect', (request, socket) => {
    record(request.url)
    socket.destroy()
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  onTestFinished(() => void proxy.close())
  const disabled = 'gpu,quic,background-networking,component-update,sync,default-apps,domain-reliability'
  await execa('chromium', [
    ...['--headless', '--no-sandbox', '--no-first-run', `--user-data-dir=${path.join(folder, 'profile')}`],
    ...disabled.split(',').map((each) => `--disable-${each}`),
    `--proxy-server=127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    ...['--proxy-bypass-list=<-loopback>', `--print-to-pdf=${pdf}`, `file://${page}`],
  ])
  const { stdout } = await execa('pdftotext', ['-layout', pdf, '-'])
  const draw = async (number: number) => {
    const words = ['-r', '150', '-gray', '-f', String(number), '-l', String(number), '-singlefile']
    await execa('pdftoppm', [...words, pdf, path.join(folder, 'page')])
    return readPgm(readFileSync(path.join(folder, 'page.pgm')))
  }
  return { texts: stdout.split('\f').slice(0, -1), draw, requested }
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

describe.skipIf(cannot !== '')(`in Chromium${cannot}`, () => {
  test.each(['A4', 'Letter'] as const)('two cards are on a page of %s, and can be scanned', async (paper) => {
    const { order } = await ordered([line('GAME-US', { quantity: 2 }), 'GAME-DE', 'FILM-IL', 'GAME-BR'])
    const cards = findCards(order.redeem)
    const { texts, draw, requested } = await print(renderSheet(order, here), paper)
    expect(requested).toEqual([])
    const pages = texts.map((text) =>
      [...text.matchAll(/card (\d) of 5/g)].map(([, number]) => Number(number)),
    )
    expect(pages).toEqual([[1, 2], [3, 4], [5]])
    for (const [page, numbers] of pages.entries()) {
      const pixels = await draw(page + 1)
      const middle = Math.round(pixels.length / 2)
      const halves = [pixels.slice(0, middle), pixels.slice(middle)]
      const links = numbers.map((number) => cards[number - 1]?.link)
      expect(numbers.map((_, half) => readPixels(halves[half] ?? []))).toEqual(links)
    }
  })

  test('no page has a path, a date or an order id, but each card a line for the recipient', async () => {
    const { order } = await ordered([line('GAME-US', { quantity: 3 })])
    const { texts } = await print(renderSheet(order, here))
    const text = texts.join('')
    expect(text).not.toMatch(/file:|cards\.html|\d+\/\d+\/\d+|\d\/\d/)
    expect(text).not.toContain(order.uid)
    for (const once of [/^ *For *$/gm, /Barcode of the code/g, /QR code of the link/g])
      expect(text.match(once)).toHaveLength(3)
  })

  test('the policy blocks injected content', async () => {
    const { order } = await ordered(['GAME-US'])
    const evil = '<img src=http://evil.example/i><script>fetch("http://evil.example/s")</script>'
    const injected = renderSheet(order, here).replace('<footer>', `<footer>${evil}`)
    expect((await print(injected)).requested).toEqual([])
    const open = injected.replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, '')
    expect((await print(open)).requested).toEqual(
      expect.arrayContaining(['http://evil.example/i', 'http://evil.example/s']),
    )
  })

  test('a card with long terms is on pages of its own, and loses no line', async () => {
    const { order } = await ordered([line('GAME-US', { quantity: 2 })])
    const terms = Array.from({ length: 150 }, (_, index) => `Term ${index + 1}.`).join('\n')
    const long = { redeemInstructions: { tnc: terms } }
    const redeem = new Map(
      [...(order.redeem ?? [])].map(([sku, each]) => [sku, { ...(each as object), ...long }]),
    )
    const { texts } = await print(renderSheet({ ...order, redeem } as typeof order, here))
    expect(texts.length).toBeGreaterThan(2)
    for (let term = 1; term <= 150; term += 1) {
      expect(texts.join('').match(new RegExp(`Term ${term}\\.`, 'g'))).toHaveLength(2)
    }
  })
})
