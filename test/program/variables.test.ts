// The ORDERCTL_ variables that set flags: which values mean yes or no, and that a flag overrides them.
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { openHttp, openProxy } from '../support/network/client-servers.ts'
import { openerFor, overSocket, scrub } from '../support/world.ts'

const open = openerFor(overSocket)
const yes = ['1', 'true', 'yes']
const no = ['0', '', 'false', undefined]
/** Each value with what it means. */
const values = [...yes.map((value) => [value, true] as const), ...no.map((value) => [value, false] as const)]

const isJson = (text: string): boolean => {
  try {
    return typeof JSON.parse(text) === 'object'
  } catch {
    return false
  }
}

type Env = Record<string, string | undefined>
/** Whether a flag is set by these variables and flags. */
type Asking = (env: Env, ...flags: string[]) => Promise<boolean>

/** All must agree. */
const agreed = (...answers: boolean[]): boolean => {
  expect(new Set(answers).size).toBe(1)
  return answers[0] === true
}

const flags: Record<string, Asking> = {
  json: async (env, ...more) => {
    const { run } = await open()
    return agreed(
      isJson((await run(['profile', 'list', ...more], { env })).stdout),
      isJson((await run(['get', 'ord_nobody', ...more], { env })).stderr),
      isJson((await run(['profile', 'lits', ...more], { env })).stderr),
    )
  },

  'no-color': async (given, ...more) => {
    const { run } = await open()
    const env = { FORCE_COLOR: '1', ...given }
    const isPlain = (text: string): boolean => !text.includes('\u001b[')
    return agreed(
      isPlain((await run(['profile', 'list', ...more], { env })).stdout),
      isPlain((await run(['get', 'ord_nobody', ...more], { env })).stderr),
    )
  },

  'no-input': async (env, ...more) => {
    const shop = await open()
    const words = ['confirm', await shop.created('GAME-US:25'), ...more]
    const { exit, questions } = await shop.atTerminal(words, { env, answers: [true] })
    // Without a question, confirm at a terminal needs --yes.
    expect(exit).toBe(questions.length === 1 ? 0 : 2)
    return questions.length === 0
  },

  debug: async (env, ...more) => {
    const { run } = await open()
    return /GET http:\S+ .*404/.test((await run(['get', 'ord_nobody', ...more], { env })).stderr)
  },

  /** The address is plain http on another machine; a proxy leads there. */
  'allow-http': async (given, ...more) => {
    const { run } = await open()
    await using far = await openHttp((_, response) => response.writeHead(404).end('{"message":"Not Found"}'))
    await using proxy = await openProxy({ to: far.port })
    const env = { ...given, ORDERCTL_BASE_URL: 'http://far.example', http_proxy: proxy.origin }
    const { exit } = await run(['get', 'ord_nobody', ...more], { env })
    expect([exit, proxy.asked.length]).toEqual(exit === 3 ? [3, 1] : [2, 0])
    return exit === 3
  },
}

describe.each(Object.entries(flags))('--%s', (name, isInForce) => {
  const variable = `ORDERCTL_${name.toUpperCase().replace('-', '_')}`

  test.each(values)('by its variable, %j: %s', async (value, on) => {
    expect(await isInForce({ [variable]: value })).toBe(on)
  })

  test('is not undone by a variable of no', async () => {
    expect(await isInForce({ [variable]: '0' }, `--${name}`)).toBe(true)
  })
})

describe('ORDERCTL_TIMEOUT', () => {
  const message = async (ORDERCTL_TIMEOUT: string | undefined, fault: string, ...flags: string[]) => {
    const shop = await open()
    const order = await shop.created('GAME-US:25')
    if (fault !== '') await shop.fault(fault)
    const { exit, stderr } = await shop.run(['get', order, '-q', ...flags], { env: { ORDERCTL_TIMEOUT } })
    return { exit, said: scrub(stderr).split('\n')[0] }
  }
  const slow = 'get:latency=20s'
  const late = (seconds: number) => ({
    exit: 5,
    said: expect.stringMatching(`^error: .*: timed out after ${seconds} s$`) as unknown,
  })

  test('is how long a call may take', async () => {
    expect(await message('200ms', slow)).toEqual(late(0.2))
  })

  test('gives way to --timeout, longer or shorter', async () => {
    expect(await message('30s', slow, '--timeout', '300ms')).toEqual(late(0.3))
    expect(await message('1ms', '', '--timeout', '30s')).toEqual({ exit: 0, said: '' })
  })

  test.each(['soon', 'false', '-1s'])('of %j is reported', async (value) => {
    expect(await message(value, '')).toEqual({
      exit: 2,
      said: `error: ORDERCTL_TIMEOUT is "${value}"; allowed: a duration such as 500ms, 2s or 11m, up to 30d`,
    })
  })

  test('that is empty counts as unset', async () => {
    expect(await message('', '')).toEqual({ exit: 0, said: '' })
  })

  test('is that of a call for watch too, whose --timeout is the whole time', async () => {
    const shop = await open()
    const words = ['watch', await shop.confirmed('TEST-SLOW:10'), '-q', '--timeout', '100ms']
    expect((await shop.run(words, { env: { ORDERCTL_TIMEOUT: '30s' } })).exit).toBe(124)
  })
})

test('profile use and remove print JSON, by the flag and by the variable', async () => {
  const { run, home } = await open()
  const kept = { ORDERCTL_CONFIG_DIR: path.join(home, 'config'), ORDERCTL_BASE_URL: undefined }
  const said = (words: string[], env = {}) => run(['profile', ...words], { env: { ...kept, ...env } })
  const account = ['--base-url', 'https://orders.example', '--credential-command', 'printf key']
  const ok = (document: object) => ({ exit: 0, stdout: `${JSON.stringify(document, null, 2)}\n`, stderr: '' })
  for (const name of ['one', 'two']) await said(['add', name, ...account])
  expect(await said(['use', 'one', '--json'])).toEqual(ok({ name: 'one', current: true }))
  expect(await said(['use', 'two'], { ORDERCTL_JSON: '1' })).toEqual(ok({ name: 'two', current: true }))
  expect(await said(['remove', 'one', '--json'])).toEqual(ok({ name: 'one', removed: true, current: 'two' }))
  expect(await said(['remove', 'two', '--json'])).toEqual(ok({ name: 'two', removed: true, current: null }))
  const { exit, stdout, stderr } = await said(['use', 'two', '--json'])
  expect({ exit, stdout, ...JSON.parse(stderr) }).toMatchObject({
    exit: 2,
    stdout: '',
    error: { code: 'usage' },
  })
})
