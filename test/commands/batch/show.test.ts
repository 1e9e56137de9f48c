// batch show: odd rows, limits and amounts. show.session has the others.
import { describe, expect, test } from 'vitest'
import type { World } from '../../support/world.ts'
import { openFilled, rowsOf } from './filled-journal.ts'

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
  const readRows = async ({ must }: World, ...flags: string[]) =>
    (await must('batch', 'show', 'orders', '--rows', '--json', ...flags))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))

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

  test('fits 80 columns as a table, also with a long SKU', async () => {
    const { shop, fail } = await openFilled({ rows: [{ sku: 'TEST-OUT-OF-STOCK', quantity: 100 }] })
    await fail(1, 'Requested item is out of stock')
    const shown = await shop.run(['batch', 'show', 'orders', '--rows'], { env: { COLUMNS: '80' } })
    const lines = shown.stdout.split('\n')
    expect(lines[0]).toMatch(/^LINE +SKU +QUOTE +CARDS +STATE +ERROR$/)
    expect(lines.filter((line) => line.length > 80)).toEqual([])
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
