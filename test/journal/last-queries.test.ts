// The last order of a user in a shared journal with many orders.
import { expect, test } from 'vitest'
import { type Identity, noCaller } from '../../src/journal/access.ts'
import type { Statements } from '../../src/journal/database/database.ts'
import { createPostgresDatabase } from '../../src/journal/database/postgres.ts'
import { findLast } from '../../src/journal/orders/entries.ts'
import { openClient } from '../postgres/open-client.ts'
import { openTeam } from '../support/postgres/team.ts'
import { createOrderDesk, owner } from './order-desk.ts'

const person = (osUser: string, host = 'desk') => ({ osUser, host })

test('has the same role and OS user, on any machine, and is never one that an assistant placed', async () => {
  const { openAs } = await openTeam('ben')
  const open = async (role: string, identity: Identity) => createOrderDesk(await openAs(role, identity))
  const ana = await open('ana', person('ana'))
  await ana.placed('o1', { reference: 'a' })
  await (await open('ana', person('ana', 'laptop'))).placed('o2', { reference: 'b' })
  await (await open('ben', person('ana'))).placed('o3', { reference: 'c' })
  const container = await open('ana', person('root'))
  expect(await container.findLast(owner.account)).toBeUndefined()
  await container.placed('o4', { reference: 'd' })
  const assistant = await open('ana', { ...person('ana'), assistant: {} })
  await assistant.placed('o5', { reference: 'e' })
  expect(await ana.findOrder(owner, 'o5')).toMatchObject({ placedWith: 'mcp' })
  // It was created elsewhere.
  await ana.toConfirm('foreign', { reference: 'x' })
  for (const { findLast } of [ana, assistant]) {
    expect(await findLast(owner.account)).toMatchObject({ orderId: 'o2' })
    expect(await findLast(owner.account, { isAttempt: true })).toMatchObject({ orderId: 'o2' })
  }
  const refused = await ana.begin({ reference: 'f' })
  await ana.endCreate(refused, { outcome: 'refused', status: 400, refusal: 'x' }, 9)
  expect(await ana.findLast(owner.account)).toMatchObject({ orderId: 'o2' })
  expect(await ana.findLast(owner.account, { isAttempt: true })).toMatchObject({ reference: 'f' })
})

test("is found without reading all users' orders", { timeout: 120_000 }, async () => {
  const team = await openTeam('ben')
  const ana = createOrderDesk(await team.openAs('ana', person('ana')))
  const ben = createOrderDesk(await team.openAs('ben', person('ben')))
  await ana.placed('o1', { reference: 'a' })
  await ben.placed('o2', { reference: 'b' })
  await team.admin(`INSERT INTO orders (account, profile, origin, standing, request, placed_at, changed_at, actor)
    SELECT account, profile, origin, 'pending', request, placed_at, changed_at, actor
    FROM orders, generate_series(1, 20000) WHERE order_id = 'o2'`)
  await team.admin('ANALYZE orders')
  expect(await ana.findLast(owner.account)).toMatchObject({ orderId: 'o1' })

  const client = openClient(team)
  const statements = createPostgresDatabase(client)
  let plan = ''
  const explained: Statements = {
    ...statements,
    all: async (sql, values) => {
      if (!sql.includes('FROM orders')) return client.all(sql, values)
      const lines = await client.all(`EXPLAIN ANALYZE ${sql}`, values)
      plan = lines.map((line) => Object.values(line)[0]).join('\n')
      return []
    },
  }
  await findLast({ ...explained, ...noCaller, identify: () => person('ana') }, owner.account)
  expect(plan).toContain('using last_orders')
  expect(plan).not.toMatch(/Seq Scan on orders|Rows Removed by Filter: \d{2}/)
})
