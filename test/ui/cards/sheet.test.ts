// The printable card sheets: text, QR codes and barcodes, no loading or scripts. printed-sheet.slow.test.ts prints them.
import { describe, expect, test } from 'vitest'
import { decimal } from '../../../src/contract/money/decimal.ts'
import { line } from '../../support/embedded.ts'
import { renderSheet } from '../../support/exported.ts'
import { readSvg } from '../../support/qr-reader.ts'
import { now, ordered } from '../screens.ts'

const here = { now, timeZone: 'UTC' }
const sheetsOf = (html: string): string[] => html.match(/<article>[\s\S]*?<\/article>/g) ?? []
const qrOf = (sheet = ''): string | undefined =>
  readSvg(/<svg[^>]* class="qr"[\s\S]*?<\/svg>/.exec(sheet)?.[0] ?? '')

const evil = '<img src=http://evil.example/i><script>fetch("http://evil.example/s")</script>'
const tnc = `<style>@import "http://evil.example/c"</style>${evil}<p>Terms <a href="javascript:alert(1)">here</a></p>`
const redeemInstructions = {
  ...{ tncHtml: tnc, redeem: `${evil}\u202eturned` },
  languageCode: 'en"><img src=http://evil.example/l>',
}
const cards = [
  { redeemCardCode: `=A<"'&>${'\u202e'}1`, redeemLink: 'https://evil.example/?a="&b=<' },
  { redeemCardCode: 'x'.repeat(3000), redeemLink: 'javascript:alert(1)', expirationDate: '' },
]
const hostile = {
  ...{ reference: `PO${evil}`, uid: `ord_"><b>${evil}`, products: new Map() },
  redeem: new Map([[`X${evil}`, { redeemInstructions, cards, currency: 'EUR', value: decimal('20') }]]),
}

describe('the sheets', () => {
  test('are one for each card, with all its fields', async () => {
    const { order } = await ordered([line('GAME-US', { quantity: 2 }), 'GAME-BR'])
    const sheets = sheetsOf(renderSheet(order, here))
    const { cards = [] } = (order.redeem?.get('GAME-US') ?? {}) as { cards?: Record<string, string>[] }
    const { redeemPin = [] } = (order.redeem?.get('GAME-BR') ?? {}) as { redeemPin?: string[] }
    expect(sheets).toHaveLength(3)
    const names = ['redeemCardCode', 'redeemPin', 'redeemSerialNumber', 'redeemLink']
    const others = ['Quorvane Games 25 USD', '25.00 USD', 'card 2 of 3', 'Not exchangeable for cash.']
    const texts = [...names.map((name) => cards[1]?.[name]), ...others]
    expect(texts.filter((text) => !sheets[1]?.includes(`${text}<`))).toEqual([])
    const links = [...cards.map(({ redeemLink }) => redeemLink), 'https://redeem.example/GAME-BR']
    expect(sheets.map(qrOf)).toEqual(links)
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
    expect(html).toContain(`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; `)
    const tags = new Set([...html.matchAll(/<([a-z][a-z\d]*)/g)].map(([, tag]) => tag))
    expect([...tags].sort().join(' ')).toBe(
      'a article b body dd div dl dt figcaption figure footer h1 h2 head header html meta p path rect section span style svg title',
    )
    expect(html.match(/href="[^"]*"/g)).toEqual(['href="https://evil.example/?a=&quot;&amp;b=&lt;"'])
    expect(html).not.toMatch(/\u202e| lang="en"[^>]*>&lt;|lang="en&/)
    expect(sheetsOf(html).map(qrOf)).toEqual(['https://evil.example/?a="&b=<', 'javascript:alert(1)'])
  })
})
