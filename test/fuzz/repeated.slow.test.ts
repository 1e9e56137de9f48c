// 8 codes, each repeated in 22 forms in every text of an order, by 7 commands: none shows a code. Not in scope: base64 and
// other ciphers, letters of other scripts that look alike, and more than three characters between two letters.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { confirmedExample, createdExample, orderExample } from '../../src/contract/openapi/examples.ts'
import { hastyClock, inProcess } from '../support/in-process.ts'
import { answersTime, type FakeService, openFakeService } from './fake-service.ts'
import { environment } from './ways.ts'

const codes = {
  'a code': { redeemCardCode: 'QV7K-30DM-XH2P-9A5C' },
  'a code of one word': { redeemCardCode: 'QV7K30DMXH2P9A5C' },
  'a code of digits': { redeemCardCode: '0164362523349381' },
  'a code of capitals': { redeemCardCode: 'QVKX-DMRT-XHPW' },
  'a short code': { redeemCardCode: 'AB12CD' },
  'a PIN': { redeemPin: '8362' },
  'a serial number': { redeemSerialNumber: 'SN-2231-77' },
  'a link': { redeemLink: 'https://redeem.example/c/L1NK-77QX-0001?u=a' },
} satisfies Record<string, Readonly<Record<string, string>>>

type Form = (code: string) => string
const between =
  (mark: string): Form =>
  (code) =>
    [...code].join(mark)
const each =
  (write: (unit: number) => string): Form =>
  (code) =>
    Array.from(code, (letter) => write(letter.charCodeAt(0))).join('')
const dashes =
  (mark: string): Form =>
  (code) =>
    code.replaceAll('-', mark)
const hex = (unit: number): string => unit.toString(16).padStart(2, '0')

const forms: Readonly<Record<string, Form>> = {
  plain: (code) => code,
  'in lower case': (code) => code.toLowerCase(),
  joined: dashes(''),
  'with spaces': dashes(' '),
  'with long dashes': dashes(' – '),
  'in groups of two': (code) => code.replaceAll('-', '').replaceAll(/..(?!$)/g, '$& '),
  'with a dot after each letter': between('.'),
  'in percent escapes': each((unit) => `%${hex(unit)}`),
  'in percent escapes twice': each((unit) => `%25${hex(unit)}`),
  'with dashes in percent escapes': dashes('%2D'),
  'in decimal entities': each((unit) => `&#${unit};`),
  'in hexadecimal entities without semicolons': each((unit) => `&#x00${hex(unit)}`),
  'in entities twice': each((unit) => `&amp;#${unit};`),
  'with entities of spaces': dashes('&nbsp;&ensp;'),
  'with soft hyphens': between('&shy;'),
  'with tags': between('<b></b>'),
  'with tags in entities': between('&lt;i&gt;'),
  'with tags that have attributes': between('<a href="https://a.example/?b=c&d=e" title=x>'),
  'with comments': between('<!-- > -->'),
  'with invisible characters': between('\u200b\u2060\ufeff\u00ad\u{e0041}'),
  'with control characters': between('\u202e\u0001'),
  'in fullwidth characters': each((unit) => String.fromCodePoint(unit + (unit > 32 ? 0xfee0 : 0))),
}

const orderId = orderExample.data.uid
const reference = orderExample.data.reference
const create = `create --product GAME-DE:20x2 --wallet USD --reference ${reference} --confirm --watch`
const commands = {
  create: `${create} --json`,
  get: `get ${orderId}`,
  'get --json': `get ${orderId} --json`,
  'get --explain': `get ${orderId} --explain`,
  list: 'list --json',
  redeem: `redeem ${orderId}`,
  watch: `watch ${orderId} --json`,
}

/** The order, with the text in each place that has no other rule. */
const repeatIn = (text: string, card: object) => {
  const { data } = orderExample
  const product = data.products['GAME-DE']
  const said = `Card ${text} here.`
  const unknown = { [said]: said, note: [said, { [text]: true }] }
  const open = { country: said, name: said, region: said, productType: said, baseCurrency: text }
  const deal = { amount: 1, adjustmentMode: said }
  const item = { type: said, description: said, effect: { amount: 1, currency: text, ...unknown } }
  const record = { ...data.invoice.records[0], items: [item], ...unknown }
  const instructions = {
    tnc: '',
    tncHtml: said,
    redeem: said,
    redeemHtml: `<p>${said}</p>`,
    languageCode: text,
  }
  return {
    ...orderExample,
    data: {
      ...{ ...data, ...unknown, state: 'successful' },
      products: {
        'GAME-DE': {
          ...product,
          customerDeal: { dealState: said, fee: deal, discount: deal },
          shopItem: { ...product.shopItem, ...open, ...unknown },
        },
      },
      invoice: { ...data.invoice, records: [record], paymentMethod: said, status: text },
      redeem: {
        'GAME-DE': {
          ...{ redeemInstructions: { ...instructions, ...unknown }, currency: text, value: 20, ...unknown },
          cards: [
            { ...card, expirationDate: said, ...unknown },
            { redeemPin: '', expirationDate: text },
          ],
        },
      },
    },
  }
}

const entities = new Map(Object.entries({ lt: '<', gt: '>', amp: '&', shy: '' }))

/** The text as a browser, a server and a person read it. */
const readings = (text: string): string[] => {
  const all = [text.replaceAll(/\\u\{[\da-f]+\}|\\u[\da-f]{4}/g, '')]
  for (let layer = 0; layer < 4; layer += 1)
    all.push(
      (all.at(-1) ?? '')
        .replaceAll(/%([0-7][\da-f])/gi, (_, digits) => String.fromCharCode(Number.parseInt(digits, 16)))
        .replaceAll(/&#(\d+);?/g, (_, digits) => String.fromCodePoint(Number(digits)))
        .replaceAll(/&#x([\da-f]+);?/gi, (_, digits) => String.fromCodePoint(Number.parseInt(digits, 16)))
        .replaceAll(/&(\w+);/g, (_, name) => entities.get(name) ?? ' '),
    )
  const readable = all.flatMap((each) => [each, each.replaceAll(/<!--.*?-->|<[^<>]*>/gs, '')])
  return readable.map((each) => each.normalize('NFKC').replaceAll(/\p{Cf}/gu, ''))
}

const maxShown = 4

const isShown = (text: string, code: string): boolean => {
  const letters = code.replaceAll(/[^A-Za-z0-9]/g, '')
  const wanted = letters.length < 12 ? letters : letters.slice(0, -maxShown)
  const pattern = new RegExp(`(?<![A-Za-z0-9])${[...wanted].join('[^A-Za-z0-9]{0,4}')}`, 'i')
  return readings(text).some((each) => pattern.test(each))
}

let service: FakeService
beforeAll(async () => {
  service = await openFakeService()
})
afterAll(() => service[Symbol.asyncDispose]())

const pending = { ...orderExample, data: { ...orderExample.data, state: 'created', redeem: {} } }

test('the search finds every form', () => {
  for (const [card, form] of Object.entries(forms))
    expect(isShown(`Card ${form('QV7K-30DM-XH2P-9A5C')} here.`, 'QV7K-30DM-XH2P-9A5C'), card).toBe(true)
})

test.each(
  Object.entries(codes).flatMap(([name, card]) =>
    Object.entries(forms).map(([form, write]) => ({ name, form, card, write })),
  ),
)('$name, $form', { timeout: 60_000 }, async ({ card, write }) => {
  const home = mkdtempSync(path.join(tmpdir(), 'orderctl-repeated-'))
  const [code = ''] = Object.values(card)
  const env = { ...environment, ORDERCTL_STATE_DIR: home, ORDERCTL_BASE_URL: service.origin }
  const clock = hastyClock(answersTime)
  try {
    for (const [command, words] of Object.entries(commands)) {
      service.setAnswers({
        ...{ got: repeatIn(write(code), card), created: createdExample, confirmed: confirmedExample },
        ...(command === 'create' ? { pending } : {}),
      })
      const { stdout, stderr } = await inProcess(words.split(' '), { cwd: home, env, clock })
      expect(stdout, command).toContain(command === 'redeem' ? 'GAME-DE' : orderId)
      const said = stdout + stderr
      expect(isShown(said, code) ? said : '', command).toBe('')
    }
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
})
