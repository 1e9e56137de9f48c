import { type ChildProcess, spawn as nodeSpawn } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { cleanKey } from '../../src/profiles/account.ts'
import { type CommandOptions, runCredentialCommand, type Spawn } from '../../src/profiles/credential.ts'
import { everythingOf, failureOf } from './failure-of.ts'

const sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
  await delay(ms, undefined, signal ? { signal } : {}).catch(() => {})
}
const spawn: Spawn = (command, words, options) => nodeSpawn(command, words, options)

// Otherwise its stderr would appear in the test report.
const quiet: Spawn = (command, words, options) =>
  spawn(command, words, { ...options, stdio: ['ignore', 'pipe', 'ignore'] })

const run = (command: string, options: Partial<CommandOptions> = {}): Promise<string> =>
  runCredentialCommand(command, { spawn: quiet, clock: { sleep }, ...options })

const node = (script: string): string => `"${process.execPath}" -e "${script}"`

describe('a credential command', () => {
  test.each([
    ['echo sk_live_1', 'sk_live_1'],
    [node("console.log('  first \\r\\nsecond')"), 'first'],
    [node("process.stdout.write('no-line-break')"), 'no-line-break'],
    ['echo one && echo two', 'one'],
  ])('%s: %s', async (command, key) => expect(await run(command)).toBe(key))

  test
    .skipIf(process.platform === 'win32')
    .each(['echo sk_live_1; sleep 30 &', 'printf sk_live_1; sleep 30 &'])(
    '%s: without waiting for what it left running',
    async (command) => {
      const start = performance.now()
      expect(await run(command)).toBe('sk_live_1')
      expect(performance.now() - start).toBeLessThan(10_000)
    },
  )

  test('shows its stderr to the user, and has no stdin', async () => {
    let stdio: unknown
    const watching: Spawn = (command, words, options) => {
      stdio = options.stdio
      return quiet(command, words, options)
    }
    await run('echo key', { spawn: watching })
    expect(stdio).toEqual(['ignore', 'pipe', 'inherit'])
  })
})

describe('a credential command fails', () => {
  test.each([
    [node("console.log('sk_secret'); process.exit(3)"), 'ended with exit code 3'],
    [
      node("console.log('sk_secret'); process.kill(process.pid, 'SIGKILL')"),
      /was ended by SIGKILL|exit code/,
    ],
    ['no-such-command-sk_secret', /ended with exit code/],
    [node("console.log('\\nsk_secret')"), 'printed no key on its first line'],
    [node(''), 'printed no key on its first line'],
    [node("process.stdout.write('sk_secret'.repeat(10000))"), 'printed more than a key'],
  ])('%s: %s', async (command, what) => {
    const failure = await failureOf(() => run(command))
    expect(failure.kind).toBe('credentials')
    expect(failure.message).toMatch(what)
    expect(everythingOf(failure)).not.toContain('sk_secret')
  })
})

describe('a credential command that does not end', () => {
  /** Runs it until it is ended, and returns its failure. */
  const runForever = async (options: Partial<CommandOptions>) => {
    const ended = Promise.withResolvers<void>()
    // Not `sh`, so that the shell replaces itself by the command and the test can wait for its end.
    const watching: Spawn = (command, words, given) => {
      const child = quiet(command, words, { ...given, shell: '/bin/bash' })
      const { exitCode } = (child as unknown as ChildProcess).once('exit', () => ended.resolve())
      if (exitCode !== null) ended.resolve()
      return child
    }
    const failure = await failureOf(() =>
      run(node('setInterval(() => {}, 1000)'), { spawn: watching, ...options }),
    )
    await ended.promise
    return failure
  }

  test('is ended after the timeout', async () => {
    const { kind, message } = await runForever({ clock: { sleep: async () => {} } })
    expect([kind, message]).toEqual([
      'credentials',
      'the credential command did not respond within 60 seconds',
    ])
  })

  test.each([
    ['SIGINT', 'interrupted'],
    ['SIGTERM', 'terminated'],
  ])('is ended by %s', async (signal, kind) => {
    expect((await runForever({ interrupted: AbortSignal.abort(signal) })).kind).toBe(kind)
  })
})

describe('a key', () => {
  const bearer = 'bearer'
  test.each<[string, string, string]>([
    ['sk_live_1', bearer, 'sk_live_1'],
    [' sk_live_1\r\n', bearer, 'sk_live_1'],
    ['Token abc', 'header:Authorization', 'Token abc'],
    ['me:pässword', 'basic', 'me:pässword'],
    ['ключ', 'query:key', 'ключ'],
  ])('%j is sent as %j: %j', (text, auth, key) => expect(cleanKey(text, auth, 'the key')).toBe(key))

  const control = 'the key contains a control character or a line break'
  const header = 'the key contains a character that headers do not allow'
  test.each<[string, string, string]>([
    ['', bearer, 'the key is empty'],
    [' \n', bearer, 'the key is empty'],
    ['sk_secret\r\nX-Evil: 1', bearer, control],
    ['sk_secret\nX', 'header:X-Key', control],
    ['sk_secret\nX', 'basic', control],
    ['sk_secret\u0000', 'query:key', control],
    ['sk_secret\u007fx', bearer, control],
    ['sk_secret\u0085x', bearer, control],
    ['sk_secret\u2028x', 'basic', control],
    ['sk_secret\ud800', 'query:key', control],
    // Truncated to one byte, it is a line break.
    ['sk_secret\u010aX-Evil: 1', bearer, header],
    ['sk_secret–', 'header:X-Key', header],
    ['sk_secret'.repeat(1000), bearer, 'the key is longer than 8192 characters'],
  ])('%j as %j is none: %s', async (text, auth, message) => {
    const failure = await failureOf(() => cleanKey(text, auth, 'the key'))
    expect([failure.kind, failure.message]).toEqual(['credentials', message])
    expect(everythingOf(failure)).not.toContain('sk_secret')
  })
})
