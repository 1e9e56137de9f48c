// get --explain, the text for a ticket: as a screen, as JSON and on the clipboard. It never has a code.
import { describe, expect, test } from 'vitest'
import { realClock, type Situation } from '../../support/in-process.ts'
import { openWorld, order, overSocket } from '../../support/world.ts'

const desk = async () => {
  const shop = await openWorld(overSocket)
  const buy = async (...products: string[]): Promise<string> => {
    const lines = products.flatMap((product) => ['--product', product])
    const words = ['create', ...lines, '--wallet', 'USD', '--reference', 'PO-1042', '--confirm', '-q']
    const id = (await shop.must(...words)).trim()
    await shop.advance('5s')
    return id
  }
  const valuesOf = async (id: string): Promise<string[]> => {
    const { data } = await shop.calls.get(id)
    const cards = Object.values(data.redeem as Record<string, { cards: Record<string, string>[] }>)
    return cards.flatMap((each) =>
      each.cards.flatMap((card) =>
        ['redeemCardCode', 'redeemPin', 'redeemSerialNumber', 'redeemLink'].map((name) => card[name] ?? ''),
      ),
    )
  }
  return { ...shop, buy, valuesOf }
}

const steady = (text: string): string =>
  text
    .replaceAll(/sbx_[a-z0-9]{16}/g, 'sbx_1234567890abcdef')
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, 'YYYY-MM-DD hh:mm:ss')
    .replaceAll(/ending in [A-Z0-9]{4}/g, 'ending in X4K9')
    .replaceAll(/, \d+ s later/g, ', 2 s later')

describe('the text', () => {
  test.each(['60', '80', '120'])('at %s columns', async (columns) => {
    const { buy, must, atTerminal, valuesOf } = await desk()
    const id = await buy('GAME-US:25x2')
    await must('redeem', id, '--reveal')
    const plain = await atTerminal(['get', id, '--explain'], { env: { COLUMNS: columns } })
    expect(plain).toMatchObject({ exit: 0, stderr: '' })
    expect(plain.stdout.split('\n').filter((line) => line.length > Number(columns))).toEqual([])
    for (const value of await valuesOf(id)) expect(plain.stdout).not.toContain(value)
    if (columns === '80')
      expect(steady(plain.stdout)).toMatchInlineSnapshot(`
      "Order sbx_1234567890abcdef, reference PO-1042: successful, all products
      succeeded.
      Created YYYY-MM-DD hh:mm:ss UTC by tester. Paid YYYY-MM-DD hh:mm:ss UTC, when it
      was confirmed. Last changed YYYY-MM-DD hh:mm:ss UTC, 2 s later.

      What happened
      - GAME-US (Quorvane Games 25 USD), 2 ordered at 25.00 USD: delivered, 2 cards.

      Cards
      - Card 1, GAME-US (Quorvane Games 25 USD): code ending in X4K9, PIN, serial
        number, link. Expires YYYY-MM-DD hh:mm:ss UTC.
      - Card 2, GAME-US (Quorvane Games 25 USD): code ending in X4K9, PIN, serial
        number, link. Expires YYYY-MM-DD hh:mm:ss UTC.

      Money
      - The total is 50.00 USD from the USD wallet. The invoice's status is 'paid'.
      - GAME-US: 50.00 USD of the total.

      Who revealed the codes
      - YYYY-MM-DD hh:mm:ss UTC by tester: GAME-US, shown.

      What the service responded
      - create YYYY-MM-DD hh:mm:ss UTC by tester: done.
      - confirm YYYY-MM-DD hh:mm:ss UTC by tester: done.
      - get YYYY-MM-DD hh:mm:ss UTC: state successful, invoice paid.

      What to do next
      - Get the cards: orderctl redeem sbx_1234567890abcdef --reveal
      "
    `)
    const colour = await atTerminal(['get', id, '--explain'], {
      env: { COLUMNS: columns, NO_COLOR: '', FORCE_COLOR: '1' },
    })
    expect(colour.stdout).not.toContain('\u001b')
  })

  test('names refusals, settled confirms and times in UTC wherever the reader is', async () => {
    const { must, run, fault } = await desk()
    await fault('confirm:status=400')
    const words = [...order, '--confirm', '-q']
    const { exit } = await run(words, { env: { TZ: 'Asia/Tokyo' } })
    expect(exit).toBe(3)
    const explained = steady(await must('get', '@last', '--explain'))
    expect(explained).toContain('- confirm YYYY-MM-DD hh:mm:ss UTC by tester: refused (status 400).\n')
    expect(explained).not.toMatch(/UTC\+/)
  })

  test('of an order that is not in the journal says so', async () => {
    const { ended, must } = await desk()
    expect(await must('get', await ended('GAME-US:25'), '--explain')).toContain(
      'Who revealed the codes\n- This journal does not have the order.\n',
    )
  })
})

/** The clipboard is cleared at once. */
const notKept = {
  ...realClock,
  sleep: async (ms: number, signal?: AbortSignal) => {
    if (ms !== 45_000) await realClock.sleep(ms, signal)
  },
}

describe('--card', () => {
  test.each([1, 2, 3, 4])('%i counts as redeem --card does', async (number) => {
    const { buy, must, run } = await desk()
    const id = await buy('GAME-DE:20', 'GAME-US:25x3')
    const shown = JSON.parse(await must('get', id, '--explain', '--json', '--card', String(number)))
    const copied = { text: '' }
    const pipe: NonNullable<Situation['pipe']> = async (command, text) => {
      if (command.includes('-o')) throw new Error('no paste')
      if (text !== undefined && text !== '') copied.text = text
      return ''
    }
    const situation: Situation = { env: { DISPLAY: ':0' }, platform: 'linux', pipe, clock: notKept }
    const words = ['redeem', id, '--copy', '--only', 'code', '--card', String(number)]
    const { exit } = await run(words, situation)
    expect(exit).toBe(0)
    expect(shown.cards).toMatchObject([{ card: number, ending: copied.text.slice(-4) }])
    expect(copied.text).toMatch(/^SANDBOX-/)
    expect(shown.products).toHaveLength(1)
    expect(shown.products[0].sku).toBe(shown.cards[0].sku)
  })

  test('shows only that card, its product and its reveals', async () => {
    const { buy, must } = await desk()
    const id = await buy('GAME-DE:20', 'GAME-US:25x3')
    await must('redeem', id, '--sku', 'GAME-DE', '--reveal')
    const text = await must('get', id, '--explain', '--card', '2')
    expect(text).toMatch(/Cards\n- Card 2, GAME-US \(Quorvane Games 25 USD\): code ending in [A-Z0-9]{4}, /)
    expect(text).not.toContain('Card 1')
    expect(text).not.toContain('GAME-DE')
    expect(text).toContain('Who revealed the codes\n- Nobody, as far as this journal knows.\n')
  })

  test.each<[string[], string]>([
    [['--explain', '--card', '9'], 'there is no card 9'],
    [
      ['--explain', '--copy'],
      'no clipboard found: the output is not a terminal, and no clipboard tool has a display',
    ],
  ])('%j is an error', async (words, message) => {
    const { buy, run } = await desk()
    const { exit, stdout, stderr } = await run(['get', await buy('GAME-US:25'), ...words])
    expect({ exit, stdout, first: stderr.split('\n')[0] }).toEqual({
      ...{ exit: 2, stdout: '', first: `error: ${message}` },
    })
  })
})

test('as JSON it has the facts of the text, and no code', async () => {
  const { buy, must, valuesOf } = await desk()
  const id = await buy('GAME-US:25x2', 'TEST-FAIL:10')
  await must('redeem', id, '--sku', 'GAME-US', '--only', 'code', '--reveal').catch(() => '')
  const text = await must('get', id, '--explain', '--json')
  for (const value of await valuesOf(id)) expect(text).not.toContain(value)
  expect(JSON.parse(text)).toEqual({
    ...{ id, reference: 'PO-1042', state: 'partial', profile: 'environment' },
    ...{ money: 'spent', progress: 'partial' },
    ordered: { at: expect.stringMatching(/Z$/), by: 'tester', writtenBy: null },
    paid: { at: expect.stringMatching(/Z$/), total: expect.any(Number), currency: 'USD', invoice: 'paid' },
    changed: expect.stringMatching(/Z$/),
    products: [
      expect.objectContaining({ sku: 'GAME-US', quantity: 2, each: 25, currency: 'USD', delivered: 2 }),
      expect.objectContaining({ sku: 'TEST-FAIL', quantity: 1, delivered: 0 }),
    ],
    cards: [1, 2].map((card) => ({
      ...{ card, sku: 'GAME-US', product: 'Quorvane Games 25 USD' },
      has: ['code', 'PIN', 'serial number', 'link'],
      ...{ ending: expect.stringMatching(/^[A-Z0-9]{4}$/), expires: expect.stringMatching(/Z$/) },
    })),
    reveals: [
      { at: expect.stringMatching(/Z$/), by: 'tester', writtenBy: null, how: 'reveal', skus: ['GAME-US'] },
    ],
    calls: ['create', 'confirm'].map((operation) =>
      expect.objectContaining({ operation, by: 'tester', outcome: 'done' }),
    ),
  })
})

test.each([
  ['linux', 'xclip'],
  ['win32', 'clip.exe'],
])('on %s, --copy copies the text, one line a paragraph, and prints it too', async (platform, tool) => {
  const { buy, atTerminal, valuesOf } = await desk()
  const id = await buy('GAME-US:25')
  let copied = ''
  const pipe: NonNullable<Situation['pipe']> = async (_, text) => {
    copied = text ?? ''
    return ''
  }
  const env = { DISPLAY: ':0', COLUMNS: '60' }
  const { exit, stdout, stderr } = await atTerminal(['get', id, '--explain', '--copy'], {
    ...{ env, platform, pipe },
  })
  expect({ exit, stderr }).toEqual({
    ...{ exit: 0, stderr: `Copied the text with ${tool}. It contains no code.\n` },
  })
  const collapse = (text: string): string => text.replaceAll(/\s+/g, ' ')
  expect(collapse(copied).slice(0, 300)).toBe(collapse(stdout).slice(0, 300))
  expect(copied).toMatch(/^Order \S+, reference PO-1042: successful, all products succeeded\.\n/)
  for (const value of await valuesOf(id)) expect(copied).not.toContain(value)
})
