// serve-mock in a process of its own. Its log and its state say what really happened to the orders.
import { createInterface } from 'node:readline'
import { start } from '../../support/orderctl.ts'

export type LoggedRequest = {
  readonly method: string
  readonly path: string
  readonly status: number | null
  readonly orderId?: string
}

/** An order as the service knows it. */
export type TeamOrder = {
  readonly number: number
  readonly id: string
  readonly reference: string
  readonly state: string
  /** In cents. */
  readonly total: number
}

export const startTeamService = async (folder: string, endsWithinMs: number) => {
  const words = [
    'serve-mock',
    '--port',
    '0',
    '--json',
    '--processing-time',
    '200ms',
    '--latency',
    '2ms..30ms',
  ]
  const child = start(words, { cwd: folder, endsWithinMs })
  if (child.stdout === null) throw new Error('serve-mock has no output')
  const log: LoggedRequest[] = []
  const waiting = new Set<() => void>()
  let startLine: ((line: { url: string; key: string }) => void) | undefined
  const listening = new Promise<{ url: string; key: string }>((resolve, reject) => {
    startLine = resolve
    void child.then(({ stderr }) => reject(new Error(`serve-mock ended: ${stderr}`)))
  })
  createInterface({ input: child.stdout }).on('line', (text) => {
    const line = JSON.parse(text)
    if (line.event === 'listening') return startLine?.(line)
    log.push(line)
    for (const check of waiting) check()
  })
  const { url, key } = await listening

  // biome-ignore lint/suspicious/noExplicitAny: the answers have different forms.
  const ask = async (method: string, path: string, body?: object): Promise<any> => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return await response.json()
  }

  const listOrders = async (): Promise<TeamOrder[]> => {
    const orders: TeamOrder[] = []
    for (let before = ''; ; before = `&before=${orders.at(-1)?.number}`) {
      const page = (await ask('GET', `/_mock/state?limit=1000${before}`)).orders
      if (page.length === 0) return orders.toReversed()
      for (const order of page) orders.push({ ...order, total: Math.round(Number(order.total) * 100) })
    }
  }

  const wait = (condition: () => boolean, ms: number): Promise<void> =>
    new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer)
        waiting.delete(check)
        resolve()
      }
      const check = (): void => {
        if (condition()) end()
      }
      const timer = setTimeout(end, ms)
      waiting.add(check)
      check()
    })

  let asked = 0

  return {
    url,
    key,
    log,
    /** The creates and confirms so far. */
    countSent: (): number =>
      log.filter(({ method, path }) => method !== 'GET' && path.startsWith('/order/')).length,
    /** Resolves when the condition holds, or after the time. It is checked at each request. */
    wait,
    /** Resolves when the log has all requests that are answered. */
    readLog: async (): Promise<readonly LoggedRequest[]> => {
      asked += 1
      await ask('GET', '/_mock/faults')
      await wait(() => log.filter(({ path }) => path === '/_mock/faults').length === asked, 10_000)
      return log
    },
    listOrders,
    advance: (time: string): Promise<unknown> => ask('POST', '/_mock/clock', { advance: time }),
    getOrder: (id: string) => ask('GET', `/order/get?orderId=${id}`),
    stop: async (): Promise<void> => {
      child.kill('SIGKILL')
      await child
    },
  }
}
