// The tools, resources and prompts of `orderctl mcp`, and calls that are cancelled. mcp.session has what the tools do.
import { describe, expect, test } from 'vitest'
import { loadSpec } from '../../../src/program/program.ts'
import { openAssistant, orderOf } from '../../support/assistant.ts'
import { on, openWorld, order, overNetwork } from '../../support/world.ts'

const readTools = 'list_orders get_order explain_order find_order report list_products check_order plan_batch'

const openShop = async (...words: string[]) => {
  const shop = await openWorld(overNetwork)
  return { shop, ...(await openAssistant(shop, words)) }
}

const mayCreate = ['--allow', 'create'] as const

describe('the tools', () => {
  test('only read, unless --allow create adds one', async () => {
    const names = async (...words: string[]) => {
      const { tools } = await (await openShop(...words)).client.listTools()
      return tools.map(({ name }) => name).join(' ')
    }
    expect(await names()).toBe(readTools)
    expect(await names(...mayCreate)).toBe(`${readTools} create_order`)
  })

  test('say what they change, and describe their arguments and results', async () => {
    const { tools } = await (await openShop(...mayCreate)).client.listTools()
    const hints = tools.map(({ name, annotations: { readOnlyHint, destructiveHint } = {} }) => [
      name,
      readOnlyHint,
      destructiveHint,
    ])
    expect(hints.filter(([, isRead]) => isRead !== true)).toEqual([
      ['plan_batch', false, false],
      ['create_order', false, false],
    ])
    const asking = tools.filter(({ annotations }) => annotations?.openWorldHint !== false)
    expect(asking.map(({ name }) => name)).toEqual([
      ...['get_order', 'explain_order', 'find_order', 'create_order'],
    ])
    const create = tools.find(({ name }) => name === 'create_order')
    expect(create?.inputSchema).toMatchObject({
      required: ['productList', 'wallet', 'reference'],
      additionalProperties: false,
    })
    expect(Object.keys(create?.inputSchema.properties ?? {})).not.toContain('webhookUrl')
    for (const { outputSchema } of tools) expect(outputSchema?.required).toContain('data')
  })

  test('describe their arguments as the flags of their command', async () => {
    const { tools } = await (await openShop()).client.listTools()
    const propertiesOf = (name: string) => tools.find((tool) => tool.name === name)?.inputSchema.properties
    const { flags } = await loadSpec('list')
    expect(propertiesOf('list_orders')).toMatchObject({
      since: { type: 'string', description: flags.since?.help },
      unfinished: { type: 'boolean', description: flags.unfinished?.help },
    })
    expect(propertiesOf('explain_order')).toMatchObject({ card: { type: 'integer' } })
    expect(propertiesOf('report')).toMatchObject({ by: { type: 'array', items: { type: 'string' } } })
    expect(propertiesOf('plan_batch')?.rows).toMatchObject({
      items: {
        properties: {
          ...{ sku: { type: 'string' }, productType: { type: 'string' } },
          ...{ quote: { type: 'number' }, quantity: { type: 'integer' } },
        },
        required: ['sku', 'quote'],
      },
    })
  })
})

test('an order is recorded even if the assistant leaves meanwhile', async () => {
  const { shop, client, ended, close } = await openShop(...mayCreate)
  shop.through(
    on('create', async (request, service) => {
      await client.close()
      return service(request)
    }),
  )
  await client.callTool({ name: 'create_order', arguments: orderOf('po-7') }).catch(() => {})
  expect(await ended).toMatchObject({ exit: 0 })
  await close()
  expect((await shop.asks(['list'])).data).toMatchObject([{ reference: 'po-7', standing: 'pending' }])
})

test('resources are orders, batches, reports and the schema of an order file', async () => {
  const { shop, call, client } = await openShop()
  const id = await shop.id(...order)
  await call('plan_batch', { name: 'gifts', wallet: 'USD', rows: [{ sku: 'GAME-US', quote: 25 }] })
  const read = async (uri: string) => {
    const [content] = (await client.readResource({ uri })).contents
    return JSON.parse(content !== undefined && 'text' in content ? content.text : '')
  }
  expect((await read(`orderctl://orders/${id}`)).data).toMatchObject({ id })
  expect((await read('orderctl://batches/mcp-gifts')).data).toMatchObject({ state: 'planned' })
  expect((await read('orderctl://reports/2026-03')).data).toMatchObject({ rows: [] })
  expect(await read('orderctl://schemas/order-file')).toMatchObject({ title: 'Order' })
  await expect(read('orderctl://orders/@last')).rejects.toThrow()
})

test('prompts tell an assistant what to do', async () => {
  const { client } = await openShop()
  const { messages } = await client.getPrompt({
    name: 'answer_ticket',
    arguments: { order: 'ord_1', question: 'where is it?' },
  })
  expect(JSON.stringify(messages)).toContain('explain_order')
  expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual([
    'answer_ticket',
    'prepare_purchase',
  ])
})

test('a call reports progress, and can be cancelled', async () => {
  const { shop, call } = await openShop()
  const id = await shop.id(...order)
  const reported: string[] = []
  await call('get_order', { order: id }, { onprogress: (message) => reported.push(message) })
  expect(reported).toEqual(['sending get'])
  const cancel = new AbortController()
  shop.through(
    ({ signal }) =>
      new Promise((_, reject) => {
        signal?.addEventListener('abort', () => reject(new Error('aborted')))
        cancel.abort()
      }),
  )
  await expect(call('get_order', { order: id }, { signal: cancel.signal })).rejects.toThrow()
  shop.through()
  expect(await call('get_order', { order: id })).toMatchObject({ isError: false })
})

test('the account stays the same while it runs', async () => {
  const shop = await openWorld()
  const { call } = await openAssistant(shop, [...mayCreate])
  const added = ['profile', 'add', 'shop', '--base-url', 'https://orders.example', '--key-stdin']
  expect(await shop.run(added, { input: 'the-key' })).toMatchObject({ exit: 0 })
  const { command } = await call('create_order', orderOf('po-7'))
  expect(command).toMatch(/^orderctl confirm sbx_\w+ --profile sandbox$/)
})
