// orderctl serve-mock: one order from the built executable, and a port that is in use, also by listen.
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { expect, test } from 'vitest'
import { inSituation } from '../../support/in-process.ts'
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
  expect(logOf(stdout).map(({ occurredAt, ms, ...entry }) => entry)).toEqual([
    {
      event: 'listening',
      url: served.url,
      key: 'sandbox',
      seed: 'demo',
      stateFile: ':memory:',
      inspector: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/_mock\/ui#[\da-f]{32}$/),
    },
    {
      event: 'request',
      method: 'POST',
      path: '/order/create',
      httpStatus: 200,
      orderId: id,
      message: 'Order created.',
    },
    {
      event: 'request',
      method: 'PUT',
      path: '/order/confirm',
      httpStatus: 200,
      orderId: id,
      message: 'Order confirmed successfully.',
    },
    {
      event: 'request',
      method: 'GET',
      path: '/order/get',
      httpStatus: 200,
      orderId: id,
      message: 'Order retrieved.',
    },
  ])
  for (const secret of [card.redeemCardCode, card.redeemPin, card.redeemSerialNumber]) {
    expect(stdout).not.toContain(secret)
  }
})

test.each([['serve-mock', '--state', 'new.db'], ['listen']])(
  '%s refuses a port that is in use, and creates no file',
  async (name, ...words) => {
    await using server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    const cwd = folder()
    const env = { ORDERCTL_BASE_URL: 'http://127.0.0.1:9', ORDERCTL_API_KEY: 'key' }
    expect(await inSituation([name, '--port', String(port), ...words], { cwd, env })).toMatchObject({
      ...{ exit: 2, stdout: '' },
      stderr: `error: port ${port} is already in use on 127.0.0.1\ntry: orderctl ${name} --port 0\n`,
    })
    expect(existsSync(path.join(cwd, 'new.db'))).toBe(false)
  },
)
