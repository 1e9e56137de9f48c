// A defect prints its stack and its causes only with --debug. A hook that breaks a module of Node provokes it.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { executable, folder, orderctl } from '../support/orderctl.ts'

const breakSqlite = `
  const sqlite = require('node:sqlite')
  sqlite.DatabaseSync = class {
    constructor() {
      throw new TypeError('the outer error', { cause: new Error('the inner error', { cause: 'the root' }) })
    }
  }
`

const withDefect = (words: readonly string[], env: Readonly<Record<string, string>> = {}) => {
  const cwd = folder()
  const hook = path.join(cwd, 'hook.cjs')
  writeFileSync(hook, breakSqlite)
  return orderctl(words, { cwd, env: { NODE_OPTIONS: `--require ${hook}`, ...env } })
}

// The standalone executable ignores NODE_OPTIONS.
describe.skipIf(executable.length === 1)('a defect', () => {
  const error = 'error: a defect in orderctl: the outer error\n'

  const hint = 'Run again with --debug or ORDERCTL_DEBUG=1, and report the output.\n'
  const check = `try: orderctl list\nFirst check what was ordered. ${hint}`
  test.each([
    ['get @last', hint],
    ['create --product GAME-US:25 --wallet USD', check],
  ])('of %s is one line and a hint without --debug', async (line, advice) => {
    expect(await withDefect(line.split(' '))).toEqual({ exit: 1, stdout: '', stderr: error + advice })
  })

  test.each<[string, string[], Record<string, string>]>([
    ['--debug', ['get', '@last', '--debug'], {}],
    ['ORDERCTL_DEBUG', ['get', '@last'], { ORDERCTL_DEBUG: '1' }],
  ])('prints its stack and its causes with %s', async (_, words, env) => {
    const { exit, stderr } = await withDefect(words, env)
    expect(exit).toBe(1)
    expect(stderr.startsWith(`${error}TypeError: the outer error\n    at `)).toBe(true)
    expect(stderr).toMatch(/\n {4}at .*dist\S*\.cjs:\d+:\d+/)
    expect(stderr).toContain('\ncaused by: Error: the inner error\n    at ')
    expect(
      stderr.endsWith('\ncaused by: the root\nReport this defect and the command that you typed.\n'),
    ).toBe(true)
  })

  test('has them as fields of the error with --json', async () => {
    const { exit, stderr } = await withDefect(['get', '@last', '--json', '--debug'])
    expect(exit).toBe(1)
    expect(JSON.parse(stderr)).toEqual({
      error: {
        code: 'internal',
        reason: 'internal',
        message: 'a defect in orderctl: the outer error',
        advice: 'Report this defect and the command that you typed.',
        retryable: false,
        stack: expect.stringMatching(/^TypeError: the outer error\n {4}at /),
        causes: [expect.stringMatching(/^Error: the inner error\n {4}at /), 'the root'],
      },
    })
    const withoutDebug = JSON.parse((await withDefect(['get', '@last', '--json'])).stderr).error
    expect(Object.keys(withoutDebug)).toEqual(['code', 'reason', 'message', 'advice', 'retryable'])
  })

  test('has no stack if it is no defect', async () => {
    expect((await orderctl(['get', 'unknown', '--debug', '--profile', 'sandbox'])).stderr).not.toContain(
      '    at ',
    )
  })
})
