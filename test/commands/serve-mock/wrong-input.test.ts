// What serve-mock refuses: wrong flags, a taken port, and files that it cannot use.
import { once } from 'node:events'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { folder, orderctl } from '../../support/orderctl.ts'

describe('what cannot be', () => {
  const fails = async (words: readonly string[], exit: number, stderr: string, cwd = folder()) =>
    expect(await orderctl(['serve-mock', ...words], { cwd })).toEqual({ exit, stdout: '', stderr })

  test.each([
    ['--port', '99999', '--port is "99999"; allowed: a whole number from 0 to 65535; 0 picks a free one'],
    ['--port', '80x', '--port is "80x"; allowed: a whole number from 0 to 65535; 0 picks a free one'],
    [
      '--processing-time',
      'soon',
      '--processing-time is "soon"; allowed: a duration such as 500ms, 2s, 11m, 1h30m or 0',
    ],
    [
      '--latency',
      '2s..1s',
      '--latency is "2s..1s"; allowed: a duration such as 500ms, 2s, 11m, 1h30m or 0, or a range such as 50ms..200ms',
    ],
    ['--rates', 'slow', '--rates is "slow"; allowed: moving or fixed'],
    ['--redeem-shape', 'C', '--redeem-shape is "C"; allowed: A or B'],
    ['--api-key', '', '--api-key is ""; allowed: a non-empty key'],
    ['--fault', 'buy:html', '--fault is "buy:html": unknown operation buy; use create, confirm, get or any'],
    [
      '--webhook-allow',
      'http://x/',
      '--webhook-allow is "http://x/"; allowed: a host name or address, without scheme or port',
    ],
    [
      '--allow-host',
      'mock:4010',
      '--allow-host is "mock:4010"; allowed: a host name or address, without scheme or port',
    ],
    ['--webhook-secret', 'whsec_!', '--webhook-secret is invalid: whsec_ must be followed by base64'],
  ])('is named: %s %j', async (flag, value, message) => {
    await fails([flag, value], 2, `error: ${message}\ntry: orderctl serve-mock --help\n`)
  })

  test('is named all at once, and as one JSON object for a script', async () => {
    const words = ['--port', 'x', '--redeem-shape', 'C', '--exec']
    const violations = [
      '--port is "x"; allowed: a whole number from 0 to 65535; 0 picks a free one',
      '--redeem-shape is "C"; allowed: A or B',
      '--exec needs a command after --',
    ]
    await fails(
      words,
      2,
      `error: 3 flags are invalid\n${violations.map((each) => `  ${each}\n`).join('')}try: orderctl serve-mock --help\n`,
    )
    const { exit, stderr } = await orderctl(['serve-mock', ...words, '--json'])
    expect({ exit, error: JSON.parse(stderr).error }).toEqual({
      exit: 2,
      error: {
        code: 'usage',
        message: '3 flags are invalid',
        fix: 'orderctl serve-mock --help',
        violations,
        retryable: false,
      },
    })
  })

  test('is another address than loopback without a key of its own', () =>
    fails(
      ['--host', '0.0.0.0'],
      2,
      'error: --host 0.0.0.0 can be reached from other machines, so it needs --api-key\ntry: orderctl serve-mock --host 0.0.0.0 --api-key YOUR-KEY\n',
    ))

  test('is a taken port, and the state file is not touched', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const { port } = server.address() as { port: number }
    const cwd = folder()
    await fails(
      ['--port', String(port), '--state', 'new.db'],
      2,
      `error: port ${port} is already in use on 127.0.0.1\ntry: orderctl serve-mock --port 0\n`,
      cwd,
    )
    expect(() => statSync(path.join(cwd, 'new.db'))).toThrow('ENOENT')
  })

  test('is a state file that is something else, which is left as it was', async () => {
    const cwd = folder()
    writeFileSync(path.join(cwd, 'notes.txt'), 'my notes')
    await fails(
      ['--port', '0', '--state', 'notes.txt'],
      9,
      'error: notes.txt is not a database\ntry: It was left untouched. Name another state file, or move this file away.\n',
      cwd,
    )
    expect(readFileSync(path.join(cwd, 'notes.txt'), 'utf8')).toBe('my notes')
  })

  test('is a state file in a folder that does not exist', () =>
    fails(
      ['--port', '0', '--state', 'none/shop.db'],
      9,
      'error: cannot use the state file none/shop.db: no such file or directory\ntry: Name another state file. You must be able to write to its folder, and its disk must have free space.\n',
    ))

  test('is a catalogue that is not there, is no JSON, or is wrong in several places', async () => {
    const cwd = folder()
    const catalogue = (name: string, text: string) => writeFileSync(path.join(cwd, name), text)
    catalogue('broken.json', '{"products": [\n  }')
    catalogue('wrong.json', '{"products": [], "wallets": [{"currency": "usd", "balance": -1}], "rates": []}')
    const run = async (name: string) =>
      (await orderctl(['serve-mock', '--port', '0', '--catalogue', name], { cwd })).stderr
    expect(await run('none.json')).toBe(
      'error: cannot read the catalogue from none.json: no such file or directory\n',
    )
    expect(await run('broken.json')).toBe(
      'error: the catalogue broken.json is not valid JSON: expected a value at line 2, column 3\n',
    )
    expect(await run('wrong.json')).toBe(`error: the catalogue wrong.json is not valid
  products is []; allowed: at least one product
  wallets[0].currency is "usd"; allowed: a currency code such as USD
  wallets[0].balance is -1; allowed: a number from 0 to 100000000000
`)
  })
})
