// batch show and batch list of journals that only many orders fill: widths, limits and odd texts. show.session has the others.
import { expect, test } from 'vitest'
import { fillJournal, openFilled, rowsOf } from './filled-journal.ts'

const widthOf = (text: string): number => Math.max(...text.split('\n').map((line) => line.length))

test('lists at most 10 errors, the most frequent first, and at most 20 unknown orders', async () => {
  const { shop, setCards, buy } = await openFilled({ rows: rowsOf(35) })
  for (let slot = 1; slot <= 12; slot += 1)
    await setCards(slot, { state: 'failed', error: slot < 3 ? 'often' : `error ${slot}` })
  for (let slot = 13; slot <= 35; slot += 1) await buy(slot, 'unknown')
  const { stdout } = await shop.run(['batch', 'show', 'orders'])
  const errors = stdout.slice(stdout.indexOf('\nErrors\n')).trimEnd().split('\n').slice(4)
  expect(errors[0]).toBe('    2  often')
  expect(errors).toHaveLength(11)
  expect(errors.at(-1)).toBe('More errors: orderctl batch show orders --rows')
  expect(stdout.match(/Check it:\s/g)).toHaveLength(20)
  expect(stdout).toContain('\n3 more: orderctl list --batch orders --state unknown\n')
})

test.each([60, 78, 80, 140])('no line is longer than %i columns', async (width) => {
  const { shop, batches, batch, buy, add } = await openFilled({ rows: [{ quantity: 40 }] })
  await buy(1, 'unknown')
  await batches.recordStop(batch.number, 'charge', Date.now())
  const long = await add({
    name: 'long',
    rows: [{ sku: 'TEST-OUT-OF-STOCK', quantity: 100 }],
    maxTotal: '9000',
  })
  await long.setCards(1, { state: 'failed', error: 'Requested item is out of stock' })
  const other = await fillJournal(shop.home, 'ben')
  await other.add({ name: 'of-ben', rows: rowsOf(2) })
  const terminals = ['stdin', 'stdout', 'stderr'] as const
  const env = { COLUMNS: String(width) }
  for (const words of ['show orders', 'show long --rows', 'list']) {
    const ran = await shop.runIn(['batch', ...words.split(' ')], { terminals, env })
    expect(widthOf(ran.stdout + ran.stderr)).toBeLessThanOrEqual(width)
    if (words === 'list') expect(ran.stdout).toMatch(width === 60 ? /^by: ben$/m : / ben( |$)/m)
  }
})

test.each([
  [140, 'STATE +id +Full Name +e-mail +REFERENCE'],
  [110, 'STATE +id +Full Name +e-mail +REFERENCE'],
  [80, 'STATE +id +Full Name'],
  [60, 'STATE +id +Full Name'],
])('--rows at %i columns cuts the name, and leaves out the reference first', async (width, head) => {
  const cells = ['4711', 'Ada Mustermann-Lovelace', 'ada.lovelace@analytical.example']
  const { shop, buy } = await openFilled({ columns: ['id', 'Full Name', 'e-mail'], rows: [{ cells }] })
  await buy(1, 'confirmed')
  const env = { COLUMNS: String(width) }
  const { stdout } = await shop.run(['batch', 'show', 'orders', '--rows'], { env })
  expect(stdout).toMatch(new RegExp(`${head}\n`))
  expect(widthOf(stdout)).toBeLessThanOrEqual(width)
  expect(stdout).toMatch(/Ada M/)
})

test('--rows has the state of a row of several states, and keeps a column with the name __proto__', async () => {
  const row = { quantity: 2, cells: ['x', 'y'] }
  const { shop, setCards, cancel } = await openFilled({ columns: ['__proto__', 'a.b'], rows: [row, row] })
  await setCards(1, { state: 'delivered' }, 1)
  await setCards(2, { state: 'failed', error: 'e' }, 1)
  const readRows = () => shop.must('batch', 'show', 'orders', '--rows', '--json')
  expect((await readRows()).match(/"state":"(in-progress|partial)"/g)).toHaveLength(2)
  expect(await readRows()).toContain('"cells":{"__proto__":"x","a.b":"y"}')
  await cancel()
  expect(await readRows()).toMatch(/"state":"partial".*\n.*"state":"failed"/)
})
