// The official client calls every tool of the built executable, in the sandbox and over a socket.
import { expect, test } from 'vitest'
import { openAssistant, orderOf } from '../../support/assistant.ts'
import { openWorld, order, type Way } from '../../support/world.ts'

const ways: readonly (readonly [string, Way])[] = [
  ['in the sandbox', { executable: true }],
  ['over a socket', { service: 'socket', executable: true }],
]

test.each(ways)('every tool works %s', { timeout: 60_000 }, async (_, way) => {
  const shop = await openWorld(way)
  const id = await shop.id(...order)
  const { client, call } = await openAssistant(shop, ['--allow', 'create'], { byExecutable: true })
  const given: Readonly<Record<string, object>> = {
    list_orders: { limit: 5 },
    get_order: { order: id },
    explain_order: { order: 'ref:po-1' },
    find_order: { last_four: '7Q2M' },
    report: { by: ['month', 'person'] },
    list_products: {},
    check_order: orderOf('po-2'),
    plan_batch: { name: 'gifts', wallet: 'USD', rows: [{ sku: 'GAME-US', quote: 25, quantity: 30 }] },
    create_order: orderOf('po-2'),
  }
  // The client checks each result against the schema of the tool.
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name).sort()).toEqual(Object.keys(given).sort())
  for (const { name } of tools)
    expect([name, await call(name, given[name])]).toMatchObject([name, { isError: false }])
  expect((await client.readResource({ uri: `orderctl://orders/${id}` })).contents).toHaveLength(1)
  expect((await shop.asks(['list'])).data).toMatchObject([
    { reference: 'po-2', standing: 'pending', placedWith: 'mcp' },
    { reference: 'po-1', standing: 'pending', placedWith: null },
  ])
})

test('the process ends when the assistant closes its input, or at a signal', {
  timeout: 60_000,
}, async () => {
  const shop = await openWorld({ executable: true })
  expect(await shop.run(['mcp'], { input: '' })).toEqual({ exit: 0, stdout: '', stderr: '' })
  const { client, kill } = await openAssistant(shop, [], { byExecutable: true })
  const closed = new Promise<void>((resolve) => {
    client.onclose = resolve
  })
  kill('SIGTERM')
  await closed
})
