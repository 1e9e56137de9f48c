// The last order of a user in a shared journal.

import { expect, test } from 'vitest'
import type { Identity } from '../../src/journal/access.ts'
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
