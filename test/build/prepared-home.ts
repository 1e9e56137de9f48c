// A home with orders, batches and a delivery in its journal, and copies of it in which one command runs.
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import catalogue from '../../src/service/catalogue.json' with { type: 'json' }
import { openTarget } from '../support/forward-target.ts'
import { isOnWindows, mustRun, type RunOptions, serveMock, start } from '../support/orderctl.ts'
import { waitUntil } from '../support/wait-until.ts'

/** What the words of the table refer to. */
const files = {
  'rows.csv': 'sku,quote,quantity,name\nGAME-US,25,2,Ana\n',
  'amounts.csv': 'sku,amount,quantity\nGAME-US,25,1\n',
  'key.txt': 'the-key-of-the-profile\n',
  'products.json': JSON.stringify({ products: catalogue.products.slice(0, 3) }),
  'catalogue.json': JSON.stringify(catalogue),
}

/** Receives a delivery that reports the order as successful. */
const receive = async (orderId: string, options: RunOptions): Promise<void> => {
  const listener = start(['listen', '--profile', 'mock', '--port', '0', '--json'], options)
  const events: { readonly event?: string; readonly url?: string }[] = []
  const reading = (async () => {
    for await (const line of listener.iterable()) events.push(JSON.parse(String(line)))
  })().catch(() => {})
  await waitUntil(() => events.length > 0)
  const body = JSON.stringify({ uid: orderId, state: 'successful' })
  await fetch(events[0]?.url ?? '', { method: 'POST', body })
  await waitUntil(() => events.some(({ event }) => event === 'order'))
  listener.kill('SIGINT')
  await reading
}

/** Prepares it in the sandbox and, for the delivery, with a profile of serve-mock. */
export const openPreparedHome = async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'orderctl-test-'))
  const [prepared, programs] = ['prepared', 'programs'].map((name) => path.join(folder, name)) as [
    string,
    string,
  ]
  mkdirSync(prepared)
  // Nothing but Node is on the PATH: no browser, no clipboard, no pager.
  mkdirSync(programs)
  symlinkSync(process.execPath, path.join(programs, 'node'))
  const cache = path.resolve('node_modules/.cache')
  const inHome = (home: string) => ({
    cwd: home,
    env: { PATH: programs, HOME: home, TZ: 'UTC', XDG_CACHE_HOME: cache },
    endsWithinMs: 60_000,
  })
  const must = (words: string, input?: string): Promise<string> =>
    mustRun(words.split(' '), { ...inHome(prepared), ...(input !== undefined && { input }) })

  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(prepared, name), text)
  const lasting = { ...inHome(folder), endsWithinMs: 3_600_000 }
  const mock = await serveMock(['--processing-time', '10ms'], lasting)
  const target = await openTarget()
  await must('create --product GAME-US:25x2 --wallet USD --reference bought --confirm -q')
  await must('create --product TEST-FAIL:10 --wallet USD --reference failed --confirm -q')
  await must('sandbox advance 5s')
  await must('reconcile')
  cpSync(
    path.join(prepared, isOnWindows ? 'AppData/Local' : '.local/state', 'orderctl/journal.db'),
    path.join(prepared, 'copy.db'),
  )
  await must('batch run rows.csv --wallet USD --name gifts --max-total 100 --yes')
  await must('batch plan rows.csv --wallet EUR --name planned')
  await must('create --product GAME-US:25 --wallet USD --reference waiting -q')
  await must(`profile add mock --base-url ${mock.url} --key-stdin --key-store file`, mock.key)
  const id = await must('create --product GAME-US:25 --wallet USD --confirm -q --profile mock')
  await receive(id, inHome(prepared))
  await must('profile use sandbox')
  const code = await must('redeem ref:bought --card 1 --only code --reveal')

  let copies = 0
  return {
    inHome,
    /** A card of the order ref:bought. */
    code,
    targetUrl: target.url,
    /** A new copy. */
    copy: (): string => {
      copies += 1
      const home = path.join(folder, String(copies))
      cpSync(prepared, home, { recursive: true, preserveTimestamps: true })
      return home
    },
    async [Symbol.asyncDispose]() {
      mock.child.kill('SIGTERM')
      await mock.child
      await target[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export type PreparedHome = Awaited<ReturnType<typeof openPreparedHome>>
