// The bench of listen: the same orders watched by polling and received by webhook, by turns. It prints the requests for
// each order and the time from its final state until orderctl has printed it. `--orders` and `--processing` change the
// load. It judges nothing.
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { executable, folder, type Server, startService } from './servers.ts'
import { median, renderTable } from './table.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    orders: { type: 'string', default: '10' },
    processing: { type: 'string', default: '20s' },
  },
})
const rounds = Number(values.rounds)
const orders = Number(values.orders)
const spreadMs = 700

type Run = {
  readonly requestsPerOrder: number
  /** From the final state of each order until it was printed. */
  readonly delaysMs: readonly number[]
}

type Line = Readonly<Record<string, unknown>>

const createClient = ({ port }: Server) => {
  const origin = `http://127.0.0.1:${port}`
  const send = async (method: string, target: string, body?: object) => {
    const answer = await fetch(`${origin}${target}`, {
      method,
      headers: { authorization: 'Bearer sandbox', 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const { data } = (await answer.json()) as { data: Line & { modifiedDate: Record<string, number> } }
    return data
  }
  const line = { sku: 'GAME-US', productType: 'fixed', quote: 25, quantity: 1 }
  return {
    buy: async (reference: string, webhookUrl?: string): Promise<string> => {
      const request = { productList: [line], wallet: 'USD', reference, ...(webhookUrl && { webhookUrl }) }
      const { id } = await send('POST', '/order/create', request)
      await send('PUT', '/order/confirm', { orderId: id })
      return String(id)
    },
    findFinalTime: async (id: string): Promise<number> => {
      const { modifiedDate } = await send('GET', `/order/get?orderId=${id}`)
      return (modifiedDate._seconds ?? 0) * 1000 + (modifiedDate._nanoseconds ?? 0) / 1e6
    },
  }
}

const countReads = ({ log }: Server): number =>
  log()
    .split('\n')
    .filter((line) => line.includes('"/order/get"')).length

const started: ChildProcessByStdio<null, Readable, null>[] = []
process.once('exit', () => {
  for (const child of started) child.kill()
})

const startCommand = (
  service: Server,
  name: string,
  words: readonly string[],
  onLine: (line: Line) => void,
) => {
  const child: ChildProcessByStdio<null, Readable, null> = spawn(process.execPath, [executable, ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      ORDERCTL_BASE_URL: `http://127.0.0.1:${service.port}`,
      ORDERCTL_API_KEY: 'sandbox',
      ORDERCTL_STATE_DIR: path.join(folder, name),
    },
  })
  started.push(child)
  createInterface(child.stdout).on('line', (line) => onLine(JSON.parse(line)))
  return child
}

/** Places the orders, and waits until `onFinal` was called for each. */
const measure = async (
  name: string,
  begin: (
    service: Server,
    onFinal: (id: string) => void,
  ) => Promise<{
    readonly webhookUrl?: string
    readonly onPlaced: (id: string) => void
    readonly end: () => void
  }>,
): Promise<Run> => {
  const service = await startService(`--processing-time=${values.processing}`, '--json')
  const client = createClient(service)
  const seen = new Map<string, number>()
  const all = Promise.withResolvers<void>()
  const { webhookUrl, onPlaced, end } = await begin(service, (id) => {
    if (!seen.has(id)) seen.set(id, Date.now())
    if (seen.size === orders) all.resolve()
  })
  for (let index = 0; index < orders; index += 1) {
    onPlaced(await client.buy(`${name}-${index}`, webhookUrl))
    await sleep(spreadMs)
  }
  await all.promise
  const requestsPerOrder = countReads(service) / orders
  const delaysMs = await Promise.all([...seen].map(async ([id, at]) => at - (await client.findFinalTime(id))))
  end()
  await service.stop()
  return { requestsPerOrder, delaysMs }
}

const poll = (round: number): Promise<Run> =>
  measure(`poll-${round}`, async (service, onFinal) => {
    const children: ReturnType<typeof startCommand>[] = []
    return {
      onPlaced: (id) =>
        void children.push(
          startCommand(service, `poll-${round}`, ['watch', id, '--json'], ({ state }) => {
            if (state === 'successful') onFinal(id)
          }),
        ),
      end: () => {
        for (const child of children) child.kill()
      },
    }
  })

const push = (round: number): Promise<Run> =>
  measure(`push-${round}`, async (service, onFinal) => {
    const listening = Promise.withResolvers<string>()
    const child = startCommand(service, `push-${round}`, ['listen', '--port', '0', '--json'], (line) => {
      if (line.event === 'listening') listening.resolve(String(line.url))
      if (line.event === 'order' && line.state === 'successful') onFinal(String(line.orderId))
    })
    const ended = once(child, 'exit').then(() => {
      throw new Error('listen ended')
    })
    const webhookUrl = await Promise.race([listening.promise, ended])
    ended.catch(() => {})
    return { webhookUrl, onPlaced: () => {}, end: () => void child.kill() }
  })

const results = { poll: [] as Run[], push: [] as Run[] }
for (let round = 0; round < rounds; round += 1) {
  results.poll.push(await poll(round))
  results.push.push(await push(round))
}

const summarize = (runs: readonly Run[]) => ({
  requests: median(runs.map(({ requestsPerOrder }) => requestsPerOrder)),
  delayMs: median(runs.flatMap(({ delaysMs }) => delaysMs)),
})
const [polled, pushed] = [summarize(results.poll), summarize(results.push)]
console.info(
  `${orders} orders of ${values.processing}, medians of ${rounds} rounds\n${renderTable([
    ['', 'watch (polling)', 'listen (push)', 'push / polling'],
    [
      'requests per order',
      polled.requests.toFixed(1),
      pushed.requests.toFixed(1),
      (pushed.requests / polled.requests).toFixed(2),
    ],
    [
      'final to seen, ms',
      polled.delayMs.toFixed(0),
      pushed.delayMs.toFixed(0),
      (pushed.delayMs / polled.delayMs).toFixed(3),
    ],
  ])}`,
)
