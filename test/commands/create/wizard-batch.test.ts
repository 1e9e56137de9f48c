// create's questions with more cards than an order may hold: the order becomes a batch.
import { describe, expect, test } from 'vitest'
import { wizardDesk } from './wizard-desk.ts'

const { open, creating } = wizardDesk()

type Answers = NonNullable<Parameters<typeof creating>[1]>

const place = 'Enter'
const rest = ['--wallet', 'USD', '--reference', 'team gifts']
const seven: Answers = ['GAME-US', '7', false]

const batchIn = (stderr: string): string => /^This runs:\n {2}orderctl (batch .*)$/m.exec(stderr)?.[1] ?? ''

describe('too many cards for one order', { concurrent: true }, () => {
  test('are bought as a batch, which prompts before it spends', async () => {
    const shop = await open()
    const ran = await creating(rest, [...seven, place, '200', true], {}, shop)
    expect(ran.stderr).toMatch(
      /\| Batch {4}team gifts .*\n\| Orders {3}2, bought as a batch: one order cannot/,
    )
    expect(ran.questions).toContain(
      'Enter to start the batch (asks again before it spends), e to change it, Esc to cancel',
    )
    expect(batchIn(ran.stderr)).toBe("batch run --product GAME-US:25x7 --wallet USD --name 'team gifts'")
    expect({ ...ran, calls: ran.calls.split(' ').sort().join(' ') }).toMatchObject({
      exit: 0,
      calls: 'confirm confirm create create',
    })
    const shown = JSON.parse(await shop.must('batch', 'show', 'team gifts', '--json'))
    expect(shown).toMatchObject({ state: 'successful', orders: 2, cards: { ordered: 7, delivered: 7 } })
  })

  const fiveEach = ['GAME-US', 'GAME-DE', 'GAME-JP', 'GAME-BR', 'MUSIC-US']
  test.each<[string, Answers, number]>([
    ['26 cards in all', [...fiveEach.flatMap((sku) => [sku, '5', true]), 'FILM-AU', '1', false], 2],
    ['40 of one', ['GAME-US', '40', false], 8],
  ])('%s', async (_what, answers, orders) => {
    const ran = await creating([...rest, '--dry-run'], [...answers, place])
    expect(ran.stderr).toMatch(new RegExp(`Orders +${orders}, bought as a batch`))
    expect(ran).toMatchObject({ exit: 0, calls: '', sent: [] })
    expect(batchIn(ran.stderr)).toMatch(/^batch plan --product /)
  })

  test('take the flags along', async () => {
    const flags = '--profile sandbox --timeout 20s --confirm --max-total 9 --allow-duplicate'
    const ran = await creating([...rest, ...flags.split(' ')], [...seven, place, false])
    expect(ran).toMatchObject({ exit: 130, sent: [] })
    expect(batchIn(ran.stderr)).toMatch(
      / --name 'team gifts' --profile sandbox --timeout 20s --max-total 9 --allow-duplicate$/,
    )
  })

  test('also of products that flags give', async () => {
    const given = ['--product', 'GAME-US:25x7', '--reference', 'r-1', '--dry-run']
    const ran = await creating(given, ['', place])
    expect(ran).toMatchObject({ exit: 0, sent: [] })
    expect(ran.questions[0]).toBe('Wallet to pay from')
  })

  test('are one order again if they are changed to fewer', async () => {
    const ran = await creating(rest, [...seven, 'e', '<', '<', '<', '2', '', '', '', place, false])
    expect(ran).toMatchObject({ exit: 0, calls: 'create', sent: [{ productList: [{ quantity: 2 }] }] })
  })

  test('after a refusal, too', async () => {
    const soldOut: Answers = ['TEST-OUT-OF-STOCK', '', false, place]
    const toProduct = ['e', '<', '<', '<', '<']
    const ran = await creating(rest, [
      ...soldOut,
      ...toProduct,
      'GAME-US',
      '7',
      '',
      '',
      '',
      place,
      '200',
      false,
    ])
    expect(ran).toMatchObject({ exit: 130, calls: 'create' })
    expect(batchIn(ran.stderr)).toContain('GAME-US:25x7')
  })

  test('if it is cancelled, the command to continue is that of the batch', async () => {
    const ran = await creating(rest, [...seven, 'Esc'])
    expect(ran).toMatchObject({ exit: 130, sent: [] })
    expect(ran.stderr).toContain(
      "To continue from here:\n  orderctl batch run --product GAME-US:25x7 --wallet USD --name 'team gifts'\n",
    )
  })

  test('the reference must be a name for a batch', async () => {
    const given = ['--wallet', 'USD', '--reference', 'a/b', '--dry-run']
    const ran = await creating(given, [...seven, place, 'a/c', 'a-c', place])
    const form =
      "1 to 60 characters, without '/', control or invisible characters, not beginning with '-' or '@'"
    expect(ran.stderr).toContain(`The reference becomes the name of the batch. Allowed: ${form}\n`)
    expect(ran.questions).toContain(`allowed for a batch: ${form}`)
    expect(ran).toMatchObject({ exit: 0, sent: [] })
    expect(batchIn(ran.stderr)).toMatch(/ --name a-c$/)
  })
})

describe('a flag that a batch cannot have keeps the limits of an order', { concurrent: true }, () => {
  test.each([
    ['--webhook-url', ['--webhook-url', 'https://a.example/']],
    ['--reveal', ['--reveal']],
    ['--idempotent', ['--idempotent']],
  ])('%s', async (flag, flags) => {
    const ran = await creating([...rest, ...flags], ['GAME-US', '7', undefined])
    expect(ran.questions.slice(1)).toEqual([
      'Quantity (1 to 5) (1)',
      `allowed: a whole number from 1 to 5; a batch holds more, but not with ${flag}`,
      'Quantity (1 to 5) (1)',
    ])
    const given = await creating(['--product', 'GAME-US:25x7', '--reference', 'r-1', ...flags], [])
    expect(given).toMatchObject({ exit: 2, questions: [], sent: [] })
    expect(given.stderr).toContain('error: one order holds at most 5 products')
  })
})
