// A journal with orders, and a service on a socket whose answers a test can change.
import { EventEmitter } from 'node:events'
import { type Card, findCards } from '../../../src/contract/redeem-cards.ts'
import type { HttpResponse, Transport } from '../../../src/contract/transport.ts'
import { builtInCatalogue } from '../../../src/service/catalogue.ts'
import { openEmbedded } from '../../../src/service/embedded.ts'
import { listen } from '../../../src/service/socket/listen.ts'
import { customer, type Way } from '../../support/customer.ts'
import { apiKey } from '../../support/embedded.ts'
import { realClock as clock, inProcess, type Situation } from '../../support/in-process.ts'

type Bought = { readonly id: string; readonly cards: readonly Card[] }
type ChangeText = (text: string) => string

export const openDesk = async (program: Way['program'] = inProcess) => {
  let change: ChangeText = (text) => text
  const changed: Transport = async (request) => {
    const answer: HttpResponse = await embedded.transport(request)
    return { ...answer, body: change(String(answer.body)) }
  }
  const embedded = openEmbedded({ clock, catalogue: builtInCatalogue(), stateFile: ':memory:', apiKey })
  const shop = await customer({
    program,
    counter: async (_home, finished) => {
      const listener = await listen(changed, { host: '127.0.0.1', port: 0, clock })
      finished(async () => {
        await listener.close()
        embedded.close()
      })
      return {
        ...{ transport: embedded.transport, arrived: new EventEmitter() },
        environment: { ORDERCTL_BASE_URL: listener.origin, ORDERCTL_API_KEY: apiKey },
      }
    },
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
