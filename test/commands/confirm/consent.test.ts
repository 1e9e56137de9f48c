// confirm on a real terminal whose stderr leads elsewhere: it asks on the terminal, and only a yes spends.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { isFullRun } from '../../support/cases.ts'
import { customer, overSocketUnhurried } from '../../support/customer.ts'
import { noTerminal, onTerminal } from '../../support/pseudo-terminal.ts'

const question = 'Confirm the order and spend 25.00 USD?'
const shown: [string, Record<string, string>, string][] = [
  ['drawn', {}, '(y/N)'],
  ['read out', { ORDERCTL_ACCESSIBLE: '1' }, '(yes or no; Enter for no):'],
]

const opened = async (
  redirection: string,
  words: readonly string[] = [],
  env: Record<string, string> = {},
) => {
  const shop = await customer(overSocketUnhurried)
  const order = await shop.created('GAME-US:25')
  const surroundings = { ...shop.environment, ORDERCTL_STATE_DIR: path.join(shop.home, 'state'), ...env }
  const run = () => onTerminal(['confirm', order, ...words], surroundings, redirection)
  return { shop, order, run, state: () => shop.calls.state(order) }
}

describe.skipIf(noTerminal() !== undefined).each(isFullRun ? shown : shown.slice(0, 1))(
  'with stderr redirected, %s',
  { timeout: 60_000 },
  (_, env, mark) => {
    test.each<[string, string, number, string]>([
      ['Enter alone', '\r', 130, 'created'],
      ['No', 'n\r', 130, 'created'],
      ['Ctrl-C', '\u0003', 130, 'created'],
      ['Ctrl-D', '\u0004', 130, 'created'],
      ['Yes', 'y\r', 0, 'confirmed'],
    ])('-q asks, and after %s the order is as it should be', async (_answer, keys, exit, wanted) => {
      const { order, run, state } = await opened('2>/dev/null', ['-q'], env)
      const terminal = run()
      await terminal.shows(mark)
      expect(terminal.text()).toMatch(
        /^Using the environment: http[\s\S]*Total +25\.00 USD, unpaid[\s\S]*Confirm the order/,
      )
      expect(await state()).toBe('created')
      terminal.press(keys)
      expect(await terminal.ended).toBe(exit)
      expect(await state()).toBe(wanted)
      expect(terminal.text().includes(`\n${order}\n`)).toBe(wanted === 'confirmed')
    })

    test('a yes that was typed before the question is no answer', async () => {
      const { shop, run, state } = await opened('2>/dev/null', ['-q'], env)
      await shop.fault('get:latency=1s')
      const asked = once(shop.arrived, 'get')
      const terminal = run()
      await asked
      terminal.press('y\r')
      await terminal.shows(mark)
      terminal.press('\r')
      expect(await terminal.ended).toBe(130)
      expect(await state()).toBe('created')
    })
  },
)

describe.skipIf(noTerminal() !== undefined)('on a real terminal', { timeout: 60_000 }, () => {
  test('stdout and stderr in files are as they are in a script, and the question stands in neither', async () => {
    const { shop, order, state } = await opened('')
    const [out, err] = ['out.txt', 'err.txt'].map((name) => path.join(shop.home, name)) as [string, string]
    const terminal = onTerminal(
      ['confirm', order, '--json', '--fields', 'state'],
      shop.environment,
      `>${out} 2>${err}`,
    )
    await terminal.shows(question)
    terminal.press('y\r')
    expect(await terminal.ended).toBe(0)
    expect(JSON.parse(readFileSync(out, 'utf8'))).toEqual({ state: 'confirmed' })
    expect(readFileSync(err, 'utf8')).toMatch(/^Using the environment: .*\n$/)
    expect(await state()).toBe('confirmed')
  })

  test.each([
    ['--no-input', ['--no-input'], {}],
    ['CI', [], { CI: '1' }],
  ])('with %s it needs --yes', async (_how, words, env) => {
    const { run, state } = await opened('', words, env)
    const terminal = run()
    expect(await terminal.ended).toBe(2)
    expect(terminal.text()).toContain('error: confirm needs --yes')
    expect(await state()).toBe('created')
  })

  test('without a controlling terminal it needs --yes', async () => {
    const { shop, order, state } = await opened('')
    // A session of its own has none, though its stdin is the terminal.
    const under = ['setsid', '--wait']
    const terminal = onTerminal(['confirm', order, '-q'], shop.environment, '2>/dev/null', under)
    expect(await terminal.ended).toBe(2)
    expect(await state()).toBe('created')
  })

  test('a script needs none: stdin is no terminal', async () => {
    const { run, state } = await opened('</dev/null', ['-q'])
    expect(await run().ended).toBe(0)
    expect(await state()).toBe('confirmed')
  })
})
