// Sending a delivery to the user's URL once: what counts as accepted, and the reason if it is not.
import { expect, onTestFinished, test } from 'vitest'
import { openForwarder } from '../../src/client/network.ts'
import { serveOn } from '../../src/server/http-server.ts'
import { realClock } from '../support/in-process.ts'

const post = async (status: number) => {
  const server = await serveOn(
    async () => ({ status, headers: { location: 'http://127.0.0.1:1/' }, body: '' }),
    { host: '127.0.0.1', port: 0, clock: realClock },
  )
  const forwarder = openForwarder(new URL(server.origin), { environment: {}, clock: realClock })
  onTestFinished(async () => {
    await forwarder.close()
    await server.close()
  })
  return forwarder.post({ headers: [], body: new Uint8Array() }, new AbortController().signal)
}

test.each([
  [200, undefined],
  [204, undefined],
  [299, undefined],
  [301, 'HTTP 301: a redirect, which is not followed'],
  [307, 'HTTP 307: a redirect, which is not followed'],
  [400, 'HTTP 400'],
  [503, 'HTTP 503'],
])('a response with the status %i is: %s', async (status, problem) => {
  expect(await post(status)).toBe(problem)
})

test('rejects if there is no response', async () => {
  const forwarder = openForwarder(new URL('http://127.0.0.1:1'), { environment: {}, clock: realClock })
  const sent = forwarder.post({ headers: [], body: new Uint8Array() }, new AbortController().signal)
  await expect(sent).rejects.toThrow('connection refused')
  await forwarder.close()
})
