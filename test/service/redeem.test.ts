// The redeem data of an order, in both documented shapes (order-service.md 2.8).
import { describe, expect, test } from 'vitest'
import { readJson } from '../../src/contract/json.ts'
import { redeemData } from '../../src/contract/schemas.ts'
import { line, openService, ways } from '../support/embedded.ts'
import { readValid } from '../support/read-valid.ts'

describe.each(ways)('redeem data %s', (_name, way) => {
  test.each(['A', 'B'] as const)(
    'has the shape %s for every product if that shape is forced',
    async (redeemShape) => {
      await using service = await openService({ way, redeemShape })
      const id = await service.confirmed(['GAME-DE', line('COFFEE-US', { quantity: 3 })])
      service.clock.advance(2_000)
      const { redeem } = (await service.get(id)).data
      for (const entry of Object.values(redeem)) readValid(redeemData, readJson(JSON.stringify(entry)))
      const fields = {
        A: ['redeemInstructions', 'cards', 'currency', 'value'],
        B: ['redeemPin', 'currency', 'redeemLink', 'value'],
      }
      expect(Object.values(redeem).map((entry) => Object.keys(entry as object))).toEqual([
        fields[redeemShape],
        fields[redeemShape],
      ])
      expect((redeem['COFFEE-US'].cards ?? redeem['COFFEE-US'].redeemPin).length).toBe(3)
    },
  )

  test.each([
    ['COFFEE-CA', { redeemLink: '', redeemSerialNumber: '' }],
    ['RIDE-JP', { redeemPin: '' }],
    ['MUSIC-KW', { redeemCardCode: '', redeemSerialNumber: '', redeemPin: '', expirationDate: '' }],
  ])('has empty fields for %s only if the issuer withholds them', async (sku, withheld) => {
    await using service = await openService({ way })
    const id = await service.confirmed([sku])
    service.clock.advance(2_000)
    const [card] = (await service.get(id)).data.redeem[sku].cards
    const empty = Object.entries(card).filter(([, text]) => text === '')
    const unexpiring = sku === 'COFFEE-CA' ? { expirationDate: '' } : {}
    expect(Object.fromEntries(empty)).toEqual({ ...withheld, ...unexpiring })
  })
})
