// The printable card sheets: text, QR codes and barcodes, no loading or scripts. Also tested in Chromium.
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { execa } from 'execa'
import { describe, expect, test } from 'vitest'
import { decimal } from '../../../src/contract/decimal.ts'
import { renderSheet } from '../../../src/ui/cards/sheet.ts'
import { isFullRun } from '../../support/cases.ts'
import { noChromium } from '../../support/chromium.ts'
import { line } from '../../support/embedded.ts'
import { readSvg } from '../../support/qr-reader.ts'
import { now, ordered } from '../screens.ts'

const here = { now, timeZone: 'UTC' }
const sheetsOf = (html: string): string[] => html.match(/<article>[\s\S]*?<\/article>/g) ?? []
const qrOf = (sheet = ''): string | undefined =>
  readSvg(/<svg[^>]* class="qr"[\s\S]*?<\/svg>/.exec(sheet)?.[0] ?? '')

const evil = '<img src=http://evil.example/i><script>fetch("http://evil.example/s")</script>'
const hostile = {
  reference: `PO${evil}`,
  uid: `ord_"><b>${evil}`,
  products: new Map(),
  redeem: new Map([
    [
      `X${evil}`,
      {
        redeemInstructions: {
          tncHtml: `<style>@import "http://evil.example/c"</style>${evil}<p>Terms <a href="javascript:alert(1)">here</a></p>`,
          redeem: `${evil}\u202eturned`,
          languageCode: 'en"><img src=http://evil.example/l>',
        },
        cards: [
          { redeemCardCode: `=A<"'&>${'\u202e'}1`, redeemLink: 'https://evil.example/?a="&b=<' },
          { redeemCardCode: 'x'.repeat(3000), redeemLink: 'javascript:alert(1)', expirationDate: '' },
        ],
        currency: 'EUR',
        value: decimal('20'),
      },
    ],
  ]),
}

describe('the sheets', () => {
  test('are one for each card, with all its fields', async () => {
    const { order } = await ordered([line('GAME-US', { quantity: 2 }), 'GAME-BR'])
    const sheets = sheetsOf(renderSheet(order, here))
    const { cards = [] } = (order.redeem?.get('GAME-US') ?? {}) as { cards?: Record<string, string>[] }
    const { redeemPin = [] } = (order.redeem?.get('GAME-BR') ?? {}) as { redeemPin?: string[] }
    expect(sheets).toHaveLength(3)
    const facts = ['redeemCardCode', 'redeemPin', 'redeemSerialNumber', 'redeemLink'].map(
      (name) => cards[1]?.[name],
    )
    const texts = [
      ...facts,
      'Quorvane Games 25 USD',
      '25.00 USD',
      'card 2 of 3',
      'Not exchangeable for cash.',
    ]
    expect(texts.filter((text) => !sheets[1]?.includes(`${text}<`))).toEqual([])
    expect(sheets.map(qrOf)).toEqual([
      cards[0]?.redeemLink,
      cards[1]?.redeemLink,
      'https://redeem.example/GAME-BR',
    ])
    expect(sheets.map((sheet) => sheet.includes('class="barcode"'))).toEqual([true, true, true])
    expect(sheets[2]).toContain(redeemPin[0])
  })

  test('say when a card expires, has expired or never does', async () => {
    const { order } = await ordered(['GAME-US'])
    const year = 366 * 24 * 60 * 60 * 1000
    expect(renderSheet(order, here)).toMatch(/Expires<\/dt><dd[^>]*>\d{4}-\d\d-\d\d</)
    expect(renderSheet(order, { ...here, now: now + year })).toMatch(/\d{4}-\d\d-\d\d \(expired\)</)
    expect(renderSheet(hostile, here)).toMatch(/Expires<\/dt><dd[^>]*>never</)
  })

  test("name the issuer's language, and leave the side to each text", async () => {
    const { order } = await ordered(['FILM-IL'])
    expect(renderSheet(order, here)).toMatch(/<div dir="auto" lang="he">הכרטיס/)
  })

  test('escape every text', () => {
    const html = renderSheet(hostile, here)
    const tags = new Set([...html.matchAll(/<([a-z][a-z\d]*)/g)].map(([, tag]) => tag))
    expect([...tags].sort().join(' ')).toBe(
      'a article b body dd div dl dt figcaption figure footer h1 h2 head header html meta p path section span style svg title',
    )
    expect(html.match(/href="[^"]*"/g)).toEqual(['href="https://evil.example/?a=&quot;&amp;b=&lt;"'])
    expect(html).not.toMatch(/\u202e| lang="en"[^>]*>&lt;|lang="en&/)
    expect(sheetsOf(html).map(qrOf)).toEqual(['https://evil.example/?a="&b=<', 'javascript:alert(1)'])
  })
})

/** Opens it in Chromium, which asks a proxy of ours for whatever it wants from a network. */
const inChromium = async (html: string) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'orderctl-chromium-'))
  const asked: string[] = []
  const note = (url = '') => {
    // The browser's own, which no flag keeps it from.
    if (!/^(https?:\/\/)?[\w.]+\.(google|googleapis|gvt1)\.com\b/.test(url)) asked.push(url)
  }
  const proxy = createServer((request, response) => {
    note(request.url)
    response.end()
  }).on('connect', (request, socket) => {
    note(request.url)
    socket.destroy()
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const [page, pdf] = [path.join(folder, 'cards.html'), path.join(folder, 'cards.pdf')]
  writeFileSync(page, html)
  const quiet = 'gpu,quic,background-networking,component-update,sync,default-apps,domain-reliability'.split(
    ',',
  )
  const open = (...words: string[]) =>
    execa('chromium', [
      '--headless',
      '--no-sandbox',
      '--no-first-run',
      ...quiet.map((each) => `--disable-${each}`),
      `--proxy-server=127.0.0.1:${(proxy.address() as AddressInfo).port}`,
      '--proxy-bypass-list=<-loopback>',
      `--user-data-dir=${path.join(folder, 'profile')}`,
      ...words,
      `file://${page}`,
    ])
  try {
    await open('--no-pdf-header-footer', `--print-to-pdf=${pdf}`)
    const { stdout: dom } = await open('--dump-dom')
    return { dom, pages: readFileSync(pdf, 'latin1').match(/\/Type \/Page\b/g)?.length, asked }
  } finally {
    proxy.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

describe.skipIf(noChromium !== '')(`in Chromium${noChromium}`, { timeout: 60_000 }, () => {
  test('two cards are on a page with their whole text and no requests', async () => {
    const { order } = await ordered([line('GAME-US', { quantity: 2 }), 'MOBILE-KW', 'FILM-IL'])
    const html = renderSheet(order, here)
    const { dom, pages, asked } = await inChromium(html)
    expect({ pages, asked }).toEqual({ pages: 2, asked: [] })
    expect(sheetsOf(dom).map((each) => each.replace(/<svg[\s\S]*?<\/svg>/g, ''))).toEqual(
      sheetsOf(html).map((each) => each.replace(/<svg[\s\S]*?<\/svg>/g, '').replaceAll('&quot;', '"')),
    )
  })

  test.runIf(isFullRun)('the policy blocks injected content but allows the style', async () => {
    const open = renderSheet(hostile, here).replace('<footer>', `<footer>${evil}`)
    expect((await inChromium(open)).asked).toEqual([])
    // What is looked at here would be seen.
    const { asked } = await inChromium(open.replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, ''))
    expect(asked).toEqual(expect.arrayContaining(['http://evil.example/i', 'http://evil.example/s']))
  })
})
