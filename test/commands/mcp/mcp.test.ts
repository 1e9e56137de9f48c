// What an assistant can do with `orderctl mcp`, and what it gets.
import { describe, expect, test } from 'vitest'
import { loadSpec } from '../../../src/program/commands.ts'
import { openAssistant, orderOf } from '../../support/assistant.ts'
import { altered, on, openWorld, order, overNetwork } from '../../support/world.ts'

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

describe('create_order', () => {
  test('places an unconfirmed order, and returns the command for a person', async () => {
    const { shop, call } = await openShop(...mayCreate)
    const { data, command } = await call('create_order', orderOf('po-7', 2))
    expect(data).toMatchObject({ reference: 'po-7', standing: 'pending', total: 50, placedWith: 'mcp' })
    expect(data.invoice).toMatchObject({ total: 50, wallet: 'USD' })
    expect(data.expiresAt).toMatch(/^2026-/)
    expect(command).toBe(`orderctl confirm ${data.id}`)
    expect(shop.bought()).toEqual([])
    const [, ...words] = command.split(' ')
    const { stderr } = await shop.atTerminal(words, { answers: [true] })
    expect(stderr).toContain('An assistant prepared this order with orderctl mcp\n')
    expect(shop.bought()).toEqual([data.id])
    expect(await call('create_order', orderOf('po-7', 2))).toMatchObject({
      data: { standing: 'confirmed' },
      command: null,
    })
  })

  test('returns the order of its reference again, and refuses another one', async () => {
    const { shop, call } = await openShop(...mayCreate)
    const all = await Promise.all([1, 1, 1].map((count) => call('create_order', orderOf('po-7', count))))
    expect(new Set(all.map(({ data }) => data.id)).size).toBe(1)
    expect(shop.sent('create')).toBe(1)
    const other = await call('create_order', orderOf('po-7', 2))
    expect(other).toMatchObject({ isError: true, error: { code: 'duplicate' } })
  })

  test('names no command above --max-total', async () => {
    const { shop, call, received } = await openShop(...mayCreate, '--max-total', '49.99')
    expect(await call('create_order', orderOf('cheap', 1))).toMatchObject({
      command: expect.stringContaining('confirm'),
    })
    received.length = 0
    expect(await call('create_order', orderOf('dear', 2))).toMatchObject({
      data: { standing: 'pending', total: 50 },
      command: null,
    })
    await call('create_order', orderOf('dear', 2))
    const { data } = await call('get_order', { order: 'ref:dear' })
    expect(received.join('')).not.toContain('orderctl confirm')
    const { stderr } = await shop.atTerminal(['confirm', data.uid], { answers: [false] })
    expect(stderr).toContain(
      '\nAn assistant prepared this order with orderctl mcp, and above its limit of 49.99\n',
    )
  })

  test('names no command if the service raises the total above --max-total', async () => {
    const { shop, call, received } = await openShop(...mayCreate, '--max-total', '30')
    expect((await call('create_order', orderOf('po-7'))).command).toContain('confirm')
    shop.through(
      on('get', async (request, service) =>
        altered(await service(request), (data) => {
          data.invoice.total = 5_000
          return data
        }),
      ),
    )
    received.length = 0
    const { data, command } = await call('create_order', orderOf('po-7'))
    expect(data).toMatchObject({ standing: 'pending', total: 25, invoice: { total: 5_000 } })
    expect(command).toBeNull()
    expect(received.join('')).not.toContain('orderctl confirm')
  })

  test('refuses the reference of an order that another profile placed', async () => {
    const { shop, call } = await openShop(...mayCreate)
    const added = ['profile', 'add', 'other', '--base-url', 'https://orders.example', '--key-stdin']
    await shop.run(added, { input: 'the-key' })
    const id = await shop.id(...order, '--profile', 'other')
    expect((await call('create_order', orderOf('po-1'))).error).toMatchObject({
      code: 'duplicate',
      message: `another profile placed the order ${id} with this reference`,
    })
  })

  test.each(['create_order', 'check_order'])(
    '%s refuses a webhook, which would get the codes',
    async (name) => {
      const { shop, call } = await openShop(...mayCreate)
      const given = orderOf('po-7', 1, { webhookUrl: 'https://elsewhere.example' })
      expect((await call(name, given)).error.violations).toEqual([
        'webhookUrl is "https://elsewhere.example"; allowed: none in an order of an assistant',
      ])
      expect(shop.sent('create')).toBe(0)
    },
  )

  test('is recorded even if the assistant leaves meanwhile', async () => {
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
})

describe('errors', () => {
  test('are those of --json', async () => {
    const { shop, call } = await openShop()
    const { error } = await call('check_order', { wallet: 'usd', productList: [] })
    const input = JSON.stringify({ wallet: 'usd', productList: [] })
    expect(error).toEqual((await shop.asks(['create', '-', '--dry-run'], { input })).error)
    const { message } = (await shop.asks(['list', '--since', 'soon'])).error
    expect(await call('list_orders', { since: 'soon' })).toMatchObject({ error: { code: 'usage', message } })
    expect(await call('get_order', { order: 'nope' })).toMatchObject({
      error: { code: 'refused', status: 404, orderId: 'nope' },
    })
  })

  test.each<[string, object, string]>([
    ['get_order', {}, 'order is missing; allowed: an order id, or ref:REFERENCE'],
    ['get_order', { order: '@last' }, 'order is "@last"; allowed: an order id, or ref:REFERENCE'],
    ['get_order', { order: 'batch:x' }, 'order is "batch:x"; allowed: an order id, or ref:REFERENCE'],
    ['get_order', { order: 'x', reveal: true }, 'reveal is true; allowed: the arguments order'],
    [
      'find_order',
      { last_four: 'SANDBOX-1234' },
      'last_four is "SANDBOX-1234"; allowed: the last four letters or digits',
    ],
    [
      'list_orders',
      { limit: 1e9 },
      'limit is 1000000000; allowed: the maximum number of orders, from 1 to 100',
    ],
    [
      'plan_batch',
      { name: 'x', rows: [{ sku: 'GAME-US', quote: 0 }] },
      'rows[0].quote is 0; allowed: a number above 0',
    ],
    [
      'plan_batch',
      { name: '../x', rows: [] },
      'name is "../x"; allowed: a name for the batch, such as march-rewards',
    ],
  ])('%s names what is wrong with %j', async (name, given, violation) => {
    const { call } = await openShop()
    expect(await call(name, given)).toMatchObject({
      error: { code: 'usage', violations: expect.arrayContaining([violation]) },
    })
  })

  test('no argument is read as a flag', async () => {
    const { shop, call } = await openShop(...mayCreate)
    for (const value of ['--reveal', '--profile=sandbox', '--', '-q', '--confirm']) {
      expect((await call('get_order', { order: value })).error).toMatchObject({ orderId: value })
      expect(await call('list_orders', { reference: value, batch: value })).toMatchObject({ isError: true })
      await call('create_order', orderOf(value))
    }
    expect(shop.bought()).toEqual([])
    expect(shop.sent('create')).toBe(5)
  })
})

test('plan_batch saves a plan of its own, and sends nothing', async () => {
  const { shop, call } = await openShop()
  const rows = [
    { sku: 'GAME-US', quote: 25, quantity: 30, who: 'ann' },
    { sku: 'GAME-DE', quote: 20 },
  ]
  const planned = await call('plan_batch', { name: 'gifts', wallet: 'USD', rows })
  expect(planned).toMatchObject({
    data: { name: 'mcp-gifts', state: 'planned', rows: 2, cards: { ordered: 31 } },
    command: 'orderctl batch run mcp-gifts',
  })
  expect(shop.sent('create')).toBe(0)
  const other = await call('plan_batch', { name: 'gifts', wallet: 'USD', rows: rows.slice(1) })
  expect(other.error).toMatchObject({ code: 'duplicate', message: expect.stringContaining('different rows') })
  expect((await call('plan_batch', { name: 'gifts', wallet: 'USD', rows })).data).toEqual(planned.data)
  // A script that runs its last plan does not buy the assistant's.
  expect((await shop.asks(['batch', 'show', '@last'])).error.message).toMatch(/no batch/)
})

test('list_products, report and list_orders read what is known', async () => {
  const { shop, call } = await openShop()
  await shop.id(...order, '--confirm')
  expect((await call('list_products')).data).toMatchObject({
    products: [{ sku: 'GAME-US', type: 'fixed', lastQuote: '25' }],
    wallets: ['USD'],
  })
  expect((await call('report', { by: ['wallet'] })).data.rows).toMatchObject([
    { currency: 'USD', charged: 25 },
  ])
  expect((await call('list_orders', { state: 'confirmed', limit: 1 })).data).toMatchObject([
    { reference: 'po-1', standing: 'confirmed', placedWith: null },
  ])
})

test('resources are orders, batches, reports and the schema of an order file', async () => {
  const { shop, call, client } = await openShop()
  const id = await shop.id(...order)
  await call('plan_batch', { name: 'gifts', wallet: 'USD', rows: [{ sku: 'GAME-US', quote: 25 }] })
  const read = async (uri: string) => {
    const [content] = (await client.readResource({ uri })).contents
    return JSON.parse(content !== undefined && 'text' in content ? content.text : '')
  }
  expect((await read(`orderctl://orders/${id}`)).data).toMatchObject({ uid: id })
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

test('an unknown profile is an error at once', async () => {
  const shop = await openWorld()
  expect(await shop.run(['mcp', '--profile', 'nobody'])).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining("there is no profile 'nobody'"),
  })
})
