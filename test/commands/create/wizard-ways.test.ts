// The ways through create's questions: wrong answers, back, another and fewer products.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { wizardDesk, wordsOf } from './wizard-desk.ts'

const { open, creating, byFlags } = wizardDesk()

const place = 'Enter'
const lines = (...products: string[]) => ['create', ...products.flatMap((each) => ['--product', each])]
const rest = ['--wallet', 'USD', '--reference', 'ref-1']
/** Where products alone are asked for. */
const asksProducts = ['--wallet', 'USD', '--reference', 'ref-1']
const game = ['GAME-US', '']

type Answers = Parameters<typeof creating>[1]

/** What was asked, of a way that ends in a `no` to the last question. */
const wayTo = async (products: string[], answers: Answers) => {
  const ran = await creating(asksProducts, [...answers, place, false])
  const command = [...lines(...products), ...rest]
  expect(wordsOf(ran.command)).toEqual(command)
  expect(ran).toMatchObject({ exit: 0, calls: 'create', sent: await byFlags(command) })
  return ran.questions.slice(0, -2).map((each) => each.replace(/^Enter to .*/, 'review'))
}

const order = 'already in the order'
const many = (given: number) => `Quantity (1 to 5, or more as a batch) (${given})`
const number = 'allowed: a number above 0, such as 25 or 12.50'

describe('a wrong answer is asked for again', { concurrent: true }, () => {
  test('an amount out of the range, or none', async () => {
    const answers = ['COFFEE-US', 'much', '0', '-5', '4.99', '100.01', '12.50', '', false]
    const range = 'allowed: 5 to 100 USD'
    expect(await wayTo(['COFFEE-US:12.50'], answers)).toEqual([
      'Product',
      ...[number, number, number, range, range].flatMap((each) => ['Amount of each (5 to 100 USD)', each]),
      ...['Amount of each (5 to 100 USD)', many(1), 'Add another product? (no)'],
    ])
  })

  test('a quantity that is none', async () => {
    const asked = await wayTo(['GAME-US:25x5'], ['GAME-US', '500001', '0', '1.5', '5', false])
    const units = 'allowed: a whole number from 1 to 500000'
    expect(asked).toEqual([
      ...['Product', ...[units, units, units].flatMap((each) => [many(1), each]), many(1)],
      'Add another product? (no)',
    ])
  })

  test('a product that is there already, and one that is no name', async () => {
    const asked = await wayTo(
      ['GAME-US:25', 'GAME-DE:20'],
      [...game, true, 'GAME-US', '\u0007', 'GAME-DE', '', false],
    )
    expect(asked.slice(3, 9)).toEqual([
      ...['Product', order, 'Product'],
      'allowed: a product identifier, not empty, without control characters',
      ...['Product', many(1)],
    ])
  })

  test('a wallet and a reference; a wallet that is known may be typed in small letters', async () => {
    const answers = ['US dollars', 'eur', 'e', '\u0007', 'ref-1', place, false]
    const ran = await creating(['--product', 'GAME-US:25'], answers)
    const asked = ran.questions.map((each) => each.replace(/orderctl-[\w-]+/, 'made-up'))
    expect(asked.filter((each) => !each.startsWith('Enter to '))).toEqual([
      ...[
        'Wallet to pay from',
        'allowed: a currency code of 2 to 12 letters and digits, such as USD',
        'Wallet to pay from',
      ],
      'Your reference (made-up)',
      'allowed: a reference of your own, not empty, without control characters',
      ...['Your reference (made-up)', 'Confirm the order and spend 23.06 EUR?'],
    ])
    expect(ran.sent).toMatchObject([{ wallet: 'EUR', reference: 'ref-1' }])
  })
})

describe('back', { concurrent: true }, () => {
  test('to each question before, which keeps what was said', async () => {
    const coffee = ['COFFEE-US', '<', '', '10', '3']
    const music = ['MUSIC-US', '<', '<', true, 'MUSIC-US', '2', false]
    const asked = await wayTo(['COFFEE-US:10x3', 'MUSIC-US:9.99x2'], [...coffee, true, ...music])
    const [amount, another] = ['Amount of each (5 to 100 USD)', 'Add another product? (no)']
    expect(asked).toEqual([
      ...['Product', amount, 'Product', amount, many(1), another],
      ...['Product', many(1), 'Product', another, 'Product', many(1), another],
    ])
  })

  test('from whether there is another to what it was before, product by product', async () => {
    const way = [...game, true, 'MUSIC-US', '2', '<', '<', '<', '<', '3', '', '', '4', '']
    expect(await wayTo(['GAME-US:25x3', 'MUSIC-US:9.99x4'], way)).toEqual([
      ...['Product', many(1), 'Add another product? (no)'],
      ...['Product', many(1), 'Add another product? (no)'],
      // Back, question by question, and on again: each has in brackets what was said.
      ...[many(2), 'Product', 'Add another product? (yes)', many(1)],
      ...['Add another product? (yes)', 'Product', many(2), 'Add another product? (no)'],
    ])
  })

  test('to whether there is another: no is no, whatever came behind it', async () => {
    const way = [...game, true, 'MUSIC-US', '2', '<', '<', '<', 'no']
    expect((await wayTo(['GAME-US:25'], way)).at(-1)).toBe('Add another product? (yes)')
  })

  test('from the review to each question, which has what was said', async () => {
    const ran = await creating([], [...game, false, 'EUR', 'ref-1', '<', '<', 'USD', '', place, false])
    expect(ran.sent).toEqual(await byFlags([...lines('GAME-US:25'), ...rest]))
  })

  test('before the first question there is nothing', async () => {
    const ran = await creating(asksProducts, ['<', '<', ...game, false, place, false])
    expect(ran).toMatchObject({ exit: 0, calls: 'create' })
    expect(ran.stderr.match(/This is the first question\. Press Ctrl-C to cancel\.\n/g)).toHaveLength(2)
  })

  test('from the reference to the wallet, and to the products', async () => {
    const ran = await creating([], [...game, false, 'EUR', '<', '<', false, 'USD', 'ref-1', place, false])
    expect(ran.sent).toEqual(await byFlags([...lines('GAME-US:25'), ...rest]))
  })
})

describe('before it is placed', { concurrent: true }, () => {
  const two = [...game, true, 'COFFEE-US', '10', '2', false]

  /** From the review to the last question about products, and from there on to the review. */
  const [toProducts, onward] = [
    ['e', '<', '<'],
    ['', ''],
  ]

  test.each<[string, string[], Answers]>([
    [
      'a product is added',
      ['GAME-US:25', 'MUSIC-US:9.99'],
      [...game, false, ...toProducts, true, 'MUSIC-US', '', false],
    ],
    ['none is added, on the way back', ['GAME-US:25'], [...game, false, ...toProducts, true, '<', false]],
    ['one is changed', ['GAME-US:25x4'], [...game, false, ...toProducts, '<', '4', '']],
    [
      'it is another product',
      ['GAME-DE:20x2'],
      [...game, false, ...toProducts, '<', '<', 'GAME-DE', '2', ''],
    ],
    [
      'one of two is changed',
      ['GAME-US:25', 'COFFEE-US:11x2'],
      [...two, ...toProducts, '<', '<', '11', '', ''],
    ],
    ['the last one is removed', ['GAME-US:25'], [...two, ...toProducts, '<', '<', '<', '<', false]],
  ])('%s', async (_what, products, answers) => {
    await wayTo(products, [...answers, ...onward])
  })

  test('the wallet and the reference are changed, also of what flags gave', async () => {
    const given = ['--product', 'GAME-US:25', '--reference', 'ref-0']
    const ran = await creating(given, ['EUR', 'e', '<', 'USD', 'ref-1', place, false])
    expect(ran.sent).toEqual(await byFlags([...lines('GAME-US:25'), ...rest]))
  })

  test('five products are all if a flag excludes a batch', async () => {
    const skus = ['GAME-US', 'GAME-DE', 'GAME-JP', 'GAME-BR', 'MUSIC-US']
    const answers = skus.flatMap((sku, index) => [...(index === 0 ? [] : [true]), sku, '5'])
    const flags = [...asksProducts, '--webhook-url', 'https://a.example/']
    const asked = await creating(flags, [...answers, place, false])
    expect(asked.questions.filter((each) => each.startsWith('Add another'))).toHaveLength(4)
    expect(asked.sent).toMatchObject([{ productList: [{}, {}, {}, {}, {}] }])
  })
})

test('on 60 columns no line is longer, but the command, which is one', async () => {
  const answers = [...game, true, 'COFFEE-US', '12.50', '2', false, place, true]
  const ran = await creating(asksProducts, answers, { env: { COLUMNS: '60' } })
  const long = `${ran.stderr}${ran.stdout}`.split('\n').filter((each) => each.length > 60)
  expect(long.filter((each) => !each.includes('orderctl'))).toEqual([])
})

describe('an order file that lacks something is asked for just that', { concurrent: true }, () => {
  const whole = {
    productList: [{ sku: 'GAME-US', productType: 'fixed', quote: 25, quantity: 2 }],
    wallet: 'EUR',
    reference: 'ref-9',
  }
  const begun = async (order: object, flags: readonly string[], answers: Answers) => {
    const shop = await open()
    writeFileSync(path.join(shop.home, 'order.json'), JSON.stringify(order))
    return creating(['order.json', ...flags], answers, {}, shop)
  }
  const { wallet: _, ...noWallet } = whole
  const { reference: __, ...noReference } = whole
  const { productList: ___, ...noProducts } = whole

  test.each<[string, object, readonly string[], Answers]>([
    ['a wallet', noWallet, [], ['EUR']],
    ['products', noProducts, [], ['GAME-US', '2', false]],
    [
      'a wallet, where a flag gives the reference',
      { productList: whole.productList },
      ['--reference', 'ref-9'],
      ['EUR'],
    ],
  ])('%s', async (_what, order, flags, answers) => {
    const ran = await begun(order, flags, [...answers, place, false])
    expect(ran).toMatchObject({ exit: 0, calls: 'create', sent: [whole] })
    expect(ran.questions).toHaveLength(answers.length + 2)
  })

  test('a reference, which is made up, and shown before it is placed', async () => {
    const ran = await begun(noReference, [], [place, false])
    expect(ran).toMatchObject({
      exit: 0,
      sent: [{ ...noReference, reference: expect.stringMatching(/^orderctl-/) }],
    })
    expect(ran.questions).toHaveLength(2)
  })

  test('nothing, where flags give it', async () => {
    const ran = await begun(noWallet, ['--wallet', 'EUR'], [])
    expect(ran).toMatchObject({ exit: 0, questions: [], sent: [whole] })
  })

  test.skipIf(process.platform === 'win32')('nothing, where it is whole: a pipe is read once', async () => {
    const shop = await open()
    const pipe = path.join(shop.home, 'pipe')
    execFileSync('mkfifo', [pipe])
    const written = writeFile(pipe, JSON.stringify(whole))
    const ran = await creating([pipe], [], {}, shop)
    await written
    expect(ran).toMatchObject({ exit: 0, questions: [], sent: [whole] })
  })

  test('nothing, where something else is wrong with it', async () => {
    const ran = await begun({ ...noWallet, walet: 'EUR' }, [], [])
    expect(ran).toMatchObject({ exit: 2, questions: [], sent: [] })
    expect(ran.stderr).toContain(
      'walet is "EUR"; allowed: the fields productList, wallet, reference, webhookUrl',
    )
  })
})
