// Histories of the service as text, in steps such as `create GAME-US x2, RIDE-JP at 500 in EUR` or
// `confirm 1 → 404 Not Found`. Orders are numbered.
import { expect, test } from 'vitest'
import { parseDuration } from '../../src/contract/time.ts'
import { type Calls, type Line, line, type openService, type Reply } from '../support/embedded.ts'
import { type Acts, expectSteps, readScripts, write } from '../support/steps.ts'

export type Service = Awaited<ReturnType<typeof openService>>

/** The clock is missing if the service is another process. */
type Desk = Calls & { readonly clock?: Service['clock'] }

const linesOf = (list: string): Line[] =>
  list.split(', ').map((each) => {
    const [, sku = '', quantity, quote, productType] =
      /^(\S+)(?: x(\S+))?(?: at (\S+))?(?: as (\S+))?$/.exec(each) ?? []
    return line(sku, {
      ...(quantity === undefined ? {} : { quantity: Number(quantity) }),
      ...(quote === undefined ? {} : { quote: Number(quote) }),
      ...(productType === undefined ? {} : { productType }),
    })
  })

/** The value at a path such as `orders.0.state`, or all of it. `keys` are the names of an object. */
const pick = (value: unknown, path = ''): unknown =>
  path
    .split('.')
    .filter((key) => key !== '')
    .reduce<unknown>(
      (whole, key) =>
        key === 'keys' ? Object.keys(whole ?? {}) : (whole as Record<string, unknown> | undefined)?.[key],
      value,
    )

const describeReply = ({ status, message, data }: Reply): string => `${status} ${write(message ?? data)}`

/** What a step can do. A path after a GET gives only the value there. */
export const actsOn = (service: Desk) => {
  const ids: string[] = []
  const idOf = (number: string): string => ids[Number(number) - 1] ?? number
  const acts = {
    create: async (words: string) => {
      const [, list = '', wallet = 'USD', reference = 'a reference', webhookUrl] =
        /^(.*?)(?: in (\w+))?(?: for (.+?))?(?: to (\S+))?$/.exec(words) ?? []
      const more = webhookUrl === undefined ? {} : { webhookUrl }
      const reply = await service.create(list === 'nothing' ? [] : linesOf(list), {
        ...{ wallet, reference },
        ...more,
      })
      if (reply.status === 200) ids.push(reply.data.id)
      return describeReply(reply)
    },
    confirm: async (number: string) => describeReply(await service.confirm(idOf(number))),
    get: async (words: string) => {
      const [number = '', path] = words.split(' ')
      const reply = await service.get(idOf(number))
      return path === undefined ? describeReply(reply) : pick(reply.data, path)
    },
    state: (number: string) => service.state(idOf(number)),
    balance: (currency: string) => service.balance(currency),
    remaining: (sku: string) => service.remaining(sku),
    outcome: async (words: string) => {
      const [number = '', outcome] = words.split(' ')
      return describeReply(await service.mock('POST', '/outcome', { orderId: idOf(number), outcome }))
    },
    clock: async (advance: string) => describeReply(await service.mock('POST', '/clock', { advance })),
    fault: async (fault: string) => describeReply(await service.mock('POST', '/faults', { fault })),
    reset: async () => describeReply(await service.mock('POST', '/reset')),
    GET: async (words: string) => {
      const [route = '', path] = words.split(' ')
      const reply = await service.mock('GET', route)
      return path === undefined ? describeReply(reply) : pick(reply.data, path)
    },
    POST: async (words: string) => {
      const [, route = '', body = '{}'] = /^(\S+)(?: (.*))?$/.exec(words) ?? []
      return describeReply(await service.mock('POST', route, JSON.parse(body)))
    },
    advance: (duration: string) => {
      const ms = parseDuration(duration.replace('-', '')) ?? expect.fail(duration)
      service.clock?.advance(duration.startsWith('-') ? -ms : ms)
    },
  } satisfies Acts
  return { acts, idOf }
}

/** One test for each history, each with a service of its own. */
export const testHistories = <Opened extends Desk & AsyncDisposable>(
  text: string,
  open: () => Promise<Opened>,
  addActs: (service: Opened, desk: ReturnType<typeof actsOn>) => Acts = () => ({}),
): void => {
  test.each(readScripts(text))('%s', async (_title, steps) => {
    await using service = await open()
    const desk = actsOn(service)
    await expectSteps({ ...desk.acts, ...addActs(service, desk) }, steps)
  })
}
