// create's questions by the executable on a real terminal, from the first to the last, drawn and plain.
import { describe, expect, test } from 'vitest'
import { noTerminal, typedInto } from '../../support/pseudo-terminal.ts'

const [enter, down, ctrlC] = ['\r', '\u001b[B', '\u0003']
const accessible = { ORDERCTL_ACCESSIBLE: '1' }

describe.skipIf(noTerminal() !== undefined)('on a terminal', () => {
  test('of 60 columns: refused, changed, placed, confirmed and watched', async () => {
    const { exit, text } = await typedInto(
      ['create'],
      { COLUMNS: '60' },
      ['GAME-US', `TEST-OUT`],
      ['❯ TEST-OUT', enter],
      ['(1)', enter],
      ['another product? (y/N)', enter],
      ['❯ USD', enter],
      ['reference (', `${'\u0015'}my-order${enter}`],
      ['❯ place the order', enter],
      ['answers are kept', ''],
      ['❯ place the order', `${down}${enter}`],
      ['❯ change TEST-OUT', enter],
      ['❯ TEST-OUT', 'GAME-US'],
      ['❯ GAME-US', enter],
      ['(1)', enter],
      ['❯ place the order', enter],
      ['(y/N)', `y${enter}`],
    )
    expect(exit).toBe(0)
    expect(text).toContain('error: the service refused: Requested item is out of stock')
    expect(text).toContain('Nothing was bought. Your answers are kept.')
    expect(text).toMatch(/successful[\s\S]*GAME-US .*••••/)
    expect(text).toContain(
      'orderctl create --product GAME-US:25 --wallet USD --reference my-order --confirm --watch\n',
    )
  })

  test.each<Record<string, string>>([{ TERM: 'dumb' }, { COLUMNS: '0' }])('%j: plain lines', async (env) => {
    const { exit, text, raw } = await typedInto(
      ['create'],
      env,
      ['Number, name or part of a name', 'GAME-US\n'],
      ['Quantity', ctrlC],
    )
    expect(exit).toBe(130)
    expect(text).toMatch(/^Using the sandbox: no real money\n/)
    // Nothing moves the cursor.
    expect(raw.replaceAll(/\u001b\[\d*m/g, '')).not.toContain('\u001b[')
  })

  test('read out: plain lines, and choices by number', async () => {
    const number = 'Number, name or part of a name'
    const review = '1. place the order (spends nothing yet)\n2. change it\n3. cancel\nNumber:'
    const { exit, text, raw } = await typedInto(
      ['create'],
      accessible,
      [` more\n${number}`, 'TEST-OUT-OF-STOCK\n'],
      ['Quantity', '\n'],
      ['Add another product? (yes or no; Enter for no):', '\n'],
      [number, 'AUD\n'],
      ['Your reference', 'my-order\n'],
      [review, 'no\n'],
      ['Enter a number from 1 to 3.\nNumber:', '2\n'],
      ['1. change TEST-OUT-OF-STOCK\n2. add a product\n3. change the wallet\n', '3\n'],
      [number, 'USD\n'],
      [review, '1\n'],
      ['answers are kept', ''],
      [review, '3\n'],
    )
    expect(exit).toBe(130)
    expect(text).toContain('Nothing was bought. Your answers are kept.\n')
    expect(text).toContain(
      'orderctl create --product TEST-OUT-OF-STOCK:10 --wallet USD --reference my-order\n',
    )
    expect(raw).not.toMatch(/\u001b\[\d*[A-KJST]/)
  })

  test('what is typed ahead does not place and confirm the order', async () => {
    const given = ['create', '--product', 'GAME-US:25', '--confirm']
    const ahead = `${enter}${enter}y${enter}`
    const { exit, text } = await typedInto(given, {}, ['❯ USD', ahead], ['❯ place the order', ctrlC])
    expect(exit).toBe(130)
    expect(text).toMatch(/Cancelled; nothing was sent\n$/)
  })

  test('a key that is asked for is not echoed, nor anything drawn for it', async () => {
    const { exit, text, raw } = await typedInto(
      ['profile', 'add', 'shop', '--wallet', 'USD'],
      { ...accessible, NO_COLOR: '1' },
      ['Base URL (https://…):', 'http://127.0.0.1:9\n'],
      ['4. query (a parameter of the URL)\nNumber:', '1\n'],
      ['Key (not shown):', 'canary-key-1\n'],
      ['2. save the profile anyway\nNumber:', '2\n'],
      ['Use the profile shop', 'no\n'],
    )
    expect(exit).toBe(0)
    expect(text).toMatch(/^Key \(not shown\): \n/m)
    expect(text).toMatch(/^Profile {5}shop$/m)
    expect(raw).not.toMatch(/canary|\u001b/)
  })
})
