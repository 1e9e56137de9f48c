// The redeem data of an order, in both documented shapes (order-service.md 2.8).
import { describe, expect, test } from 'vitest'
import { readJson } from '../../src/contract/json.ts'
import { redeemData } from '../../src/contract/schemas.ts'
import { line, openService } from '../support/embedded.ts'
import { readValid } from '../support/read-valid.ts'

describe('redeem data', () => {
  test.each([
    ['A', ['redeemInstructions', 'cards', 'currency', 'value']],
    ['B', ['redeemPin', 'currency', 'redeemLink', 'value']],
  ] as const)('has the shape %s for every product if that is forced', async (redeemShape, fields) => {
    await using service = await openService({ redeemShape })
    const id = await service.confirmed(['GAME-DE', line('COFFEE-US', { quantity: 3 })])
    service.clock.advance(2_000)
    const { redeem } = (await service.get(id)).data
    for (const sku of ['GAME-DE', 'COFFEE-US']) {
      readValid(redeemData, readJson(JSON.stringify(redeem[sku])))
      expect(Object.keys(redeem[sku])).toEqual(fields)
    }
    expect((redeem['COFFEE-US'].cards ?? redeem['COFFEE-US'].redeemPin).length).toBe(3)
  })

  test.each([
    ['COFFEE-CA', 'redeemLink redeemSerialNumber expirationDate'],
    ['RIDE-JP', 'redeemPin'],
    ['MUSIC-KW', 'redeemCardCode redeemSerialNumber redeemPin expirationDate'],
  ])('of %s has only the empty fields %s', async (sku, empty) => {
    await using service = await openService()
    const id = await service.confirmed([sku])
    service.clock.advance(2_000)
    const [card] = (await service.get(id)).data.redeem[sku].cards
    expect(
      Object.keys(card)
        .filter((field) => card[field] === '')
        .sort(),
    ).toEqual(empty.split(' ').sort())
  })
})
