// Budgets and confirm, on both databases. What was bought is read from the service, not from the journal.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createApi } from '../../src/client/api.ts'
import { withCredentials } from '../../src/client/credentials.ts'
import { NotSentError, type Transport } from '../../src/contract/transport.ts'
import { createLimitTable } from '../../src/journal/limits/limits.ts'
import { confirm } from '../../src/operations/confirm/confirm.ts'
import { readForConfirm } from '../../src/operations/confirm/read-for-confirm.ts'
import type { Spending } from '../../src/operations/deps.ts'
import { place } from '../../src/operations/place.ts'
import { listen } from '../../src/service/socket/listen.ts'
import { journalKinds } from '../journal/journals.ts'
import { owner } from '../journal/order-desk.ts'
import { request } from '../support/client-api.ts'
import { apiKey, openService } from '../support/embedded.ts'
import { realClock as clock } from '../support/in-process.ts'
import { timed } from './timed.ts'

const utcMidnight = expect.stringMatching(/^\d{4}-\d\d-\d\dT00:00:00\.000Z$/)

describe.each(journalKinds)('on $name', (kind) => {
  const open = async (wrap: (transport: Transport) => Transport = (transport) => transport) => {
    const { journal, address, close } = await kind.openShared()
    onTestFinished(close)
    const service = await openService()
    const api = createApi(withCredentials(wrap(service.transport), { kind: 'bearer' }, apiKey), {
      clock,
      random: Math.random,
    })
    const deps: Spending = {
      ...timed(api, clock),
      ...{ clock, interrupted: new AbortController().signal, journal, owner },
    }
    const { setLimit } = journal.openTables(createLimitTable)
    let count = 0
    return {
      ...{ deps, address, service },
      setBudget: (amount: string, per: 'order' | 'day' = 'day') =>
        setLimit(owner.account, { kind: per, currency: 'USD', amount }),
      /** Creates an order of 25 USD and returns its id. */
      create: async (): Promise<string> => {
        count += 1
        const { created } = await place(deps, { ...request(['GAME-US']), reference: `order ${count}` })
        return created.id
      },
      confirmIt: async (orderId: string) => confirm(deps, (await readForConfirm(deps, orderId)).offer),
      /** By the service. */
      listConfirmed: async (): Promise<string[]> => {
        const { data } = await service.json('GET', '/_mock/state')
        return data.orders
          .filter(({ state }: { state: string }) => state !== 'created')
          .map(({ id, uid }: { id?: string; uid?: string }) => id ?? uid)
      },
    }
  }

  test('an order over the budget is not confirmed, and the failure says what is left', async () => {
    const { setBudget, create, confirmIt, listConfirmed } = await open()
    await setBudget('37.50')
    const [first, second] = [await create(), await create()]
    await confirmIt(first)
    await expect(confirmIt(second)).rejects.toMatchObject({
      kind: 'not-approved',
      message: expect.stringMatching(
        new RegExp(
          `^the order ${second} of 25.00 USD is over the budget of shop, 37.50 USD per day: 12.50 USD is left until \\d{4}-\\d\\d-\\d\\d 00:00 UTC; nothing was spent$`,
        ),
      ),
      details: {
        orderId: second,
        budget: { per: 'day', currency: 'USD', until: utcMidnight },
        fix: 'See what is left: orderctl profile limits shop',
      },
    })
    expect(await listConfirmed()).toEqual([first])
    // A higher budget allows the same order.
    await setBudget('50')
    await confirmIt(second)
    expect((await listConfirmed()).toSorted()).toEqual([first, second].toSorted())
  })

  test('a budget per order names no time', async () => {
    const { setBudget, create, confirmIt, listConfirmed } = await open()
    await setBudget('24.99', 'order')
    const orderId = await create()
    await expect(confirmIt(orderId)).rejects.toMatchObject({
      kind: 'not-approved',
      message: `the order ${orderId} of 25.00 USD is over the budget of shop, 24.99 USD per order; nothing was spent`,
    })
    expect(await listConfirmed()).toEqual([])
  })

  test('a confirm that was not sent leaves the budget to the next order', async () => {
    let isDown = false
    const { setBudget, create, confirmIt, listConfirmed } = await open((transport) => async (asked) => {
      if (isDown && asked.method === 'PUT') throw new NotSentError('refused')
      return transport(asked)
    })
    await setBudget('25')
    const [first, second] = [await create(), await create()]
    isDown = true
    await expect(confirmIt(first)).rejects.toMatchObject({ kind: 'unavailable' })
    isDown = false
    await confirmIt(second)
    await expect(confirmIt(first)).rejects.toMatchObject({ kind: 'not-approved' })
    expect(await listConfirmed()).toEqual([second])
  })

  const rounds = 6

  test('of two processes that confirm at once against a budget for one order, one does', async () => {
    const { setBudget, create, address, service, listConfirmed } = await open()
    const listener = await listen(service.transport, { host: '127.0.0.1', port: 0, clock })
    onTestFinished(listener.close)
    const file = new URL('rival-confirm.ts', import.meta.url)
    const rivals = ['one', 'other'].map(() => fork(file, [kind.name, address, listener.origin]))
    onTestFinished(() => {
      for (const rival of rivals) rival.kill()
    })
    const listenToBoth = async (): Promise<unknown[]> =>
      (await Promise.all(rivals.map((rival) => once(rival, 'message')))).flat()
    const sendToBoth = (messages: readonly unknown[]): Promise<unknown[]> => {
      const answers = listenToBoth()
      for (const [index, rival] of rivals.entries()) rival.send(messages[index] as string)
      return answers.then((all) => all.filter((each) => typeof each === 'string'))
    }
    await listenToBoth()
    for (let round = 1; round <= rounds; round++) {
      await setBudget(String(round * 25))
      const orders = [await create(), await create()]
      expect(await sendToBoth(orders)).toEqual(['read', 'read'])
      const ends = await sendToBoth([true, true])
      expect(ends.toSorted()).toEqual(['done', 'not-approved'])
      const confirmed = await listConfirmed()
      expect(confirmed).toHaveLength(round)
    }
    for (const rival of rivals) rival.send(false)
    await Promise.all(rivals.map((rival) => once(rival, 'exit')))
  })
})
