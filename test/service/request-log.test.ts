// The request log and the control routes never show a redeem code.
import { describe, expect, test } from 'vitest'
import type { LogEntry } from '../../src/service/exchange-log.ts'
import { apiKey, openService, secretsOf, startTime, ways } from '../support/embedded.ts'

describe.each(ways)('the request log %s', (_name, way) => {
  test('lists requests, newest first', async () => {
    const entries: LogEntry[] = []
    await using service = await openService({ way, onRequest: (entry) => entries.push(entry) })
    const id = await service.created(['GAME-US'])
    service.clock.advance(5)
    await service.confirm('ord_1')
    await service.raw('GET', '/nowhere?secret=1')
    const create = { method: 'POST', path: '/order/create', status: 200, message: 'Order created.' }
    const wanted = [
      { at: 5, method: 'GET', path: '/nowhere', status: 404, message: 'Not Found' },
      { at: 5, method: 'PUT', path: '/order/confirm', status: 404, message: 'Not Found', orderId: 'ord_1' },
      { at: 0, ...create, orderId: id },
    ].map((entry) => ({ ...entry, ms: 0, at: startTime + entry.at }))
    expect(entries.toReversed()).toEqual(wanted)
    const { data } = await service.mock('GET', '/requests?limit=3')
    expect(data).toEqual(wanted.map((entry) => ({ ...entry, at: new Date(entry.at).toISOString() })))
    expect((await service.mock('GET', '/requests')).data).toHaveLength(4)
  })

  test('shows no code, PIN, serial number, link or API key', async () => {
    const entries: LogEntry[] = []
    await using service = await openService({ way, onRequest: (entry) => entries.push(entry) })
    const webhookUrl = 'http://127.0.0.1:1/hook'
    const id = await service.confirmed(['GAME-DE', 'COFFEE-US', 'MUSIC-KW'], { webhookUrl })
    service.clock.advance(2_000)
    const secrets = secretsOf((await service.get(id)).data.redeem)
    for (const outcome of ['failed', 'successful']) {
      const orderId = outcome === 'failed' ? id : await service.confirmed(['GAME-DE'])
      await service.mock('POST', '/outcome', { orderId, outcome })
    }
    const shown = [JSON.stringify(entries)]
    for (const path of ['/', '/state', '/requests', '/deliveries', '/faults'])
      shown.push((await service.mock('GET', path)).text)
    const found = [...secrets, apiKey, 'redeem.example'].filter((secret) => shown.join('\n').includes(secret))
    expect([secrets.length, found]).toEqual([6, []])
  })
})
