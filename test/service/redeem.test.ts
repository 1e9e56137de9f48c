// Section 2.8: the redeem data of an order, in both documented shapes.
import { describe, expect, test } from 'vitest'
import { readJson } from '../../src/contract/json.ts'
import { redeemData } from '../../src/contract/schemas.ts'
import { line, openService, ways } from '../support/embedded.ts'
import { must } from '../support/must.ts'

describe.each(ways)('the service %s', (_name, way) => {
  test.each(['A', 'B'] as const)('gives all codes in shape %s where it is forced', async (redeemShape) => {
    await using service = await openService({ way, redeemShape })
    const id = await service.confirmed(['GAME-DE', line('COFFEE-US', { quantity: 3 })])
    service.clock.advance(2_000)
    const { redeem } = (await service.get(id)).data
    // A client reads more than is documented; the service says no more than that.
    for (const entry of Object.values(redeem)) must(redeemData, readJson(JSON.stringify(entry)))
    const fields = {
      A: ['redeemInstructions', 'cards', 'currency', 'value'],
      B: ['redeemPin', 'currency', 'redeemLink', 'value'],
    }
    expect(Object.values(redeem).map((each) => Object.keys(each as object))).toEqual([
      fields[redeemShape],
      fields[redeemShape],
    ])
    expect((redeem['COFFEE-US'].cards ?? redeem['COFFEE-US'].redeemPin).length).toBe(3)
  })

  test.each([
    ['COFFEE-CA', { redeemLink: '', redeemSerialNumber: '' }],
    ['RIDE-JP', { redeemPin: '' }],
    ['MUSIC-KW', { redeemCardCode: '', redeemSerialNumber: '', redeemPin: '', expirationDate: '' }],
  ])('leaves empty what the issuer of %s withholds, and nothing else', async (sku, withheld) => {
    await using service = await openService({ way })
    const id = await service.confirmed([sku])
    service.clock.advance(2_000)
    const [found] = (await service.get(id)).data.redeem[sku].cards
    const empty = Object.entries(found).filter(([, text]) => text === '')
    const never = sku === 'COFFEE-CA' ? { expirationDate: '' } : {}
    expect(Object.fromEntries(empty)).toEqual({ ...withheld, ...never })
  })
})
