// Runs the same command lines in process and with the built executable, against the sandbox and over a socket.
// `scrub` makes the outputs comparable.
import { EventEmitter } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, onTestFinished } from 'vitest'
import { findOperation } from '../../src/contract/endpoints.ts'
import type { Transport } from '../../src/contract/transport.ts'
import { builtInCatalogue } from '../../src/service/catalogue.ts'
import { openEmbedded } from '../../src/service/embedded.ts'
import { listen } from '../../src/service/socket/listen.ts'
import { apiKey, callsOver, type Line, line } from './embedded.ts'
import { realClock as clock, inProcess, inSituation, type Situation } from './in-process.ts'
import { orderctl, type Ran, type RunOptions, start } from './orderctl.ts'

// A shared compile cache halves the start time of each process.
const cache = path.resolve('node_modules/.cache')
const surroundings = { TZ: 'UTC', XDG_CACHE_HOME: cache }

/** Replaces values that differ between runs by fixed values of the same width. */
export const scrub = (text: string): string =>
  text
    // Only the sandbox prints this hint.
    .replace(' See the products and prices: orderctl sandbox', '')
    // Printed after the service's clock was advanced.
    .replace(/^warning: this machine's clock is .*\n/gm, '')
    .replace(/sbx_[a-z0-9]{16}/g, 'sbx_1234567890abcdef')
    .replace(/orderctl-\d{4}-\d\d-\d\d-[\da-f]{12}/g, 'orderctl-made-up-reference-1')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'an ISO time')
    .replace(/\d{4}-\d\d-\d\d/g, 'YYYY-MM-DD')
    .replace(/\d\d:\d\d:\d\d/g, 'hh:mm:ss')
    .replace(/, (\d+ (?:s|min) ago|in \d+ s|\d+ s later)\b/g, ', now')
    .replace(/expires in 10 min/g, 'expires in 9 min')
    // The width of this line depends on the times below it.
    .replace(/(AS OF\n)─+/g, '$1─')
    .replace(/after \d+ s/g, 'after 0 s')
    .replace(/("(?:_seconds|_nanoseconds|expiresAt)": ?)\d+/g, '$10')
    .replace(/(••••|code ending in )[\dA-Z]{4}\b/g, '$1XXXX')
    .replace(/^Using the (sandbox: no real money|environment: http:\S+)$/gm, 'where it acts')

/** The exit code and both scrubbed streams. */
export const scrubbed = ({ exit, stdout, stderr }: Ran): Ran => ({
  exit,
  stdout: scrub(stdout),
  stderr: scrub(stderr),
})

/** Opens the sandbox's service for each call, as orderctl does. */
const onFile =
  (stateFile: string): Transport =>
  async (request) => {
    const { transport, close } = openEmbedded({ clock, catalogue: builtInCatalogue(), stateFile })
    try {
      return await transport(request)
    } finally {
      close()
    }
  }

type Found = {
  readonly transport: Transport
  readonly environment: Record<string, string>
  /** Emits the name of each requested operation, with the request, before it is carried out. */
  readonly arrived: EventEmitter
}
type Finished = (end: () => void | Promise<void>) => void
/** Opens the service. */
type Counter = (home: string, finished: Finished) => Promise<Found>
/** Runs a command line. */
type Program = (words: readonly string[], options: RunOptions) => Promise<Ran>

const sandboxed: Counter = async (home) => {
  const state = path.join(home, 'state')
  mkdirSync(state, { mode: 0o700 })
  return { transport: onFile(path.join(state, 'sandbox.db')), environment: {}, arrived: new EventEmitter() }
}

/** Opens the service of serve-mock on a socket. */
const servedIn =
  (processingMs?: number): Counter =>
  async (_home, finished) => {
    const embedded = openEmbedded({
      clock,
      catalogue: builtInCatalogue(),
      stateFile: ':memory:',
      apiKey,
      processingMs,
    })
    const arrived = new EventEmitter()
    const heard: Transport = (request) => {
      arrived.emit(findOperation(request.method, request.path) ?? 'control', request)
      return embedded.transport(request)
    }
    const listener = await listen(heard, { host: '127.0.0.1', port: 0, clock })
    finished(async () => {
      await listener.close()
      embedded.close()
    })
    return {
      arrived,
      transport: embedded.transport,
      environment: { ORDERCTL_BASE_URL: listener.origin, ORDERCTL_API_KEY: apiKey },
    }
  }

export type Way = { readonly counter?: Counter; readonly program?: Program }

export const customer = async (
  { counter = sandboxed, program = inProcess }: Way = {},
  finished: Finished = onTestFinished,
) => {
  const home = mkdtempSync(path.join(tmpdir(), 'orderctl-test-'))
  finished(() => rmSync(home, { recursive: true, force: true }))
  const { transport, environment, arrived } = await counter(home, finished)
  const calls = callsOver(transport)
  const fixed = { ...surroundings, ORDERCTL_STATE_DIR: path.join(home, 'state'), ...environment }
  const run = (words: readonly string[], { env = {}, ...more }: RunOptions = {}): Promise<Ran> =>
    program(words, { cwd: home, env: { ...fixed, ...env }, endsWithinMs: 20_000, ...more })
  /** Starts the built executable and returns the running process. */
  const starts = (words: readonly string[], { env = {}, ...more }: RunOptions = {}) =>
    start(words, { cwd: home, env: { ...fixed, ...env }, endsWithinMs: 20_000, ...more })
  /** Runs in process with all three streams on a terminal. */
  const atTerminal = (words: readonly string[], { env = {}, ...more }: Situation = {}) =>
    inSituation(words, {
      cwd: home,
      env: { ...fixed, NO_COLOR: '1', ...env },
      terminals: ['stdin', 'stdout', 'stderr'],
      ...more,
    })
  const lines = (products: readonly string[]): Line[] =>
    products.map((product) => {
      const [sku = '', quote, quantity = '1'] = product.split(/:|x(?=\d+$)/)
      return line(sku, { quote: Number(quote), quantity: Number(quantity) })
    })
  const advance = async (by: string): Promise<void> =>
    void (await calls.mock('POST', '/clock', { advance: by }))
  const confirmed = (...products: string[]) => calls.confirmed(lines(products), { reference: 'ref-1' })
  return {
    home,
    environment,
    arrived,
    run,
    atTerminal,
    starts,
    calls,
    /** Runs a command, throws if it fails, and returns its stdout. */
    must: async (...words: string[]): Promise<string> => {
      const { exit, stdout, stderr } = await run(words)
      if (exit !== 0) throw new Error(`${words.join(' ')}: exit ${exit}\n${stdout}${stderr}`)
      return stdout
    },
    flags: (products: readonly string[]) => [
      ...products.flatMap((product) => ['--product', product]),
      ...['--wallet', 'USD', '--reference', 'ref-1'],
    ],
    created: (...products: string[]) => calls.created(lines(products), { reference: 'ref-1' }),
    confirmed,
    advance,
    fault: (fault: string) => calls.mock('POST', '/faults', { fault }),
    /** The operations that the service received, except control requests: `create confirm get`. */
    asked: async (): Promise<string> =>
      (await calls.mock('GET', '/requests')).data
        .map(({ path: at }: { path: string }) => at.replace(/^\/order\/(\w+).*/, '$1'))
        .filter((at: string) => !at.startsWith('/_mock'))
        .reverse()
        .join(' '),
    /** Runs a command and scrubs its output. */
    does: async (...words: string[]): Promise<Ran> => scrubbed(await run(words)),
    /** The id of a final order. */
    ended: async (...products: string[]): Promise<string> => {
      const id = await confirmed(...products)
      await advance('5s')
      return id
    },
    /** Creates a file in the home and returns its name. */
    file: (text: string, name = 'order.json'): string => {
      writeFileSync(path.join(home, name), text)
      return name
    },
  }
}

export type Customer = Awaited<ReturnType<typeof customer>>

/** Opens customers for concurrent tests, and cleans up after the last test. */
export const openerFor = (way: Way) => {
  const ends: Parameters<Finished>[0][] = []
  afterAll(async () => {
    for (const end of ends) await end()
  })
  return () => customer(way, (end) => void ends.push(end))
}

export const overSocket: Way = { counter: servedIn() }
/** Orders stay in their state during a test, however slow the machine is. */
export const overSocketUnhurried: Way = { counter: servedIn(3_600_000) }
export const byExecutable: Way = { counter: servedIn(), program: orderctl }

export const allWays: readonly (readonly [string, Way])[] = [
  ['in process', {}],
  ['over a socket', overSocket],
  ['by the built executable', byExecutable],
]
