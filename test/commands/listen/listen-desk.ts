// serve-mock and the listeners of one machine, all the built executable.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { folder, orderctl, serveMock, start } from '../../support/orderctl.ts'
import { waitUntil } from '../../support/wait-until.ts'

// biome-ignore lint/suspicious/noExplicitAny: an event is compared whole.
type Event = any

export const openDesk = async (mockWords: readonly string[] = ['--processing-time', '50ms']) => {
  const home = folder()
  const state = path.join(home, 'state')
  const mock = await serveMock(mockWords, { cwd: home })
  const env = {
    ...{ ORDERCTL_BASE_URL: mock.url, ORDERCTL_API_KEY: mock.key, ORDERCTL_STATE_DIR: state },
    ...{ TZ: 'UTC', NO_COLOR: '1' },
  }
  const run = (words: readonly string[], more: Record<string, string> = {}) =>
    orderctl(words, { env: { ...env, ...more }, cwd: home })

  /** Starts a listener and waits until it listens. */
  const listen = async (words: readonly string[] = [], input?: string, more: Record<string, string> = {}) => {
    const child = start(['listen', '--port', '0', '--json', ...words], {
      ...{ env: { ...env, ...more }, cwd: home },
      ...(input === undefined ? {} : { input }),
    })
    const events: Event[] = []
    void (async () => {
      for await (const line of child.iterable()) events.push(JSON.parse(line))
    })().catch(() => {})
    let hasEnded = false
    void child.finally(() => {
      hasEnded = true
    })
    await waitUntil(() => events.length > 0 || hasEnded)
    if (hasEnded) throw new Error(`it did not start: ${(await child).stderr}`)
    const [{ url }] = events
    return {
      ...{ child, events, url: url as string },
      ofKind: (kind: string): Event[] => events.filter(({ event }) => event === kind),
      post: async (body: unknown, headers: Record<string, string> = {}): Promise<number> => {
        const text = typeof body === 'string' ? body : JSON.stringify(body)
        return (await fetch(url, { method: 'POST', body: text, headers })).status
      },
      stop: async (signal: NodeJS.Signals = 'SIGINT') => {
        child.kill(signal)
        const { exitCode, stderr } = await child
        return { exit: exitCode, stderr }
      },
    }
  }

  /** Places and confirms an order. Returns its id. */
  const buy = async (reference: string, webhookUrl?: string, more: Record<string, string> = {}) => {
    const file = path.join(home, `${reference}.json`)
    const line = { sku: 'GAME-US', productType: 'fixed', quote: 25, quantity: 2 }
    const request = { productList: [line], wallet: 'USD', reference, ...(webhookUrl && { webhookUrl }) }
    writeFileSync(file, JSON.stringify(request))
    const accepted = webhookUrl === undefined ? [] : ['--accept-webhook', new URL(webhookUrl).host]
    const { exit, stdout, stderr } = await run(['create', file, '--confirm', ...accepted, '-q'], more)
    if (exit !== 0) throw new Error(stderr)
    return stdout.trim()
  }

  const openFile = (name: 'journal.db' | 'listen.db'): DatabaseSync =>
    new DatabaseSync(path.join(state, name), { timeout: 5_000 })

  /** The deliveries as they are stored. */
  const listRows = () => {
    using database = openFile('listen.db')
    return database.prepare('SELECT * FROM deliveries ORDER BY number').all()
  }

  return { home, state, mock, env, run, listen, buy, openFile, listRows }
}
