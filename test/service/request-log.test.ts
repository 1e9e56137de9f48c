// The request log and the control routes never show a redeem code.
import { describe, expect, test } from 'vitest'
import type { LogEntry } from '../../src/service/exchange-log.ts'
import { apiKey, openService, secretsOf } from '../support/embedded.ts'
import { startTime } from '../support/manual-clock.ts'

describe('the request log', () => {
  test('shows no code, PIN, serial number, link or API key', async () => {
    const entries: LogEntry[] = []
    await using service = await openService({ onRequest: (entry) => entries.push(entry) })
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

  test('shows what a client sent and got, with masked keys', async () => {
    await using service = await openService({ openInspector: () => (transport) => transport })
    const id = await service.created(['GAME-US'], { reference: 'po-1' })
    service.clock.advance(5_000)
    await service.raw('PUT', '/order/confirm', { headers: { 'x-api-key': 'wrong' }, body: '{"orderId": ' })
    await service.confirm(id)
    await service.mock('POST', '/faults', { fault: 'get:reset-after' })
    await service.get(id).catch(() => {})
    const { data: creates } = await service.mock('GET', '/requests?path=/order/create')
    expect(creates).toMatchObject([
      {
        request: {
          headers: { authorization: 'Bearer …', 'content-type': 'application/json' },
          body: { json: { reference: 'po-1', productList: [{ sku: 'GAME-US', quantity: 1 }] }, isCut: false },
        },
        response: { body: { json: { data: { id } } } },
      },
    ])
    expect(JSON.parse(creates[0].request.body.text)).toEqual(creates[0].request.body.json)
    const list = async (query: string) => {
      const { data } = await service.mock('GET', `/requests?${query}`)
      return data.map(({ path, status }: { path: string; status: number | null }) => `${path} ${status}`)
    }
    expect(await list(`orderId=${id}`)).toEqual([
      '/order/get null',
      '/order/confirm 200',
      '/order/create 200',
    ])
    expect(await list(`orderId=${id}&path=/order/c&limit=1`)).toEqual(['/order/confirm 200'])
    const since = new Date(startTime + 5_000).toISOString()
    const wanted = ['/order/get null', '/order/confirm 200', '/order/confirm 403']
    for (const text of [since, since.replace('Z', '+00:00')])
      expect(await list(`path=/order&since=${text}`)).toEqual(wanted)
    const [lost, , wrong] = (await service.mock('GET', '/requests?path=/order')).data
    expect([lost.response, lost.query, lost.fault]).toEqual([null, { orderId: id }, 'reset-after'])
    expect(wrong.request).toMatchObject({ headers: { 'x-api-key': '…' }, body: { text: '{"orderId": ' } })
    expect(wrong.request.body).not.toHaveProperty('json')
    expect((await service.mock('GET', '/requests?since=x')).message).toMatch(/^since must be a time, such as/)
    for (const operation of ['confirm', 'get'])
      await service.mock('POST', '/faults', { fault: `${operation}:status=503` })
    await service.confirm(id)
    await service.get(id)
    expect(await list(`orderId=${id}&limit=2`)).toEqual(['/order/get 503', '/order/confirm 503'])
  })
})
