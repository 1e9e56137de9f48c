// The stream of events, over a real socket and with a manual clock.
import { expect, onTestFinished, test } from 'vitest'
import { listen } from '../../../src/server/http-server.ts'
import { createInspector } from '../../../src/service/inspector/inspector.ts'
import { openService } from '../../support/embedded.ts'
import { waitUntil } from '../../support/wait-until.ts'

const token = 'the-token'

const open = async () => {
  const service = await openService({
    openInspector: (parts) => createInspector({ token, readFile: () => '' }, parts),
  })
  const { embedded, clock } = service
  const listener = await listen(embedded.transport, { host: '127.0.0.1', port: 0, clock })
  onTestFinished(async () => {
    await listener.close()
    embedded.close()
  })
  const subscribe = async () => {
    const headers = { 'x-inspector-token': token }
    const response = await fetch(`${listener.origin}/_mock/ui/data/events`, { headers })
    const reader = (response.body ?? expect.fail()).pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    // biome-ignore lint/suspicious/noExplicitAny: an event is whatever the service sends.
    const next = async (): Promise<[name: string, data: any] | undefined> => {
      for (;;) {
        const [event, ...rest] = text.split('\n\n')
        if (rest.length > 0) {
          text = rest.join('\n\n')
          const [, name = '', data = ''] = /^event: (\w+)\ndata: ([^\n]*)$/.exec(event ?? '') ?? []
          return [name, JSON.parse(data)]
        }
        const { value, done } = await reader.read()
        if (done) return undefined
        text += value
      }
    }
    /** Lets the stream check for changes. */
    const poll = async () => {
      await waitUntil(() => clock.sleepers.size > 0)
      clock.advance(250)
    }
    return { response, next, poll, cancel: () => reader.cancel() }
  }
  return { ...service, listener, subscribe }
}

test('a page gets the setup, then the present state, then each change once', async () => {
  const { subscribe, clock, ...service } = await open()
  const id = await service.created(['BOOK-FR'], { wallet: 'EUR' })
  const { response, next, poll } = await subscribe()
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  expect(response.headers.get('cache-control')).toBe('no-store')

  const [setup, kinds] = (await next()) ?? []
  expect(setup).toBe('setup')
  expect(kinds.operations).toEqual(['create', 'confirm', 'get', 'any'])
  expect(kinds.faultKinds).toContainEqual({ kind: 'html', summary: expect.any(String) })
  const created = { id: 1, path: '/order/create', orderId: id, status: 200 }
  expect(await next()).toEqual(['requests', { oldest: 1, requests: [expect.objectContaining(created)] }])
  const [, state] = (await next()) ?? []
  expect(state).toMatchObject({ now: clock.now(), clockOffsetMs: 0, faults: [], deliveries: [] })
  expect(state.orders).toEqual([expect.objectContaining({ id, state: 'created' })])

  await poll()
  await service.confirm(id)
  await poll()
  expect(await next()).toEqual(['requests', { oldest: 1, requests: [expect.objectContaining({ id: 2 })] }])
  const [, confirmed] = (await next()) ?? []
  expect(confirmed.orders[0].state).toBe('confirmed')
  const stockOf = ({ stock }: { stock: { sku: string; remaining: number }[] }) =>
    stock.find(({ sku }) => sku === 'BOOK-FR')?.remaining
  expect(stockOf(confirmed)).toBe(Number(stockOf(state)) - 1)
  // Without a request: the order reaches its next states with the time.
  await poll()
  await poll()
  const [name, processing] = (await next()) ?? []
  expect([name, processing.orders[0].state]).toEqual(['state', 'processing'])
})

test('a reset removes the requests from the page', async () => {
  const { subscribe, ...service } = await open()
  await service.get('a')
  const { next, poll } = await subscribe()
  for (let count = 0; count < 3; count += 1) await next()
  await service.mock('POST', '/reset')
  await poll()
  const reset = expect.objectContaining({ id: 2, path: '/_mock/reset' })
  expect(await next()).toEqual(['requests', { oldest: 2, requests: [reset] }])
})

test('a page that was away gets at most what is kept', async () => {
  const { subscribe, ...service } = await open()
  for (let count = 0; count < 1_500; count += 1) await service.get('a')
  const { next } = await subscribe()
  await next()
  const [, { oldest, requests }] = (await next()) ?? expect.fail()
  expect([oldest, requests.length, requests.at(-1).id]).toEqual([501, 1_000, 1_500])
})

test('closing the listener ends the stream at once', async () => {
  const { subscribe, listener } = await open()
  const { next } = await subscribe()
  await next()
  // The clock stands still, so a close that waits for pending requests would never end.
  await listener.close()
  const rest = [await next(), await next(), await next()]
  expect(rest.map((event) => event?.[0])).toEqual(['requests', 'state', undefined])
})

test('a page that leaves ends its stream', async () => {
  const { subscribe, clock } = await open()
  const { next, cancel } = await subscribe()
  for (let count = 0; count < 2; count += 1) await next()
  await waitUntil(() => clock.sleepers.size === 1)
  await cancel()
  await waitUntil(() => clock.sleepers.size === 0)
})
