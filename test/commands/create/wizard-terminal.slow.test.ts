// create's questions by the executable on a real terminal, from the first to the last, drawn and plain.
import { describe, expect, test } from 'vitest'
import { noTerminal, typedInto } from '../../support/pseudo-terminal.ts'

const [enter, ctrlC] = ['\r', '\u0003']
const accessible = { ORDERCTL_ACCESSIBLE: '1' }

describe.skipIf(noTerminal() !== undefined)('on a terminal', () => {
  test('of 60 columns: refused, changed, placed, confirmed and watched', async () => {
    const { exit, text } = await typedInto(
      ['create'],
      { COLUMNS: '60' },
      ['GAME-US', `TEST-OUT`],
      ['❯ TEST-OUT', enter],
      ['(1)', enter],
      ['(no)', enter],
      ['❯ USD', enter],
      ['reference (', `${'\u0015'}my-order${enter}`],
      ['Enter to place', enter],
      ['answers are kept', ''],
      ['Enter to place', 'e'],
      ['reference (', `<${enter}`],
      ['❯ USD', '<'],
      ['❯ < back', enter],
      ['(no)', `<${enter}`],
      ['(1)', `<${enter}`],
      ['Product', `${'\u0015'}GAME-US`],
      ['❯ GAME-US', enter],
      ['(1)', enter],
      ['(no)', enter],
      ['❯ USD', enter],
      ['reference (', enter],
      ['Enter to place', enter],
      ['(y/N)', `y${enter}`],
    )
    expect(exit).toBe(0)
    expect(text).toContain('error: the service refused: Requested item is out of stock')
    expect(text).toContain('Nothing was bought. Your answers are kept.')
    expect(text.replace(/\s+/g, ' ')).toMatch(
      /You can confirm it until \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC, (10|9) min from now/,
    )
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

  test('read out: plain lines, choices by number, and back by 0', async () => {
    const number = 'Number, name or part of a name'
    const keys = 'Enter to place the order (spends nothing yet), e to change it, q to cancel:'
    const { exit, text, raw } = await typedInto(
      ['create'],
      accessible,
      [` more\n${number}`, 'TEST-OUT-OF-STOCK\n'],
      ['Quantity', '\n'],
      ['Add another product? (Enter for no):', '\n'],
      [`5. AUD\n0. back\n${number}`, '0\n'],
      ['Add another product? (Enter for no):', 'n\n'],
      [number, '5\n'],
      ['Your reference', 'my-order\n'],
      [keys, 'no\n'],
      [`Press Enter, or type e or q.\n${keys}`, '\n'],
      ['answers are kept', ''],
      [keys, 'q\n'],
    )
    expect(exit).toBe(130)
    expect(text).toMatch(/^Press Enter .*, < to go back,/m)
    expect(text).toContain('Nothing was bought. Your answers are kept.\n')
    expect(text).toContain(
      'orderctl create --product TEST-OUT-OF-STOCK:10 --wallet AUD --reference my-order\n',
    )
    expect(raw).not.toMatch(/\u001b\[\d*[A-KJST]/)
  })

  test('Esc cancels the review', async () => {
    const given = ['create', '--product', 'GAME-US:25']
    const { exit, text } = await typedInto(given, {}, ['❯ USD', enter], ['Esc to cancel', 'x\u001b'])
    expect(exit).toBe(130)
    expect(text).toMatch(/Esc to cancel \nTo continue from here:[\s\S]*\nCancelled; nothing was sent\n$/)
  })

  test('a key that is asked for is not echoed, nor anything drawn for it', async () => {
    const { exit, text, raw } = await typedInto(
      ['profile', 'add', 'shop', '--wallet', 'USD'],
      { ...accessible, NO_COLOR: '1' },
      ['Base URL (https://…):', 'http://127.0.0.1:9\n'],
      ['How is the key sent?', '1\n'],
      ['Key (not shown):', 'canary-key-1\n'],
      ['2. save the profile anyway', '2\n'],
      ['Use the profile shop', 'no\n'],
    )
    expect(exit).toBe(0)
    expect(text).toMatch(/^Key \(not shown\): \n/m)
    expect(text).toMatch(/^Profile {5}shop$/m)
    expect(raw).not.toMatch(/canary|\u001b/)
  })

  test('a key that is asked for is left by Ctrl-C', async () => {
    const words = ['profile', 'add', 'shop', '--base-url', 'https://a.example', '--wallet', 'USD']
    const { exit } = await typedInto([...words, '--auth', 'bearer'], accessible, ['Key (not shown):', ctrlC])
    expect(exit).toBe(130)
  })
})
