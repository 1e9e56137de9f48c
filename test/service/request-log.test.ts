// The request log and the control routes never show a redeem code.
import { describe, expect, test } from 'vitest'
import type { LogEntry } from '../../src/service/request-log.ts'
import { apiKey, openService, secretsOf, startTime, ways } from '../support/embedded.ts'

const toIso = (ms: number): string => new Date(startTime + ms).toISOString()

describe.each(ways)('the request log %s', (_name, way) => {
  test('lists requests, newest first', async () => {
    const entries: LogEntry[] = []
    await using service = await openService({ way, onRequest: (entry) => entries.push(entry) })
    const id = await service.created(['GAME-US'])
    service.clock.advance(5)
    await service.confirm('ord_1')
    await service.raw('GET', '/nowhere?secret=1')
    const { data } = await service.mock('GET', '/requests?limit=3')
    expect(data).toEqual([
      { at: toIso(5), method: 'GET', path: '/nowhere', status: 404, ms: 0, message: 'Not Found' },
      {
        at: toIso(5),
        method: 'PUT',
        path: '/order/confirm',
        status: 404,
        ms: 0,
        orderId: 'ord_1',
        message: 'Not Found',
      },
      {
        at: toIso(0),
        method: 'POST',
        path: '/order/create',
        status: 200,
        ms: 0,
        orderId: id,
        message: 'Order created.',
      },
    ])
    expect(
      entries
        .slice(0, 3)
        .reverse()
        .map(({ at, ...entry }) => ({ ...entry, at: new Date(at).toISOString() })),
    ).toEqual(data)
    expect((await service.mock('GET', '/requests')).data).toHaveLength(4)
  })

  test('shows no code, PIN, serial number, link or API key', async () => {
    const entries: LogEntry[] = []
    await using service = await openService({ way, onRequest: (entry) => entries.push(entry) })
    const webhookUrl = 'http://127.0.0.1:1/hook'
    const id = await service.confirmed(['GAME-DE', 'COFFEE-US', 'MUSIC-KW'], { webhookUrl })
    service.clock.advance(2_000)
    const force = (orderId: string, outcome: string) => service.mock('POST', '/outcome', { orderId, outcome })
    const secrets = secretsOf((await service.get(id)).data.redeem)
    await force(id, 'failed')
    await force(await service.confirmed(['GAME-DE']), 'successful')
    const shown = [JSON.stringify(entries)]
    for (const path of ['/', '/state', '/requests', '/deliveries', '/faults'])
      shown.push((await service.mock('GET', path)).text)
    const found = [...secrets, apiKey, 'redeem.example'].filter((secret) => shown.join('\n').includes(secret))
    expect([secrets.length, found]).toEqual([6, []])
  })
})
