// confirm on a terminal: it asks before it spends, also if stderr is redirected, and only a yes spends.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Assistant } from '../../../src/journal/access.ts'
import { isFullRun } from '../../support/cases.ts'
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

test('it shows what will be spent, asks, and confirms after a yes', async () => {
  const ran = await confirming({ answers: [true] })
  expect(ran).toMatchObject({ exit: 0, questions: [question], sent: 1 })
  // The order itself was shown before the question.
  expect(ran.stdout).toBe(`… confirmed: ${ran.id}, 25.00 USD paid\n`)
  expect(ran.stderr).toMatch(
    /Total {6}25\.00 USD, unpaid, .*\n(?:.*\n)*expires in 10 min\nWait for it: orderctl watch sbx_\w+\n$/,
  )
})

test.each([
  [[], 'ends with the final state and the masked cards'],
  [['--reveal'], 'ends with the codes'],
])('with --watch %j it shows the order once, and %s', async (flags) => {
  const { id, stdout, stderr } = await confirming({ answers: [true] }, '--watch', ...flags)
  expect(stderr.match(/^Order {6}/gm)).toHaveLength(1)
  expect(stdout).toMatch(new RegExp(`^✓ successful: ${id}, 25.00 USD paid\n\nsku[^]*code`, 'i'))
  expect(stdout.includes('••••')).toBe(flags.length === 0)
})

describe('an order that an assistant placed', () => {
  const placeBoth = async (assistant: Assistant = {}) => {
    const shop = await openWorld(overNetwork)
    const own = await shop.id(...order)
    const ran = await shop.runIn([...order, '--reference', 'theirs', '-q'], { assistant })
    return { shop, own, theirs: ran.stdout.trim() }
  }

  test('is named as such before the question', async () => {
    const { shop, theirs } = await placeBoth()
    const ran = await shop.atTerminal(['confirm', theirs], { answers: [false] })
    expect(ran.stderr).toMatch(/\nexpires in 10 min\nPrepared by an assistant, with orderctl mcp\n/)
    expect((await shop.asks(['list', '--reference', 'theirs'])).data).toMatchObject([{ placedWith: 'mcp' }])
  })

  test.each([
    ['24.99', ', and above its limit of 24.99\n'],
    ['25', '\n'],
  ])('with a limit of %s is named with the limit that it exceeds', async (maxTotal, end) => {
    const { shop, theirs } = await placeBoth({ maxTotal })
    const ran = await shop.atTerminal(['confirm', theirs], { answers: [false] })
    expect(ran.stderr).toContain(`\nPrepared by an assistant, with orderctl mcp${end}`)
  })

  test('is confirmed by its reference only after a question', async () => {
    const { shop, theirs } = await placeBoth()
    const refused = await shop.run(['confirm', 'ref:theirs'])
    expect(refused).toMatchObject({
      exit: 3,
      stderr: expect.stringContaining(
        `ref:theirs is the order ${theirs}, which an assistant prepared; nothing was sent`,
      ),
    })
    expect(shop.bought()).toEqual([])
    await shop.atTerminal(['confirm', 'ref:theirs'], { answers: [true] })
    expect(shop.bought()).toEqual([theirs])
    expect(await shop.run(['confirm', 'ref:theirs', '--idempotent'])).toMatchObject({ exit: 0 })
  })

  test('is never @last, which a script may confirm', async () => {
    const { shop, own } = await placeBoth()
    expect(await shop.run(['confirm', '@last', '-q'])).toMatchObject({ exit: 0, stdout: `${own}\n` })
    expect(shop.bought()).toEqual([own])
  })
})

test.each<[string, boolean | undefined]>([
  ['a no', false],
  ['a cancelled prompt', undefined],
])('after %s it sends nothing', async (_case, answer) => {
  expect(await confirming({ answers: [answer] })).toMatchObject({
    exit: 130,
    stdout: '',
    stderr: expect.stringMatching(/\nThis run did not confirm the order\n$/),
    questions: [question],
    sent: 0,
  })
})

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

test('it asks with --json and -q too, and stdout is only the result', async () => {
  const terminals = ['stdin', 'stderr'] as const
  const json = await confirming({ answers: [true], terminals }, '--json', '--fields', 'state')
  expect(json).toMatchObject({ exit: 0, questions: [question], stderr: expect.stringContaining('25.00 USD') })
  expect(JSON.parse(json.stdout)).toEqual({ state: 'confirmed' })
  const quiet = await confirming({ answers: [true] }, '-q')
  expect(quiet).toMatchObject({ exit: 0, questions: [question], stdout: `${quiet.id}\n` })
})

test('it does not ask if --max-total refuses the order', async () => {
  expect(await confirming({}, '--max-total', '24')).toMatchObject({ exit: 3, questions: [], sent: 0 })
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

test.each<[string, string[], Situation, string]>([
  ['with --no-input', ['--no-input'], {}, 'prompts are turned off'],
  ['with ORDERCTL_NO_INPUT', [], { env: { ORDERCTL_NO_INPUT: '1' } }, 'prompts are turned off'],
  ['if CI is set', [], { env: { CI: 'true' } }, 'CI is set'],
  [
    'if CI is set and stderr is redirected',
    [],
    { env: { CI: 'true' }, terminals: ['stdin'], controllingTerminal: true },
    'CI is set',
  ],
  [
    'without a controlling terminal',
    [],
    { terminals: ['stdin', 'stdout'] },
    'stderr is redirected and there is no controlling terminal',
  ],
])('it needs --yes %s', async (_case, flags, situation, reason) => {
  expect(await confirming(situation, ...flags)).toMatchObject({
    exit: 2,
    stdout: '',
    stderr: `error: confirm needs --yes, because it cannot prompt: ${reason}\nUse --yes to spend without a prompt.\n`,
    questions: [],
    ...{ sent: 0, read: 0 },
  })
  expect(await confirming(situation, ...flags, '--yes')).toMatchObject({ exit: 0, sent: 1 })
})

test.each<[string, string[], Situation]>([
  ['with --yes', ['--yes'], {}],
  ['if stdin is not a terminal', [], { terminals: ['stdout', 'stderr'], controllingTerminal: true }],
  ['in CI without a terminal', ['--no-input'], { terminals: [], env: { CI: 'true' } }],
])('the command is the consent %s', async (_case, flags, situation) => {
  expect(await confirming(situation, ...flags)).toMatchObject({ exit: 0, questions: [], sent: 1 })
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
  'with stderr redirected, %s',
  (_, env, mark) => {
    test.each<[string, string, number, string]>([
      ['Enter alone', '\r', 130, 'created'],
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

describe.skipIf(noTerminal() !== undefined)('on a real terminal', () => {
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
