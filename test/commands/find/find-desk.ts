import { type Card, findCards } from '../../../src/contract/redeem-cards.ts'
import type { Situation } from '../../support/in-process.ts'
import { openWorld, overSocket } from '../../support/world.ts'

type Bought = { readonly id: string; readonly cards: readonly Card[] }
type ChangeText = (text: string) => string

export const openDesk = async (executable = false) => {
  const shop = await openWorld({ ...overSocket, executable })
  let change: ChangeText = (text) => text
  shop.through(async (request, service) => {
    const response = await service(request)
    return { ...response, body: change(String(response.body)) }
  })
  const buy = async (reference: string, ...products: string[]): Promise<Bought> => {
    const lines = products.flatMap((product) => ['--product', product])
    const words = ['create', ...lines, '--wallet', 'USD', '--reference', reference, '--confirm', '-q']
    const id = (await shop.must(...words)).trim()
    await shop.advance('5s')
    const { data } = await shop.calls.get(id)
    return { id, cards: findCards(data.redeem) }
  }
  /** Pipes the value to find. */
  const find = (value: string, words: readonly string[] = [], more: Situation = {}) =>
    shop.run(['find', ...words], { input: value, ...more })
  const findJson = async (value: string, ...words: string[]) => {
    const { exit, stdout, stderr } = await find(value, ['--json', ...words])
    return { exit, stderr, ...JSON.parse(stdout) }
  }
  /** From now on, changes the bodies of the service's answers. */
  const changeAnswers = (next: ChangeText): void => {
    change = next
  }
  return { ...shop, buy, find, findJson, changeAnswers }
}
