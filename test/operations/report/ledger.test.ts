// The amounts of a report are those that have left the wallets of the service, to the last unit.
import { expect, test } from 'vitest'
import { openWorld, overSocketUnhurried } from '../../support/world.ts'

test('a report shows what left the wallets', async () => {
  const shop = await openWorld(overSocketUnhurried)
  const readBalances = async () => {
    const { data } = await shop.calls.mock('GET', '/state')
    return data.wallets
  }
  console.log(JSON.stringify(await readBalances()))
  await shop.run(['create','--product','GAME-US:25x2','--wallet','USD','--confirm','--yes'])
  console.log(JSON.stringify(await readBalances()))
  console.log(JSON.stringify(await shop.asks(['report','--by','product'])))
  console.log((await shop.run(['sandbox'])).stdout)
  const { data } = await shop.calls.mock('GET', '/state')
  console.log(JSON.stringify(data).slice(0,3000))
})
