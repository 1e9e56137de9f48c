// No response to an assistant shows a code, wherever the service repeats it.
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { openAssistant } from '../support/assistant.ts'
import { isAllRun } from '../support/cases.ts'
import { on, openWorld, overNetwork } from '../support/world.ts'
import { findShownValues } from './find-cards.ts'
import { gotAnswer, orderId } from './responses.ts'
import { checkAsyncProperty } from './runs.ts'

test('of responses with codes in any field', { timeout: 1_800_000 }, async () => {
  const shop = await openWorld(overNetwork)
  const { call, client } = await openAssistant(shop)
  const property = fc.asyncProperty(gotAnswer, async ({ document, cards }) => {
    const body = JSON.stringify({ ...document, data: { ...document.data, uid: orderId } })
    const headers = { 'content-type': 'application/json' }
    shop.through(on('get', async () => ({ status: 200, headers, body })))
    const responses = [
      await call('get_order', { order: orderId }),
      await call('explain_order', { order: orderId }),
      await client
        .readResource({ uri: `orderctl://orders/${orderId}` })
        .catch((error: Error) => error.message),
    ]
    for (const response of responses) expect(findShownValues(JSON.stringify(response), cards)).toEqual([])
  })
  await checkAsyncProperty(property, { quick: isAllRun ? 300 : 25, full: 5_000, walk: 31 })
})
