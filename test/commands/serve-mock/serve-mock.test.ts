// orderctl serve-mock: one order from the built executable, and what it refuses to start with.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { inProcess } from '../../support/in-process.ts'
import { folder, serveMock } from '../../support/orderctl.ts'
import { callsTo, logOf } from './served.ts'

test('serves an order from creation to its codes, and keeps the codes out of the log', async () => {
  const served = await serveMock(['--processing-time', '0', '--seed', 'demo'])
  const calls = callsTo(served)
  const id = await calls.confirmed(['GAME-US'], { reference: 'r-1' })
  const { data } = await calls.get(id)
  expect(data).toMatchObject({ uid: id, state: 'successful', reference: 'r-1' })
  const [card] = data.redeem['GAME-US'].cards

  served.child.kill('SIGINT')
  const { exitCode, stdout, stderr } = await served.child
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  expect(logOf(stdout).map(({ at, ms, ...entry }) => entry)).toEqual([
    {
      event: 'listening',
      url: served.url,
      key: 'sandbox',
      seed: 'demo',
      state: ':memory:',
      inspector: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/_mock\/ui#[\da-f]{32}$/),
    },
    { method: 'POST', path: '/order/create', status: 200, orderId: id, message: 'Order created.' },
    {
      method: 'PUT',
      path: '/order/confirm',
      status: 200,
      orderId: id,
      message: 'Order confirmed successfully.',
    },
    { method: 'GET', path: '/order/get', status: 200, orderId: id, message: 'Order retrieved.' },
  ])
  for (const secret of [card.redeemCardCode, card.redeemPin, card.redeemSerialNumber]) {
    expect(stdout).not.toContain(secret)
  }
})

describe('what it refuses to start with', () => {
  const run = (words: readonly string[], cwd: string) => inProcess(['serve-mock', ...words], { cwd })

  test('a port that is in use: the state file is not created', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    const cwd = folder()
    const file = path.join(cwd, 'new.db')
    expect(await run(['--port', String(port), '--state', file], cwd)).toEqual({
      exit: 2,
      stdout: '',
      stderr: `error: port ${port} is already in use on 127.0.0.1\ntry: orderctl serve-mock --port 0\n`,
    })
    server.close()
    expect(existsSync(file)).toBe(false)
  })

  test('a state file of another program, which stays as it was', async () => {
    const cwd = folder()
    const file = path.join(cwd, 'notes.txt')
    writeFileSync(file, 'my notes')
    expect(await run(['--port', '0', '--state', file], cwd)).toEqual({
      exit: 9,
      stdout: '',
      stderr: `error: ${file} is not a database\nIt was left untouched. Choose a different state file, or move this file away.\n`,
    })
    expect(readFileSync(file, 'utf8')).toBe('my notes')
  })

  test('a catalogue that is not JSON, or is wrong in several places', async () => {
    const cwd = folder()
    const refusalOf = async (text: string): Promise<string> => {
      writeFileSync(path.join(cwd, 'shop.json'), text)
      return (await run(['--catalogue', 'shop.json'], cwd)).stderr
    }
    expect(await refusalOf('{"products": [\n  }')).toBe(
      'error: the catalogue shop.json is not valid JSON: expected a value at line 2, column 3\n',
    )
    expect(
      await refusalOf('{"products": [], "wallets": [{"currency": "usd", "balance": -1}], "rates": []}'),
    ).toBe(`error: the catalogue shop.json is not valid
  products is []; allowed: at least one product
  wallets[0].currency is "usd"; allowed: a currency code such as USD
  wallets[0].balance is -1; allowed: a number from 0 to 100000000000
`)
  })
})
