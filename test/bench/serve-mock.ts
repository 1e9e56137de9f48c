// serve-mock, in memory and with a state file, beside a bare HTTP server that returns as many bytes.
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { openScratch } from '../support/scratch.ts'
import { formatRequest, openConnection, runLoad } from './load.ts'
import { compare, median, type Size, type Table, takeTurns, whole } from './measure.ts'
import {
  bareServer,
  createHome,
  orderctl,
  processingMs,
  type Server,
  startServer,
  startService,
  timeUntilListening,
} from './processes.ts'

const sizes = {
  smoke: { rounds: 1, count: 50, starts: 1 },
  normal: { rounds: 6, count: 10_000, starts: 15 },
}

export const kinds = ['create', 'confirm', 'get'] as const
type Kind = (typeof kinds)[number]

const headers = { authorization: 'Bearer sandbox' }
const productList = [
  { sku: 'COFFEE-US', productType: 'range', quote: 12.5, quantity: 1 },
  { sku: 'MUSIC-US', productType: 'fixed', quote: 9.99, quantity: 1 },
]
const createRequest = (number: number): string => {
  const order = { productList, wallet: 'USD', reference: `r-${number}` }
  return formatRequest('POST /order/create', headers, JSON.stringify(order))
}
const confirmRequest = (id: string): string =>
  formatRequest('PUT /order/confirm', headers, JSON.stringify({ orderId: id }))
const getRequest = (id: string): string => formatRequest(`GET /order/get?orderId=${id}`, headers)
const readId = (body: string): string => /"id":"([^"]+)"/.exec(body)?.[1] ?? ''

/** Afterwards all confirmed orders are final, so that they cost the next round nothing. */
const waitForOutcomes = (): Promise<void> => delay(4 * processingMs)

/** Each call of the function that it returns sends `count` requests. A confirm or get needs orders of earlier calls. */
export const prepareLoads = (server: Server, count: number) => {
  const created: string[] = []
  let numbers = 0
  let confirms = 0
  return async (kind: Kind) => {
    if (kind === 'get') return runLoad(server, created.slice(0, count).map(getRequest))
    if (kind === 'confirm') {
      const ids = created.slice(confirms, confirms + count)
      confirms += count
      return runLoad(server, ids.map(confirmRequest), waitForOutcomes)
    }
    const load = await runLoad(
      server,
      Array.from({ length: count }, () => createRequest(++numbers)),
    )
    created.push(...load.bodies.map(readId))
    return load
  }
}

/** The lengths of the responses of serve-mock, by path. */
const readSizes = async ({ port }: Server): Promise<Readonly<Record<string, number>>> => {
  const { send, close } = await openConnection(port)
  const created = await send(createRequest(0))
  const confirmed = await send(confirmRequest(readId(created)))
  await waitForOutcomes()
  const got = await send(getRequest(readId(created)))
  close()
  return { '/order/create': created.length, '/order/confirm': confirmed.length, '/order/get': got.length }
}

export const measureServeMock = async (size: Size): Promise<Table> => {
  const { rounds, count, starts } = sizes[size]
  using scratch = openScratch()
  const { folder, file } = scratch
  const env = createHome(folder)
  await using memory = await startService(path.join(folder, 'memory'))
  await using state = await startService(path.join(folder, 'state'), `--state=${file}`)
  const bareWords = [...bareServer, JSON.stringify(await readSizes(memory))]
  await using bare = await startServer({ words: bareWords, env })
  const loads = {
    memory: prepareLoads(memory, count),
    state: prepareLoads(state, count),
    bare: prepareLoads(bare, count),
  }
  const speeds: string[][] = []
  const costs: string[][] = []
  for (const kind of kinds) {
    const found = await takeTurns(rounds, {
      memory: () => loads.memory(kind),
      state: () => loads.state(kind),
      bare: () => loads.bare(kind),
    })
    const rowOf = (name: string, read: (load: (typeof found.bare)[number]) => number): string[] => {
      const { ours, theirs, ratio } = compare(found.memory.map(read), found.bare.map(read))
      return [
        `${kind}, ${name}`,
        whole(ours),
        whole(median(found.state.map(read))),
        whole(theirs),
        ratio.toFixed(2),
      ]
    }
    speeds.push(rowOf('requests/s', ({ perSecond }) => perSecond))
    costs.push(rowOf('CPU µs per request', ({ cpuMicroseconds }) => cpuMicroseconds))
  }
  const start = await takeTurns(starts, {
    ours: () => timeUntilListening({ words: [...orderctl, 'serve-mock', '--port=0'], env }),
    bare: () => timeUntilListening({ words: bareServer, env }),
  })
  const { ours, theirs, ratio } = compare(start.ours, start.bare)
  return {
    title: 'serve-mock',
    columns: ['', 'serve-mock', 'with `--state`', 'bare `node:http`', 'serve-mock / bare'],
    rows: [
      ...speeds,
      ...costs,
      ['start until it listens, ms', whole(ours), '', whole(theirs), ratio.toFixed(2)],
    ],
    note: `Medians of ${rounds} rounds of ${whole(count)} requests over 16 connections, and of ${starts} starts. The bare server parses the body, and returns as many bytes. The processor time of a confirm includes the delivery of its codes.`,
  }
}
