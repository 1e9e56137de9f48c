// What the inspector's page gets each time it asks for news.
import { expect, onTestFinished, test } from 'vitest'
import { createInspector } from '../../../src/service/inspector.ts'
import { openService } from '../../support/embedded.ts'

const open = async () => {
  const parts = { token: 'the-token', readFile: () => '' }
  const service = await openService({ openInspector: (more) => createInspector(parts, more) })
  onTestFinished(() => service[Symbol.asyncDispose]())
  const headers = { 'x-inspector-token': 'the-token' }
  const ask = async (path: string) => (await service.raw('GET', `/_mock/ui/data/${path}`, { headers })).data
  return { ...service, ask }
}

test('a page gets the kept requests, then the new ones, and all faults and deliveries', async () => {
  const { ask, ...service } = await open()
  const id = await service.created(['BOOK-FR'], { wallet: 'EUR', webhookUrl: 'http://127.0.0.1:1/' })
  const created = { id: 1, path: '/order/create', orderId: id, status: 200 }
  const first = { oldest: 1, requests: [created], faults: [], deliveries: [] }
  expect(await ask('updates?after=0')).toMatchObject(first)
  expect(await ask('updates')).toMatchObject(first)

  await service.confirm(id)
  await service.mock('POST', '/faults', { fault: 'get:html' })
  const { requests, faults, deliveries } = await ask('updates?after=1')
  expect(requests).toMatchObject([
    { id: 2, path: '/order/confirm' },
    { id: 3, path: '/_mock/faults' },
  ])
  expect(faults).toEqual([{ id: 1, fault: 'get:htmlx1' }])
  expect(deliveries).toMatchObject([{ orderId: id, event: 'confirmed', state: 'pending' }])
  expect((await ask('updates?after=3')).requests).toEqual([])
})

test('after a reset, and after more requests than are kept, it says which are the oldest', async () => {
  const { ask, ...service } = await open()
  await service.get('a')
  await service.mock('POST', '/reset')
  expect(await ask('updates?after=1')).toMatchObject({ oldest: 2, requests: [{ path: '/_mock/reset' }] })
  for (let count = 0; count < 1_500; count += 1) await service.get('a')
  const { oldest, requests } = await ask('updates?after=2')
  expect([oldest, requests.length, requests.at(-1).id]).toEqual([503, 1_000, 1_502])
})

test('the forms of faults are those of --fault', async () => {
  const { ask, mock } = await open()
  const forms: { fault: string; value?: string }[] = await ask('fault-forms')
  expect(forms).toContainEqual({ fault: 'confirm:reset-after', summary: expect.any(String) })
  for (const { fault } of forms) {
    const value = fault.endsWith(':status=') ? '503' : fault.endsWith('=') ? '1s' : ''
    expect([fault, (await mock('POST', '/faults', { fault: fault + value })).status]).toEqual([fault, 200])
  }
})
