// The amounts of a report are those that have left the wallets of the service, to the last unit.
import { expect, test } from 'vitest'
import { openWorld, overSocketUnhurried } from '../../support/world.ts'

const wallets = ['USD', 'EUR', 'GBP', 'JPY']
const products = ['GAME-US:25x2', 'MUSIC-KW:2.75', 'MUSIC-FR:10.99x3', 'MOBILE-KR:20000', 'FOOD-BR:20.35/range', 'TEST-FAIL:10']

type Row = { readonly currency: string; readonly charged: { readonly total: number } }

test('a report shows what left the wallets, also after lost answers', async () => {
  const shop = await openWorld(overSocketUnhurried)
  for (const [at, product] of products.entries()) {
    for (const [index, wallet] of wallets.entries()) {
      if ((at + index) % 3 === 0) await shop.fault('confirm:reset-after')
      await shop.must('create', '--product', product, '--product', 'SHOE-GB:10.37/range', '--wallet', wallet, '--confirm')
    }
  }
  console.log(JSON.stringify(await shop.asks(['report', '--by', 'wallet'])))
})
