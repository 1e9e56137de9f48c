// batch show: one batch and its rows.
import { describe, expect, test } from 'vitest'
import { openWorld, type World } from '../../support/world.ts'
import { type BatchFill, type Ending, endings, fillJournal, openFilled, rowsOf } from './filled-journal.ts'

const withoutTimes = (text: string): string => text.replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/g, 'TIME')

test('shows what became of a batch, its unknown orders and its errors', async () => {
  const { shop, deliver, buy, fail } = await openFilled()
  await deliver(1)
  await fail(2, 'not found: GAME-US')
  const unknown = await buy(3, 'unknown')
  const { exit, stdout, stderr } = await shop.run(['batch', 'show', 'orders'])
  expect(exit).toBe(0)
  expect(withoutTimes(stdout)).toBe(
    `Batch       orders
Id          bat_0123456789abcdef
State       … in-progress, not complete yet
Profile     sandbox
Wallet      USD
Rows        4
Cards       1 of 4 delivered, 1 failed, 1 unknown, 1 open
Orders      3
Face value  100.00 USD
Spent       200.00 of 5,000.00 USD, of which 100.00 USD may not have been spent
            [#-----------------------------]  # spent, = face value, - cap
Left        1 card to buy, 1 card with an unknown outcome, 1 failed card
Planned     TIME, 1 h ago
Started     TIME, 1 h ago

Orders in progress
tester@desk: 1 order, left by a run that ended, last change 1 h ago

Unknown orders
${unknown}, reference orders-0003. Check it:
orderctl reconcile ${unknown}

Errors
CARDS  ERROR
─────────────────────────
    1  not found: GAME-US
`,
  )
  expect(stderr).toBe('If no other process runs this batch, continue it: orderctl batch run orders\n')
})

test.each<[cap: string, delivered: number[], bar: string]>([
  ['200', [], '▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒░░░░░░░░░░░░░░░'],
  ['400', [1], '███████░░░░░░░░░░░░░░░░░░░░░░░'],
  ['100', [1], '██████████████████████████████'],
])('shows face value, spent and cap as one bar: a cap of %s', async (maxTotal, delivered, bar) => {
  const { shop, deliver } = await openFilled({ maxTotal })
  await deliver(...delivered)
  const { stdout } = await shop.run(['batch', 'show', 'orders'], { env: { LANG: 'C.UTF-8' } })
  expect(stdout).toContain(`\n            ${bar}  █ spent, ▒ face value, ░ cap\n`)
  const narrow = await shop.run(['batch', 'show', 'orders'], { env: { LANG: 'C', COLUMNS: '60' } })
  const lines = narrow.stdout.split('\n')
  expect(lines.find((line) => line.includes(', - cap'))?.length).toBeLessThanOrEqual(60)
})

test('says which part may not have been spent, until the confirm is settled', async () => {
  const { shop, deliver, buy } = await openFilled({ maxTotal: '500' })
  await deliver(1)
  // A killed process leaves the first.
  const ids = [await buy(2, 'sending'), await buy(3, 'unknown')]
  const spentOf = async (): Promise<string | undefined> =>
    /^Spent +(.*)$/m.exec(await shop.must('batch', 'show', 'orders'))?.[1]
  expect(await spentOf()).toBe('300.00 of 500.00 USD, of which 200.00 USD may not have been spent')
  const settle = (id = '', how = '') => ['reconcile', id, '--settle', how, '--reason', 'bank']
  await shop.must(...settle(ids[0], 'spent'))
  expect(await spentOf()).toBe('300.00 of 500.00 USD, of which 100.00 USD may not have been spent')
  await shop.must(...settle(ids[1], 'not-spent'))
  expect(await spentOf()).toBe('200.00 of 500.00 USD')
})

test.each(['orders', 'bat_0123456789abcdef', '@last'])('finds it as %s', async (named) => {
  const { shop } = await openFilled()
  expect(await shop.must('batch', 'show', named, '-q')).toBe('orders\n')
})

test('prints exactly the documented JSON', async () => {
  const { shop, deliver } = await openFilled({ name: 'gifts' })
  await deliver(1, 2)
  const { exit, stdout, stderr } = await shop.run(['batch', 'show', 'gifts', '--json'])
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
  expect(stdout.replaceAll(/"[-\d]+T[:.\d]+Z"/g, '"TIME"')).toBe(`{
  "id": "bat_0123456789abcdef",
  "name": "gifts",
  "state": "in-progress",
  "stopped": null,
  "rows": 4,
  "cards": {
    "ordered": 4,
    "delivered": 2,
    "failed": 0,
    "duplicate": 0,
    "unknown": 0,
    "cancelled": 0,
    "open": 2
  },
  "orders": 4,
  "spent": 200,
  "wallet": "USD",
  "maxTotal": 5000,
  "plannedAt": "TIME",
  "startedAt": "TIME",
  "by": {
    "role": null,
    "user": "tester",
    "host": "desk",
    "writtenBy": null
  },
  "profile": "sandbox",
  "cancelledBy": null,
  "approval": null,
  "faceValues": [
    {
      "amount": 100,
      "currency": "USD"
    }
  ],
  "buyers": []
}
`)
})

describe('the next step', () => {
  const run = 'orderctl batch run orders'
  const retry = `Buy the failed cards again: ${run} --retry-failed`
  const toExport = 'Codes are hidden. Write them to a file: orderctl batch export orders orders-codes.csv'
  test.each<[Ending, string, string[]]>([
    ['successful', '✓ successful, all cards were delivered', [toExport]],
    ['partial', '! partial, some cards were not delivered', [retry, toExport]],
    ['failed', '✗ failed, no card was delivered', [retry]],
    [
      'unknown',
      '? unknown, the outcome of some orders is unknown',
      [`Settle the unknown orders: ${run}`, toExport],
    ],
    [
      'stopped at the cap',
      '! stopped, it reached its cap',
      [`The batch reached its cap. Continue with a higher --max-total: ${run}`, toExport],
    ],
    [
      'stopped without funds',
      '! stopped, the wallet has too little money',
      [`The wallet has too little money. Top up the wallet, then continue: ${run}`],
    ],
    [
      'stopped at a budget',
      '! stopped, a budget does not allow the next order',
      [
        'A budget did not allow the next order. See what is left: orderctl profile limits sandbox',
        `When the budget allows it, continue: ${run}`,
        toExport,
      ],
    ],
    ['cancelled', '– cancelled, it buys no more cards', []],
  ])('%s', async (ending, state, steps) => {
    const batch = await openFilled()
    await endings[ending](batch)
    const { exit, stdout, stderr } = await batch.shop.run(['batch', 'show', 'orders'])
    expect(exit).toBe(0)
    expect(/^State +(.*)$/m.exec(stdout)?.[1]).toBe(state)
    expect(stderr).toBe(steps.map((step) => `${step}\n`).join(''))
  })

  test('planned', async () => {
    const shop = await openWorld()
    const { add } = await fillJournal(shop.home)
    await add({ name: "Anna's gifts" })
    const { stdout, stderr } = await shop.run(['batch', 'show', "Anna's gifts"])
    expect(stdout).toContain('State       ○ planned, nothing was bought yet\n')
    expect(stdout).not.toContain('Started')
    expect(stderr).toBe(`Buy the batch: orderctl batch run 'Anna'\\''s gifts'\n`)
  })
})

test('lists at most 10 errors, the most frequent first, and at most 20 unknown orders', async () => {
  const { shop, fail, buy } = await openFilled({ rows: rowsOf(35) })
  for (let slot = 1; slot <= 12; slot += 1) await fail(slot, slot < 3 ? 'often' : `error ${slot}`)
  for (let slot = 13; slot <= 35; slot += 1) await buy(slot, 'unknown')
  const { stdout } = await shop.run(['batch', 'show', 'orders'])
  const errors = stdout.slice(stdout.indexOf('\nErrors\n')).trimEnd().split('\n').slice(4)
  expect(errors[0]).toBe('    2  often')
  expect(errors).toHaveLength(11)
  expect(errors.at(-1)).toBe('More errors: orderctl batch show orders --rows')
  expect(stdout.match(/Check it:\s/g)).toHaveLength(20)
  expect(stdout).toContain('\n3 more: orderctl list --batch orders --state unknown\n')
})

test('keeps control characters of names and errors out', async () => {
  const { shop, fail } = await openFilled({ name: 'a\u001b[2Jb' })
  await fail(1, 'bad\u001b[31m')
  const { stdout, stderr } = await shop.run(['batch', 'show', '@last'])
  expect(stdout + stderr).not.toContain('\u001b')
  expect(stdout).toContain('bad\\u{1b}[31m')
})

test.each([60, 80, 140])('at %i columns breaks no word, number or command', async (width) => {
  const { shop, batches, batch, buy } = await openFilled({ rows: [{ quantity: 40 }] })
  await buy(1, 'unknown')
  await batches.recordStop(batch.number, 'charge', Date.now())
  const { stdout, stderr } = await shop.atTerminal(['batch', 'show', 'orders'], {
    terminals: ['stdin', 'stdout', 'stderr'],
    env: { COLUMNS: String(width) },
  })
  const lines = (stdout + stderr).split('\n')
  expect(lines.filter((line) => line.length > width)).toEqual([])
  expect(stdout).toMatch(/State +. \w+/)
})

describe('--rows', () => {
  const filled = async () => {
    const rows: BatchFill['rows'] = [
      { quantity: 2, cells: ['Ana', 'CC-1'] },
      { sku: 'FOOD-DE', quantity: 3, quote: '10.5', cells: ['Bo', 'CC-2'] },
      { line: 9, cells: ['Cy', ''] },
      { line: 0, cells: ['Di', 'CC-4'] },
      { cells: ['Ed', 'CC-5'] },
    ]
    const batch = await openFilled({
      columns: ['name', 'cost_code'],
      rows,
      slotOf: (card) => [1, 1, 1, 2, 2, 3, 4, 5][card] ?? 1,
    })
    await batch.buy(1, 'partial')
    await batch.setCards(
      1,
      { state: 'delivered', hash: 'one' },
      { state: 'failed', error: 'not delivered: the order is partial' },
      { state: 'delivered', hash: 'two' },
    )
    await batch.deliver(2)
    await batch.buy(3, 'unknown')
    return batch
  }

  const readRows = async ({ must }: World, ...flags: string[]) =>
    (await must('batch', 'show', 'orders', '--rows', '--json', ...flags))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))

  test('shows a table', async () => {
    const { shop } = await filled()
    const { exit, stdout, stderr } = await shop.run(['batch', 'show', 'orders', '--rows'], {
      env: { COLUMNS: '120' },
    })
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
    expect(stdout.replace(/ +$/gm, '')).toBe(
      `LINE  SKU      QUOTE   CARDS  STATE        name  cost_code  REFERENCE                 ERROR
────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
   2  GAME-US     25  1 of 2  ! partial    Ana   CC-1       orders-0001               not delivered: the order is
                                                                                      partial
   3  FOOD-DE   10.5  3 of 3  ✓ delivered  Bo    CC-2       orders-0001, orders-0002
   9  GAME-US     25  0 of 1  ? unknown    Cy               orders-0003
   –  GAME-US     25  0 of 1  ○ open       Di    CC-4
   6  GAME-US     25  0 of 1  ○ open       Ed    CC-5
`,
    )
  })

  test('fits 80 columns as a table, also with a long SKU', async () => {
    const { shop, fail } = await openFilled({ rows: [{ sku: 'TEST-OUT-OF-STOCK', quantity: 100 }] })
    await fail(1, 'Requested item is out of stock')
    const shown = await shop.run(['batch', 'show', 'orders', '--rows'], { env: { COLUMNS: '80' } })
    const lines = shown.stdout.split('\n')
    expect(lines[0]).toMatch(/^LINE +SKU +QUOTE +CARDS +STATE +ERROR$/)
    expect(lines.filter((line) => line.length > 80)).toEqual([])
  })

  test.each([
    [140, 'STATE +id +Full Name +e-mail +REFERENCE'],
    [110, 'STATE +id +Full Name +e-mail'],
    [80, 'STATE +id +Full Name'],
    [60, 'STATE +id +Full Name'],
  ])('at %i columns leaves out the reference first, and keeps the name', async (width, head) => {
    const cells = ['4711', 'Ada Mustermann-Lovelace', 'ada.lovelace@analytical.example']
    const { shop, buy } = await openFilled({ columns: ['id', 'Full Name', 'e-mail'], rows: [{ cells }] })
    await buy(1, 'confirmed')
    const { stdout } = await shop.run(['batch', 'show', 'orders', '--rows'], {
      env: { COLUMNS: String(width) },
    })
    const lines = stdout.split('\n')
    expect(lines[0]).toMatch(new RegExp(`${head}$`))
    expect(lines.filter((line) => line.length > width)).toEqual([])
    expect(stdout).toMatch(/Ada M/)
  })

  test('shows the plan before it is bought: prices, and the columns of the input', async () => {
    const { shop } = await openFilled({
      columns: ['name', 'cost\u001b[2J'],
      rows: [
        { quantity: 2, cells: ['Ana', 'CC-1'] },
        { quote: '1200.50', cells: ['Bo\u001b[2J', ''] },
      ],
    })
    expect(await shop.must('batch', 'show', 'orders', '--rows')).toBe(
      `LINE  SKU        QUOTE   CARDS  STATE   name         cost\\u{1b}[2J
──────────────────────────────────────────────────────────────────
   2  GAME-US       25  0 of 2  ○ open  Ana          CC-1
   3  GAME-US  1,200.5  0 of 1  ○ open  Bo\\u{1b}[2J
`,
    )
    const failed = await shop.run(['batch', 'show', 'orders', '--rows', '--failed'])
    expect(failed).toMatchObject({ exit: 0, stdout: '', stderr: 'No failed rows\n' })
  })

  test('prints one JSON document a row, with the columns of the input as they were', async () => {
    const { shop, deliver } = await filled()
    await deliver(4)
    const stdout = await shop.must('batch', 'show', 'orders', '--rows', '--json')
    const rows = await readRows(shop)
    expect(rows).toHaveLength(5)
    const id = expect.stringMatching(/^sbx_orders-0001/)
    expect(rows[0]).toEqual({
      ...{ line: 2, sku: 'GAME-US', productType: 'fixed', quote: 25, quantity: 2 },
      columns: { name: 'Ana', cost_code: 'CC-1' },
      ...{ state: 'partial', delivered: 1, failed: 1, duplicate: 0 },
      cards: [
        { state: 'delivered', error: null, reference: 'orders-0001', id },
        { state: 'failed', error: 'not delivered: the order is partial', reference: 'orders-0001', id },
      ],
    })
    expect(stdout).toContain('"quote":10.5,')
    expect(rows[2].cards).toMatchObject([{ state: 'unknown', reference: 'orders-0003' }])
    expect(rows[3]).toMatchObject({ state: 'delivered', delivered: 1 })
    expect(rows[4].cards).toEqual([{ state: 'open', error: null, reference: null, id: null }])
    expect((await readRows(shop, '--fields', 'line,columns.name'))[0]).toEqual({
      ...{ line: 2, columns: { name: 'Ana' } },
    })
  })

  test('keeps a column with the name __proto__', async () => {
    const { shop } = await openFilled({ columns: ['__proto__', 'a.b'], rows: [{ cells: ['x', 'y'] }] })
    expect(await shop.must('batch', 'show', 'orders', '--rows', '--json')).toContain(
      '"columns":{"__proto__":"x","a.b":"y"}',
    )
  })

  test('names the order that refused a card, not the next one of its slot', async () => {
    const { shop, buy, batches, batch } = await openFilled({
      rows: [{ sku: 'BAD' }, { sku: 'GAME-US' }],
      slotOf: () => 1,
    })
    const refused = await buy(1, 'refused')
    await batches.failCards(
      { batch: batch.number, slot: 1, at: Date.now() },
      ({ sku }) => sku === 'BAD',
      'not found',
    )
    const bought = await buy(1, 'confirmed')
    const [bad, good] = await readRows(shop)
    expect(refused).not.toBe(bought)
    // A refused order has no id.
    expect(bad.cards).toEqual([{ state: 'failed', error: 'not found', reference: 'orders-0001', id: null }])
    expect(good.cards).toEqual([{ state: 'open', error: null, reference: 'orders-0001', id: bought }])
  })

  test('a row of several states', async () => {
    const { shop, setCards, cancel } = await openFilled({ rows: [{ quantity: 2 }, { quantity: 2 }] })
    await setCards(1, { state: 'delivered', hash: 'h' })
    await setCards(2, { state: 'failed', error: 'e' })
    const states = async () => (await readRows(shop)).map(({ state }) => state)
    expect(await states()).toEqual(['in-progress', 'in-progress'])
    await cancel()
    expect(await states()).toEqual(['partial', 'failed'])
  })
})

describe('what is not there', () => {
  test.each([
    ['nothing', "no batch 'nothing' in this journal for the profile sandbox"],
    ['@last', 'you planned no batch in this journal for the profile sandbox'],
  ])('%s', async (named, message) => {
    const shop = await openWorld()
    expect(await shop.run(['batch', 'show', named])).toEqual({
      exit: 2,
      stdout: '',
      stderr: `error: ${message}\ntry: orderctl batch list\n`,
    })
  })
})
