// batch export to .html: one sheet for each delivered card, with the name of the person who gets it.
import { expect, test } from 'vitest'
import { realClock } from '../../../support/in-process.ts'
import { readSvg } from '../../../support/qr-reader.ts'
import { type Buyer, openBuyer } from './buyer.ts'

const evil = '<img src=x onerror=alert(1)>"\'&'
const people = {
  columns: ['name', `<b>${evil}`],
  rows: [
    { sku: 'GAME-US', quote: '25', quantity: 2, cells: ['Ana Pérez', evil] },
    { sku: 'TEST-FAIL', quote: '10', cells: ['Bo', evil] },
    { sku: 'COFFEE-US', quote: '5', cells: ['  ', evil] },
    { sku: 'GAME-US', quote: '25', cells: ['דנה', evil] },
  ],
  slots: [2, 1, 1, 1, 2],
}

const sheetsOf = ({ read }: Buyer): string[] =>
  read('cards.html').match(/<article>[\s\S]*?<\/article>/g) ?? []
const textsOf = (sheet: string): string[] =>
  [...sheet.matchAll(/<(?:b|h1|footer)[^>]*>([^<]*)</g)].map(([, text]) => text ?? '')

const bought = async () => {
  const buyer = await openBuyer(people)
  await buyer.start()
  const orders = [await buyer.buy(1), await buyer.buy(2)] as const
  buyer.settle()
  return { ...buyer, orders }
}

test('the sheets are in the order of the input, each with its recipient and its own code', async () => {
  const buyer = await bought()
  expect((await buyer.exports('cards.html', '--recipient', 'name')).stderr).toMatch(
    /^Wrote 4 cards with codes .*\n1 card failed\. Buy the failed cards again: /,
  )
  const game = 'Quorvane Games 25 USD'
  expect(sheetsOf(buyer).map(textsOf)).toEqual([
    ['Ana Pérez', game, 'orders · card 1 of 5'],
    ['Ana Pérez', game, 'orders · card 2 of 5'],
    ['', expect.any(String), 'orders · card 4 of 5'],
    ['דנה', game, 'orders · card 5 of 5'],
  ])
  const rows = await buyer.exported('codes.csv')
  const delivered = rows.filter(({ state }) => state === 'delivered')
  for (const [index, sheet] of sheetsOf(buyer).entries()) {
    expect(sheet).toContain(`>${delivered[index]?.code || delivered[index]?.pin}<`)
    expect(readSvg(/<svg[^>]* class="qr"[\s\S]*?<\/svg>/.exec(sheet)?.[0] ?? '')).toBe(delivered[index]?.link)
  }
  expect(sheetsOf(buyer)[0]).toContain('Not exchangeable for cash.')
})

test('every text of the input is escaped', async () => {
  const buyer = await bought()
  await buyer.exports('cards.html', '--recipient', people.columns[1] ?? '')
  expect(textsOf(sheetsOf(buyer)[0] ?? '')[0]).toBe('&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;')
  expect(buyer.read('cards.html')).not.toContain('<img')
})

test('without --recipient, a column with a usual name has the names', async () => {
  const buyer = await bought()
  await buyer.exports('cards.html')
  expect(sheetsOf(buyer).map((sheet) => textsOf(sheet)[0])).toEqual(['Ana Pérez', 'Ana Pérez', '', 'דנה'])
  expect(buyer.orders.filter((order) => buyer.read('cards.html').includes(order))).toEqual([])
})

test('without such a column, each sheet has a line to write a name on', async () => {
  const buyer = await openBuyer({
    rows: [{ sku: 'GAME-US', quote: '25', cells: ['Ana'] }],
    columns: ['team'],
  })
  await buyer.start()
  await buyer.buy(1)
  buyer.settle()
  await buyer.exports('cards.html')
  expect(sheetsOf(buyer).map((sheet) => textsOf(sheet)[0])).toEqual([''])
})

test('--recipient needs .html and a column of the batch', async () => {
  const { asked, exports, files } = await bought()
  const cases = [
    ['codes.csv', 'name', '--recipient needs a FILE that ends in .html', 'try: orderctl batch export --help'],
    [
      'cards.html',
      'Name',
      "the batch orders has no column 'Name'",
      `Use a column of the batch: 'name', '<b>${evil}'`,
    ],
  ]
  for (const [file = '', column = '', message, then] of cases) {
    const { exit, stderr } = await exports(file, '--recipient', column)
    expect({ exit, stderr }).toEqual({ exit: 2, stderr: `error: ${message}\n${then}\n` })
  }
  const bare = await openBuyer({ rows: [{ sku: 'GAME-US', quote: '25' }] })
  await bare.start()
  expect((await bare.exports('cards.html', '--recipient', 'name')).stderr).toBe(
    "error: the batch orders has no column 'name', and no other columns\nOmit --recipient.\n",
  )
  expect([asked, files(), bare.files()]).toEqual([[], [], []])
})

test('no file is written if no card has a code', async () => {
  const { buy, exports, files, start } = await openBuyer({ rows: [{ sku: 'GAME-US', quote: '25' }] })
  await start()
  await buy(1)
  expect(await exports('cards.html')).toMatchObject({
    exit: 3,
    stderr: 'error: the batch orders has no codes to print\ntry: orderctl batch show orders\n',
  })
  expect(files()).toEqual([])
})

test('Ctrl-C while the sheets are written leaves no file', async () => {
  const { run, pathOf, files, ...buyer } = await bought()
  const stop = new AbortController()
  // Each sheet takes long enough for a pause, and Ctrl-C comes in the first pause.
  let now = 0
  const clock = {
    ...realClock,
    now: buyer.clock.now,
    monotonic: () => {
      now += 100
      return now
    },
    sleep: async (ms: number, signal?: AbortSignal) => {
      if (ms > 0) return realClock.sleep(ms, signal)
      stop.abort('SIGINT')
    },
  }
  const words = ['batch', 'export', 'orders', pathOf('cards.html')]
  expect(await run(words, { clock, interrupted: stop.signal })).toMatchObject({
    exit: 130,
    stderr: 'Interrupted; no file was written\n',
  })
  expect(files()).toEqual([])
})
