// The screens of find on a real terminal: 60, 80 and 120 columns, with and without colour. The typed code is hidden.
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { noTerminal, onTerminal } from '../../support/pseudo-terminal.ts'
import { byExecutable, openWorld, scrub } from '../../support/world.ts'
import { inWords } from '../../ui/screens.ts'

const buyWords = ['create', '--product', 'GAME-US:25x3', '--wallet', 'USD', '--confirm', '-q']

const bought = async () => {
  const shop = await openWorld({ executable: true })
  await shop.must(...buyWords)
  await shop.advance('5s')
  const codes = (await shop.must('redeem', '@last', '--only', 'code', '--reveal')).trim().split('\n')
  const typed = async (value: string, env: Record<string, string>, words: readonly string[] = []) => {
    const state = path.join(shop.home, 'state')
    const terminal = onTerminal(['find', ...words], { ORDERCTL_STATE_DIR: state, ...env })
    await terminal.shows('(not shown)')
    terminal.press(`${value}\r`)
    const exit = await terminal.ended
    const [, ...lines] = terminal.screen().split('\n')
    return { exit, raw: terminal.raw(), text: scrubLines(lines.join('\n')) }
  }
  return { codes, typed }
}

/** Who and where depend on the machine. */
const scrubLines = (text: string): string =>
  scrub(text)
    .replaceAll(/\d+ s ago|now/g, 'now')
    .replaceAll(/by \S+?(,|$)/gm, 'by tester$1')

describe.skipIf(noTerminal() !== undefined)('the screen', () => {
  test('at each width says the same, and no line is wider', async () => {
    const { codes, typed } = await bought()
    const screens: string[] = []
    for (const columns of ['60', '80', '120']) {
      const { exit, raw, text } = await typed(codes[1] ?? '', { COLUMNS: columns, NO_COLOR: '1' })
      expect(exit).toBe(0)
      for (const code of codes) expect(raw).not.toContain(code)
      expect(text.split('\n').filter((line) => line.length > Number(columns))).toEqual([])
      screens.push(text)
    }
    expect(screens[0]).toMatchInlineSnapshot(`
      "Order      sbx_1234567890abcdef
      Reference  orderctl-made-up-reference-1
      Card       2 of 3, GAME-US (Quorvane Games 25 USD): code
      Placed     YYYY-MM-DD hh:mm:ss UTC, now, by tester
      Revealed   YYYY-MM-DD hh:mm:ss UTC, now, by tester, shown"
    `)
    expect(screens[1]).toMatchInlineSnapshot(`
      "Order      sbx_1234567890abcdef
      Reference  orderctl-made-up-reference-1
      Card       2 of 3, GAME-US (Quorvane Games 25 USD): code
      Placed     YYYY-MM-DD hh:mm:ss UTC, now, by tester
      Revealed   YYYY-MM-DD hh:mm:ss UTC, now, by tester, shown"
    `)
    expect(screens[2]).toMatchInlineSnapshot(`
      "Order      sbx_1234567890abcdef
      Reference  orderctl-made-up-reference-1
      Card       2 of 3, GAME-US (Quorvane Games 25 USD): code
      Placed     YYYY-MM-DD hh:mm:ss UTC, now, by tester
      Revealed   YYYY-MM-DD hh:mm:ss UTC, now, by tester, shown"
    `)
  })

  test('with colour has the same words', async () => {
    const { codes, typed } = await bought()
    for (const columns of ['60', '80', '120']) {
      const { raw } = await typed(codes[1] ?? '', { COLUMNS: columns })
      const [colours] = /^.*Order .*$/m.exec(inWords(raw)) ?? []
      expect(colours).toMatch(/<quiet>Order {4}<\/> {2}<strong>sbx_\w+<\/>/)
    }
  })

  test('while it searches, the progress says how far it got, and Ctrl-C too', async () => {
    const shop = await openWorld(byExecutable)
    for (const reference of ['one', 'two', 'three']) await shop.must(...buyWords, '--reference', reference)
    await shop.fault('get:latency=30s@100%')
    const state = path.join(shop.home, 'state')
    const terminal = onTerminal(['find'], { ORDERCTL_STATE_DIR: state, ...shop.environment })
    await terminal.shows('(not shown)')
    terminal.press('NOPE-1234-5678\r')
    await terminal.shows('searching: 0 of 3 orders')
    terminal.press('\u0003')
    expect(await terminal.ended).toBe(130)
    expect(terminal.screen()).toContain('error: interrupted after 0 of 3 orders; no card found so far')
    expect(terminal.raw()).not.toContain('NOPE')
  })

  test('without a match at each width', async () => {
    const { typed } = await bought()
    const screens: string[] = []
    for (const columns of ['60', '80', '120']) {
      const { exit, text } = await typed('NOPE-1234-5678', { COLUMNS: columns, NO_COLOR: '1' })
      expect(exit).toBe(3)
      screens.push(text)
    }
    expect(screens.join('\n--\n')).toMatchInlineSnapshot(`
      "No card found in the 1 order with cards since YYYY-MM-DD.
      Search further back: orderctl find --since 180d
      --
      No card found in the 1 order with cards since YYYY-MM-DD. Search further back:
      orderctl find --since 180d
      --
      No card found in the 1 order with cards since YYYY-MM-DD. Search further back: orderctl find --since 180d"
    `)
  })
})
