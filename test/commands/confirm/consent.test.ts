// confirm, and create --watch, if some streams are a terminal, and on a real terminal. confirm.session has the others.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { isFullRun } from '../../support/cases.ts'
import type { Situation } from '../../support/in-process.ts'
import { noTerminal, onTerminal } from '../../support/pseudo-terminal.ts'
import { openWorld, order, overNetwork, overSocketUnhurried } from '../../support/world.ts'

const _question = 'Confirm the order and spend 25.00 USD?'

/** Runs confirm in process, with a terminal on every stream unless the situation says otherwise. */
const confirming = async (situation: Situation, ...flags: string[]) => {
  const shop = await openWorld(overNetwork)
  const id = await shop.id(...order)
  const terminals = ['stdin', 'stdout', 'stderr'] as const
  const ran = await shop.runIn(['confirm', id, ...flags], { terminals, ...situation })
  return { ...ran, id, sent: shop.sent('confirm'), read: shop.sent('get') }
}

test('after SIGTERM during the prompt it sends nothing', async () => {
  const stop = new AbortController()
  const answers = [
    () => {
      stop.abort('SIGTERM')
      return false
    },
  ]
  const ran = await confirming({ answers, interrupted: stop.signal })
  expect(ran).toMatchObject({ exit: 143, stdout: '', sent: 0 })
})

describe('create --watch with stderr redirected', () => {
  const creating = async (situation: Situation, ...flags: string[]) => {
    const shop = await openWorld(overNetwork)
    const redirected = { terminals: ['stdin', 'stdout'], ...situation } as const
    const { exit, stderr, questions } = await shop.runIn([...order, '--watch', '-q', ...flags], redirected)
    const [created, confirmed] = [shop.sent('create'), shop.sent('confirm')]
    return { exit, stderr, questions, created, confirmed }
  }

  test.each<[string, Situation, readonly string[]]>([
    ['CI is set', { env: { CI: 'true' } }, []],
    ['prompts are turned off', {}, ['--no-input']],
    ['stderr is redirected', {}, []],
  ])('sends nothing if %s', async (reason, situation, flags) => {
    expect(await creating(situation, ...flags)).toEqual({
      exit: 2,
      stderr: expect.stringContaining(`create --watch needs --confirm, because it cannot prompt: ${reason}
`),
      questions: [],
      created: 0,
      confirmed: 0,
    })
  })
})

test('if CI is set and stderr is redirected, it needs --yes', async () => {
  const inCi: Situation = { env: { CI: 'true' }, terminals: ['stdin'] }
  expect(await confirming(inCi)).toMatchObject({
    exit: 2,
    stdout: '',
    stderr:
      'error: confirm needs --yes, because it cannot prompt: CI is set\nUse --yes to spend without a prompt.\n',
    questions: [],
    ...{ sent: 0, read: 0 },
  })
  expect(await confirming(inCi, '--yes')).toMatchObject({ exit: 0, sent: 1 })
})

test('in CI without a terminal, the command is the consent', async () => {
  const inCi: Situation = { terminals: [], env: { CI: 'true' } }
  expect(await confirming(inCi, '--no-input')).toMatchObject({ exit: 0, questions: [], sent: 1 })
})

const shown: [string, Record<string, string>, string][] = [
  ['drawn', {}, '(y/N)'],
  ['read out', { ORDERCTL_ACCESSIBLE: '1' }, '(yes or no; Enter for no):'],
]

const opened = async (
  redirection: string,
  words: readonly string[] = [],
  env: Record<string, string> = {},
) => {
  const shop = await openWorld({ ...overSocketUnhurried, realTime: true })
  const order = await shop.created('GAME-US:25')
  const surroundings = { ...shop.environment, ORDERCTL_STATE_DIR: path.join(shop.home, 'state'), ...env }
  const run = () => onTerminal(['confirm', order, ...words], surroundings, redirection)
  return { shop, order, run, state: () => shop.calls.state(order) }
}

describe.skipIf(noTerminal() !== undefined).each(isFullRun ? shown : shown.slice(0, 1))(
  'the prompt on a real terminal, %s',
  (_, env, mark) => {
    test.each<[string, string, number, string]>([
      ['Enter alone', '\r', 130, 'created'],
      ['Ctrl-C', '\u0003', 130, 'created'],
      ['Ctrl-D', '\u0004', 130, 'created'],
      ['Yes', 'y\r', 0, 'confirmed'],
    ])('-q asks, and after %s the order is as it should be', async (_answer, keys, exit, wanted) => {
      const { order, run, state } = await opened('', ['-q'], env)
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
      const { shop, run, state } = await opened('', ['-q'], env)
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

describe.skipIf(noTerminal() !== undefined)('on a real terminal', () => {
  test('with stderr in a file, it needs --yes', async () => {
    const { shop, order, state } = await opened('')
    const err = path.join(shop.home, 'err.txt')
    const terminal = onTerminal(['confirm', order, '-q'], shop.environment, `2>${err}`)
    expect(await terminal.ended).toBe(2)
    expect(readFileSync(err, 'utf8')).toContain('it cannot prompt: stderr is redirected\nUse --yes ')
    expect(await state()).toBe('created')
  })

  test('a script needs none: stdin is not a terminal', async () => {
    const { run, state } = await opened('</dev/null', ['-q'])
    expect(await run().ended).toBe(0)
    expect(await state()).toBe('confirmed')
  })
})
