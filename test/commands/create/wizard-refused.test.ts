// create's questions where nothing came of the order: it is shown again, to be changed; but never where that is not certain.
import { describe, expect, test } from 'vitest'
import { overSocket } from '../../support/world.ts'
import { wizardDesk, wordsOf } from './wizard-desk.ts'

const { open, creating, byFlags } = wizardDesk()
const bySocket = wizardDesk(overSocket)

const place = 'Enter'
const rest = ['--wallet', 'USD', '--reference', 'ref-1']
const soldOut = ['TEST-OUT-OF-STOCK', '']
/** From the last question back to the product, and forward again. */
const change = (quantity: string) => ['<', '<', '<', '<', 'GAME-US', quantity, '', '', '']
const product = (text: string) => ['create', '--product', text]

const isReview = (question: string): boolean => question.startsWith('Enter to ')

describe('refused', { concurrent: true }, () => {
  test('for a product, which is changed: the rest is kept, its reference too', async () => {
    const shop = await open()
    const answers = [...soldOut, false, place, 'e', ...change('2'), place, false]
    const ran = await creating(rest, answers, {}, shop)
    expect(ran).toMatchObject({ exit: 0, calls: 'create create' })
    expect(ran.stderr).toContain(
      'error: the service refused: Requested item is out of stock\ntry: orderctl sandbox\nOrder less of it, or a different product.\nNothing was bought. Your answers are kept.\n',
    )
    const command = [...product('GAME-US:25x2'), ...rest]
    expect(wordsOf(ran.command)).toEqual(command)
    expect(ran.sent.slice(1)).toEqual(await byFlags(command))
    const kept = JSON.parse(await shop.must('list', '--all', '--json', '--fields', 'reference,state'))
    expect(kept).toEqual([
      { reference: 'ref-1', state: 'created' },
      { reference: 'ref-1', state: 'refused' },
    ])
  })

  test('for a wallet that holds too little, which is asked for next and suggested no more', async () => {
    const answers = ['FILM-AU', '', false, '', 'ref-1', place, '', place, false]
    const ran = await creating([], answers)
    expect(ran.stderr).toContain('insufficient funds')
    expect(ran.questions.filter((each) => each.startsWith('Wallet'))).toHaveLength(2)
    expect(ran).toMatchObject({ exit: 0, sent: [{ wallet: 'AUD' }, { wallet: 'USD', reference: 'ref-1' }] })
  })

  test('twice, and the second time it is changed by <', async () => {
    const ran = await creating(rest, [...soldOut, false, place, place, '<', ...change(''), place, false])
    expect(ran).toMatchObject({ exit: 0, calls: 'create create create' })
    expect(ran.questions.filter(isReview)).toHaveLength(4)
  })

  test.each([
    ['by its own choice', 'Esc'],
    ['by Ctrl-C', undefined],
  ])('left %s, it is interrupted', async (_how, answer) => {
    const ran = await creating(rest, [...soldOut, false, place, answer])
    expect(ran).toMatchObject({ exit: 130, stdout: '', calls: 'create' })
    expect(ran.stderr).toMatch(/error: the service refused: [\s\S]*\nCancelled; nothing was bought\n$/)
    expect(wordsOf(ran.command)).toEqual([...product('TEST-OUT-OF-STOCK:10'), ...rest])
  })

  test('its command is the last that was answered', async () => {
    const ran = await creating(rest, [...soldOut, false, place, 'e', '<', '<', '<', '3', undefined])
    expect(wordsOf(ran.command)).toEqual([...product('TEST-OUT-OF-STOCK:10x3'), ...rest])
  })
})

test('where the service is not reached, it is shown again, too', async () => {
  const shop = await bySocket.open()
  const env = { ORDERCTL_BASE_URL: 'http://127.0.0.1:9' }
  const answers = ['GAME-US', '25', 'fixed', '', false, place, 'Esc']
  const ran = await bySocket.creating(rest, answers, { env }, shop)
  expect(ran).toMatchObject({ exit: 130, calls: 'create' })
  expect(ran.stderr).toContain('Nothing was bought. Your answers are kept.')
})

describe('a lost response spends nothing: it is shown again', { concurrent: true }, () => {
  const typed = ['GAME-US', '25', 'fixed', '', false]
  const kept =
    /\nerror: create gave no usable response: [\s\S]*\sIt\swas\snot\sconfirmed\n[\s\S]*\nNothing was bought. Your answers are kept.\n/

  test.each([
    ['where the response is lost', 'create:reset-after'],
    ['where the service fails in no way that is documented', 'create:status=503'],
  ])('%s', async (_what, fault) => {
    const shop = await bySocket.open()
    await shop.fault(fault)
    const ran = await bySocket.creating(rest, [...typed, place, 'Esc'], {}, shop)
    expect(ran).toMatchObject({ exit: 130, stdout: '', calls: 'create' })
    expect(ran.stderr).toMatch(kept)
    expect(ran.stderr).toMatch(/\nCancelled; nothing was bought\n$/)
    expect(wordsOf(ran.command)).toEqual([...product('GAME-US:25'), ...rest])
    expect(await shop.asked()).not.toContain('confirm')
  })

  test('where it was refused at first, and then the response is lost; placed again, it is confirmed once', async () => {
    const shop = await bySocket.open()
    let losing: Promise<unknown> | undefined
    let confirms = 0
    shop.arrived.on('confirm', () => {
      confirms += 1
    })
    const goBack = () => {
      losing = shop.fault('create:reset-after')
      return '<'
    }
    const sold = ['TEST-OUT-OF-STOCK', '10', 'fixed', '', false, place]
    const toProduct = ['<', '<', '<', '<', '<']
    const answers = [
      ...sold,
      'e',
      goBack,
      ...toProduct,
      'GAME-US',
      '25',
      '',
      '',
      '',
      '',
      '',
      place,
      place,
      true,
    ]
    const ran = await bySocket.creating(rest, answers, {}, shop)
    await losing
    expect(ran).toMatchObject({ exit: 0, calls: 'create create create confirm' })
    expect(ran.stderr).toMatch(kept)
    expect(confirms).toBe(1)
  })
})

describe('nothing is asked again', { concurrent: true }, () => {
  const typed = ['GAME-US', '25', 'fixed', '', false]

  test.each<[string, number, string[], string, Record<string, string>]>([
    ['where the response cannot be read, and names the order', 5, [], 'create:truncate', {}],
    ['where the key is refused', 4, [], 'get:html', { ORDERCTL_API_KEY: 'wrong' }],
    ['where it is created, and costs too much', 3, ['--confirm', '--max-total', '1'], 'get:html', {}],
  ])('%s', async (_what, exit, flags, fault, env) => {
    const shop = await bySocket.open()
    await shop.fault(fault)
    const ran = await bySocket.creating([...rest, ...flags], [...typed, place], { env }, shop)
    expect(ran).toMatchObject({ exit, calls: 'create' })
    expect(ran.questions.filter(isReview)).toHaveLength(1)
    // If there is an order, the same command would place another.
    expect(ran.command === '').toBe(exit !== 4)
  })

  test('where the reference is taken: it may be the order that is meant', async () => {
    const shop = await open()
    await shop.must(...product('GAME-US:25'), ...rest)
    const ran = await creating(rest, ['GAME-US', '', false, place], {}, shop)
    expect(ran).toMatchObject({ exit: 11, calls: 'create', command: '' })
  })
})
