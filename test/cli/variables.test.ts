// The ORDERCTL_ variables that stand for flags: what means yes, what means no, and that a flag wins.
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
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

describe('ORDERCTL_JSON', () => {
  test.each(values)('%j: %s', async (ORDERCTL_JSON, on) => {
    const { run } = await open()
    const env = { ORDERCTL_JSON }
    expect(isJson((await run(['profile', 'list'], { env })).stdout)).toBe(on)
    expect(isJson((await run(['get', 'ord_nobody'], { env })).stderr)).toBe(on)
    expect(isJson((await run(['profile', 'lits'], { env })).stderr)).toBe(on)
  })

  test('of no does not undo --json', async () => {
    const { run } = await open()
    const env = { ORDERCTL_JSON: '0' }
    expect(isJson((await run(['profile', 'list', '--json'], { env })).stdout)).toBe(true)
    expect(isJson((await run(['get', '--json'], { env })).stderr)).toBe(true)
  })
})

describe('ORDERCTL_NO_COLOR', () => {
  const isColoured = (text: string): boolean => text.includes('\u001b[')
  test.each(values)('%j: %s', async (ORDERCTL_NO_COLOR, on) => {
    const { run } = await open()
    const env = { FORCE_COLOR: '1', ORDERCTL_NO_COLOR }
    expect(isColoured((await run(['profile', 'list'], { env })).stdout)).toBe(!on)
    expect(isColoured((await run(['get', 'ord_nobody'], { env })).stderr)).toBe(!on)
  })

  test('of no does not undo --no-color', async () => {
    const { run } = await open()
    const env = { FORCE_COLOR: '1', ORDERCTL_NO_COLOR: '0' }
    expect(isColoured((await run(['profile', 'list', '--no-color'], { env })).stdout)).toBe(false)
  })
})

describe('ORDERCTL_NO_INPUT', () => {
  const asked = async (ORDERCTL_NO_INPUT: string | undefined, ...flags: string[]) => {
    const shop = await open()
    const words = ['confirm', await shop.created('GAME-US:25'), ...flags]
    const { exit, questions } = await shop.atTerminal(words, { env: { ORDERCTL_NO_INPUT }, answers: [true] })
    // Without a question, confirm at a terminal needs --yes.
    expect(exit).toBe(questions.length === 1 ? 0 : 2)
    return questions.length === 1
  }
  test.each(values)('%j: %s', async (value, on) => {
    expect(await asked(value)).toBe(!on)
  })

  test('of no does not undo --no-input', async () => {
    expect(await asked('0', '--no-input')).toBe(false)
  })
})

describe('ORDERCTL_DEBUG', () => {
  const traced = async (ORDERCTL_DEBUG: string | undefined, ...flags: string[]) => {
    const { run } = await open()
    const { stderr } = await run(['get', 'ord_nobody', ...flags], { env: { ORDERCTL_DEBUG } })
    return /GET http:\S+ .*404/.test(stderr)
  }
  test.each(values)('%j: %s', async (value, on) => {
    expect(await traced(value)).toBe(on)
  })

  test('of no does not undo --debug', async () => {
    expect(await traced('0', '--debug')).toBe(true)
  })
})

describe('ORDERCTL_ALLOW_HTTP', () => {
  /** How a get ends whose address is plain http on another machine; a proxy leads there. */
  const ending = async (ORDERCTL_ALLOW_HTTP: string | undefined, ...flags: string[]) => {
    const { run } = await open()
    const far = await openHttp((_request, response) => response.writeHead(404).end('{"message":"Not Found"}'))
    const proxy = await openProxy({ to: far.port })
    onTestFinished(async () => {
      await proxy[Symbol.asyncDispose]()
      await far[Symbol.asyncDispose]()
    })
    const env = { ORDERCTL_ALLOW_HTTP, ORDERCTL_BASE_URL: 'http://far.example', http_proxy: proxy.origin }
    const { exit } = await run(['get', 'ord_nobody', ...flags], { env })
    return { exit, asked: proxy.asked.length }
  }
  const [refusedHere, refusedThere] = [
    { exit: 2, asked: 0 },
    { exit: 3, asked: 1 },
  ]
  test.each(values)('%j: %s', async (value, on) => {
    expect(await ending(value)).toEqual(on ? refusedThere : refusedHere)
  })

  test('of no does not undo --allow-http', async () => {
    expect(await ending('0', '--allow-http')).toEqual(refusedThere)
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

  test.each(['soon', 'false', '-1s'])('of %j is named', async (value) => {
    expect(await message(value, '')).toEqual({
      exit: 2,
      said: `error: ORDERCTL_TIMEOUT is "${value}"; allowed: a duration such as 500ms, 2s or 11m, up to 30d`,
    })
  })

  test('that is empty is not there', async () => {
    expect(await message('', '')).toEqual({ exit: 0, said: '' })
  })

  test('is that of a call for watch too, whose --timeout is the whole time', async () => {
    const shop = await open()
    const words = ['watch', await shop.confirmed('TEST-SLOW:10'), '-q', '--timeout', '100ms']
    expect((await shop.run(words, { env: { ORDERCTL_TIMEOUT: '30s' } })).exit).toBe(124)
  })
})

test('profile use and remove answer in JSON, by the flag and by the variable', async () => {
  const { run, home } = await open()
  const kept = { ORDERCTL_CONFIG_DIR: path.join(home, 'config') }
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
