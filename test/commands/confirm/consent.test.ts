// confirm, and create --watch, if some streams are a terminal, and on a real terminal. confirm.session has the others.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { isAllRun, isFullRun } from '../../support/cases.ts'
import type { Situation } from '../../support/in-process.ts'
import { noTerminal, onTerminal } from '../../support/pseudo-terminal.ts'
import { openWorld, order, overNetwork, overSocketUnhurried } from '../../support/world.ts'

const question = 'Confirm the order and spend 25.00 USD?'

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

test('if stderr is redirected, it asks and shows what will be spent on the controlling terminal', async () => {
  const redirected = { terminals: ['stdin', 'stdout'], controllingTerminal: true } as const
  const ran = await confirming({ ...redirected, answers: [true] }, '-q')
  expect(ran).toMatchObject({ exit: 0, stderr: '', questions: [`${question} (terminal)`], sent: 1 })
  expect(ran.onTerminal).toMatch(
    /^Using the environment: http.*\nOrder .*\n(?:.*\n)*Total {6}25\.00 USD, unpaid, .*\n(?:.*\n)*expires in 10 min/,
  )
  expect(await confirming({ ...redirected, answers: [false] })).toMatchObject({
    exit: 130,
    onTerminal: expect.stringMatching(/Total {6}25\.00 USD/),
    sent: 0,
  })
})

describe('create --watch with stderr redirected', () => {
  const creating = async (situation: Situation, ...flags: string[]) => {
    const shop = await openWorld(overNetwork)
    const redirected = { terminals: ['stdin', 'stdout'], controllingTerminal: true, ...situation } as const
    const { exit, stderr, questions } = await shop.runIn([...order, '--watch', '-q', ...flags], redirected)
    const [created, confirmed] = [shop.sent('create'), shop.sent('confirm')]
    return { exit, stderr, questions, created, confirmed }
  }

  test.each([true, false])('asks on the controlling terminal: %s', async (isYes) => {
    expect(await creating({ answers: [isYes] })).toEqual({
      exit: isYes ? 0 : 130,
      stderr: isYes ? '' : expect.stringMatching(/\ntry: orderctl confirm sbx_\w+ --watch\n/),
      questions: [`${question} (terminal)`],
      created: 1,
      confirmed: isYes ? 1 : 0,
    })
  })

  test.each<[string, Situation, readonly string[]]>([
    ['CI is set', { env: { CI: 'true' } }, []],
    ['prompts are turned off', {}, ['--no-input']],
    ['stderr is redirected and there is no controlling terminal', { controllingTerminal: false }, []],
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
  const inCi: Situation = { env: { CI: 'true' }, terminals: ['stdin'], controllingTerminal: true }
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

describe.runIf(isAllRun && noTerminal() === undefined).each(isFullRun ? shown : shown.slice(0, 1))(
  'with stderr redirected, %s',
  (_, env, mark) => {
    test.each<[string, string, number, string]>([
      ['Enter alone', '\r', 130, 'created'],
      ['Ctrl-C', '\u0003', 130, 'created'],
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

describe.runIf(isAllRun && noTerminal() === undefined)('on a real terminal', () => {
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
    expect(readFileSync(err, 'utf8')).toBe('')
    expect(await state()).toBe('confirmed')
  })

  test('without a controlling terminal it needs --yes', async () => {
    const { shop, order, state } = await opened('')
    // A session of its own has none, though its stdin is the terminal.
    const under = ['setsid', '--wait']
    const err = path.join(shop.home, 'err.txt')
    const terminal = onTerminal(['confirm', order, '-q'], shop.environment, `2>${err}`, under)
    expect(await terminal.ended).toBe(2)
    expect(readFileSync(err, 'utf8')).toContain('redirected and there is no controlling terminal\nUse --yes ')
    expect(await state()).toBe('created')
  })

  test('a script needs none: stdin is not a terminal', async () => {
    const { run, state } = await opened('</dev/null', ['-q'])
    expect(await run().ended).toBe(0)
    expect(await state()).toBe('confirmed')
  })
})
