// No response to an assistant shows a code, wherever the service repeats it.
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { findCards } from '../../src/contract/redeem-cards.ts'
import { openAssistant } from '../support/assistant.ts'
import { isAllRun } from '../support/cases.ts'
import { line } from '../support/embedded.ts'
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
  await checkAsyncProperty(property, { quick: isAllRun ? 300 : 20, full: 5_000, walk: 31 })
})

const skus = ['GAME-US', 'GAME-DE', 'GAME-JP', 'COFFEE-US', 'RIDE-JP', 'RIDE-PL', 'MOBILE-KW']

test('of the sandbox', { timeout: 1_800_000 }, async () => {
  const shop = await openWorld()
  const { call, received } = await openAssistant(shop, ['--profile', 'sandbox', '--allow', 'create'])
  const count = isAllRun ? 300 : 12
  for (let number = 0; number < count; number += 1) {
    const { sku, productType, quote } = line(skus[number % skus.length] ?? '')
    const [reference, quantity] = [`order-${number}`, 1 + (number % 3)]
    const product = `${sku}:${quote}x${quantity}/${productType}`
    const placing = `create --product ${product} --wallet USD --reference ${reference} --confirm`
    const id = await shop.id(...placing.split(' '))
    shop.clock.pass(5_000)
    const { data } = await shop.calls.get(id)
    const cards = findCards(data.redeem)
    expect(cards.length).toBeGreaterThan(0)
    const code = cards[0]?.code ?? ''
    received.length = 0
    await call('get_order', { order: `ref:${reference}` })
    await call('explain_order', { order: id, card: 1 })
    await call('list_orders', { reference })
    await call('report', { by: ['product'] })
    if (number % 10 === 0) await call('find_order', { last_four: code.slice(-4) || 'none' })
    const productList = [{ sku, productType, quote, quantity }]
    await call('create_order', { productList, wallet: 'USD', reference })
    const text = received.join('')
    const values = cards.flatMap(({ code, pin, serial, link }) => [code, pin, serial, link])
    // As a whole word: a time may contain the digits of a PIN.
    const said = new Set(text.split(/[^\w-]+/))
    const isShown = (value: string): boolean => (value.length < 8 ? said.has(value) : text.includes(value))
    const shown = values.filter((value = '') => value.length >= 4 && isShown(value))
    expect({ reference, shown }).toEqual({ reference, shown: [] })
    expect(findShownValues(text, cards)).toEqual([])
  }
})
