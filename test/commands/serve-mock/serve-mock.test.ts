// orderctl serve-mock: one order from the built executable, and a port that is in use.
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { expect, test } from 'vitest'
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

test('a port that is in use is refused, and the state file is not created', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const file = path.join(folder(), 'new.db')
  expect(await inProcess(['serve-mock', '--port', String(port), '--state', file])).toEqual({
    ...{ exit: 2, stdout: '' },
    stderr: `error: port ${port} is already in use on 127.0.0.1\ntry: orderctl serve-mock --port 0\n`,
  })
  server.close()
  expect(existsSync(file)).toBe(false)
})
