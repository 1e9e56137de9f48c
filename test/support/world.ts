// A home, a service and a clock of their own for one test. Commands run in process on that clock, which jumps over every
// wait, or as the built executable in real time.
import { EventEmitter } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, onTestFinished } from 'vitest'
import { createNetwork } from '../../src/client/network.ts'
import type { Clock } from '../../src/contract/time.ts'
import {
  findOperation,
  type HttpRequest,
  type HttpResponse,
  type Transport,
} from '../../src/contract/transport.ts'
import { serveOn } from '../../src/server/http-server.ts'
import { builtInCatalogue } from '../../src/service/catalogue.ts'
import { openEmbedded } from '../../src/service/embedded.ts'
import { apiKey, callsOver, type Line, line } from './embedded.ts'
import { inSituation, neverLate, realClock, type Situation } from './in-process.ts'
import { createJumpingClock } from './jumping-clock.ts'
import { orderctl, type Ran, type RunOptions, start } from './orderctl.ts'
import { readDatabase } from './scratch.ts'

/** What a test can vary. */
export type Way = {
  /** `sandbox`: in the home. `socket`: serve-mock's service on a port. `network`: in process, behind the relay of `through`. */
  readonly service?: 'sandbox' | 'socket' | 'network'
  /** Runs the built executable instead of the commands in process. */
  readonly executable?: boolean
  /** Default: 2 s, as in the sandbox. */
  readonly processingMs?: number
  /** Time passes by itself. Needed if a test also starts the executable or looks at real time. */
  readonly realTime?: boolean
  /** How far the clock runs beside its jumps. Default: it stands still. */
  readonly passed?: () => number
  /** The key of the account. */
  readonly key?: string
  /** The service of `network` can be copied. */
  readonly copied?: boolean
}

export const overSocket: Way = { service: 'socket' }
/** Orders stay in their state during a test. */
export const overSocketUnhurried: Way = { service: 'socket', processingMs: 3_600_000 }
/** For tests that start the executable or look at real time. */
export const inRealTime: Way = { ...overSocket, realTime: true }
export const overNetwork: Way = { service: 'network' }
export const byExecutable: Way = { service: 'socket', executable: true }

/** Responses a request, with or without the service. */
export type Relay = (request: HttpRequest, service: Transport) => Promise<HttpResponse>

type Finished = (end: () => void | Promise<void>) => void

const readJson = ({ body }: HttpRequest | HttpResponse) =>
  JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body))

const nameOf = ({ method, path: at }: HttpRequest): string => findOperation(method, at) ?? 'control'

const letters: Readonly<Record<string, string>> = { get: 'g', create: 'c', confirm: 'p' }

/** The operations as letters: c create, p confirm, g get. */
export const toWire = (operations: readonly string[]): string =>
  operations.map((each) => letters[each]).join('')

/** Opens the sandbox's service for each call, as orderctl does. */
const openPerCall =
  (clock: Clock, stateFile: string): Transport =>
  async (request) => {
    const { transport, close } = openEmbedded({ clock, catalogue: builtInCatalogue(), stateFile })
    try {
      return await transport(request)
    } finally {
      close()
    }
  }

// A shared compile cache halves the start time of each process.
const cache = path.resolve('node_modules/.cache')

export const openWorld = async (way: Way = {}, finished: Finished = onTestFinished) => {
  const {
    service: kind = 'sandbox',
    executable = false,
    processingMs,
    realTime = executable,
    passed,
    key = apiKey,
    copied = false,
  } = way
  const home = mkdtempSync(path.join(tmpdir(), 'orderctl-test-'))
  finished(() => rmSync(home, { recursive: true, force: true }))
  const stateFolder = path.join(home, 'state')
  // Only a world of its own has a fixed date: journals that a test fills for the others have today's.
  const jumping = createJumpingClock(kind === 'network' ? Date.UTC(2026, 2, 1, 12) : Date.now(), passed)
  finished(jumping.stop)
  const clock = realTime ? realClock : jumping

  const settings = { catalogue: builtInCatalogue(), seed: 'test', apiKey: key, processingMs }
  const serviceFile = copied ? `${home}-service.db` : ':memory:'
  const open = (): Transport => {
    if (kind === 'sandbox') {
      mkdirSync(stateFolder, { mode: 0o700 })
      return openPerCall(clock, path.join(stateFolder, 'sandbox.db'))
    }
    const embedded = openEmbedded({ ...settings, clock, stateFile: serviceFile })
    finished(() => {
      embedded.close()
      rmSync(serviceFile, { force: true })
    })
    return embedded.transport
  }
  const opened = open()
  const bought: string[] = []
  const service: Transport = async (request) => {
    const response = await opened(request)
    if (nameOf(request) === 'confirm' && response.status === 200) bought.push(readJson(request).orderId)
    return response
  }

  /** The service as it is now, without faults. */
  const copyService = () => {
    const stateFile = `${home}-copy.db`
    const database = new DatabaseSync(serviceFile)
    database.exec(`VACUUM INTO '${stateFile}'`)
    database.close()
    const { transport, close } = openEmbedded({ ...settings, clock, stateFile })
    const remove = () => {
      close()
      rmSync(stateFile)
    }
    return { transport, close: remove }
  }

  const arrived = new EventEmitter()
  const honest: Relay = (request) => service(request)
  let relay = honest
  /** What the requests of orderctl go through. Those of the test go to the service. */
  const relayTo =
    (log: string[]): Transport =>
    (request) => {
      log.push(nameOf(request))
      arrived.emit(nameOf(request), request)
      return relay(request, service)
    }
  const sent: string[] = []
  const relayed = relayTo(sent)
  const openListener = (transport: Transport) => serveOn(transport, { host: '127.0.0.1', port: 0, clock })
  const connect = async (): Promise<{ baseUrl?: string; openNetwork?: Situation['openNetwork'] }> => {
    if (kind === 'sandbox') return {}
    if (kind === 'network') {
      const network = Object.assign(relayed, { close: async () => {} })
      return { baseUrl: 'https://orders.example', openNetwork: async () => network }
    }
    const listener = await openListener(relayed)
    finished(listener.close)
    return { baseUrl: listener.origin }
  }
  let pendingCalls = 0
  /** While orderctl waits for something real, its own waits do not end. Returns the end of that. */
  const hold = (): (() => void) => {
    pendingCalls += 1
    return () => {
      pendingCalls -= 1
      jumping.jumpSoon()
    }
  }
  /** The network of orderctl, whose calls are on a real socket. */
  const openCounted: Situation['openNetwork'] = async (options) => {
    const network = await createNetwork(options)
    const counted: Transport = async (request) => {
      const release = hold()
      try {
        return await network(request)
      } finally {
        release()
      }
    }
    return Object.assign(counted, { close: network.close })
  }
  const { baseUrl, openNetwork = openCounted } = await connect()
  const environment: Record<string, string> =
    baseUrl === undefined ? {} : { ORDERCTL_BASE_URL: baseUrl, ORDERCTL_API_KEY: key }

  const calls = callsOver(service, key)
  const fixed = { TZ: 'UTC', XDG_CACHE_HOME: cache, ORDERCTL_STATE_DIR: stateFolder, ...environment }
  const ownClock = realTime ? realClock : jumping.forWhom(() => pendingCalls > 0)
  const situation = { cwd: home, openNetwork }
  /** Runs a command in process, and returns also its prompts and writes. */
  const runIn = (words: readonly string[], { env = {}, ...more }: Situation = {}) => {
    const clock = more.terminals?.includes('stderr') ? neverLate(ownClock) : ownClock
    return inSituation(words, { ...situation, clock, env: { ...fixed, NO_COLOR: '1', ...env }, ...more })
  }
  const process = { cwd: home, endsWithinMs: 60_000 }
  const run = async (words: readonly string[], { env = {}, ...more }: Situation = {}): Promise<Ran> => {
    if (executable) return orderctl(words, { ...process, env: { ...fixed, ...env }, ...more })
    const { exit, stdout, stderr } = await runIn(words, { env, ...more })
    return { exit, stdout, stderr }
  }
  const must = async (...words: string[]): Promise<string> => {
    const { exit, stdout, stderr } = await run(words)
    if (exit !== 0) throw new Error(`${words.join(' ')}: exit ${exit}\n${stdout}${stderr}`)
    return stdout
  }
  const confirmed = (...products: string[]) => calls.confirmed(lines(products), { reference: 'ref-1' })
  const advance = async (by: string): Promise<void> =>
    void (await calls.mock('POST', '/clock', { advance: by }))
  return {
    home,
    environment,
    /** The environment of its commands. */
    variables: fixed,
    clock: Object.assign(clock, { pass: jumping.pass }),
    /** The clock of its commands, whose waits do not end while something is held. */
    ownClock,
    /** One more port of the service, with a log of its own. */
    openPort: async () => {
      const log: string[] = []
      const { origin, close } = await openListener(relayTo(log))
      return { origin, close, wire: () => toWire(log) }
    },
    hold,
    calls,
    service,
    copyService,
    /** Emits the name of each operation that orderctl requests, with the request, before it is carried out. */
    arrived,
    run,
    runIn,
    /** Runs in process with all three streams on a terminal. */
    atTerminal: (words: readonly string[], more: Situation = {}) =>
      runIn(words, { terminals: ['stdin', 'stdout', 'stderr'], ...more }),
    /** Starts the built executable and returns the running process. */
    starts: (words: readonly string[], { env = {}, ...more }: RunOptions = {}) =>
      start(words, { ...process, env: { ...fixed, ...env }, ...more }),
    /** Runs a command, throws if it fails, and returns its stdout. */
    must,
    /** Runs a command that must succeed with -q, and returns the id that it prints. */
    id: async (...words: string[]): Promise<string> => (await must(...words, '-q')).trim(),
    /** With --json: the exit code, stderr, and the document or the error. */
    asks: async (words: readonly string[], options: Situation = {}) => {
      const { exit, stdout, stderr } = await run([...words, '--json'], options)
      const error = /^\{"error":.*\}$/m.exec(stderr)?.[0]
      return {
        exit,
        stderr,
        ...(stdout === '' ? {} : { data: JSON.parse(stdout) }),
        ...(error === undefined ? {} : { error: JSON.parse(error).error }),
      }
    },
    /** Runs a command and scrubs its output. */
    does: async (...words: string[]): Promise<Ran> => scrubbed(await run(words)),
    flags: (products: readonly string[]) => [
      ...products.flatMap((product) => ['--product', product]),
      ...['--wallet', 'USD', '--reference', 'ref-1'],
    ],
    created: (...products: string[]) => calls.created(lines(products), { reference: 'ref-1' }),
    createdAs: (reference: string, ...products: string[]) => calls.created(lines(products), { reference }),
    confirmed,
    /** The id of a final order. */
    ended: async (...products: string[]): Promise<string> => {
      const id = await confirmed(...products)
      await advance('5s')
      return id
    },
    advance,
    fault: (fault: string) => calls.mock('POST', '/faults', { fault }),
    /** Sets the relay in front of the service. Without an argument it forwards everything. */
    through: (next: Relay = honest): void => {
      relay = next
    },
    /** How often orderctl sent the operation. */
    sent: (operation: string): number => sent.filter((each) => each === operation).length,
    /** The operations that orderctl sent so far. */
    operations: (): readonly string[] => sent,
    /** The ids of the confirmed orders, one for each confirm that took effect. */
    bought: (): readonly string[] => bought,
    /** The operations that the service received, except control requests: `create confirm get`. */
    asked: async (): Promise<string> =>
      (await calls.mock('GET', '/requests')).data
        .map(({ path: at }: { path: string }) => at.replace(/^\/order\/(\w+).*/, '$1'))
        .filter((at: string) => !at.startsWith('/_mock'))
        .reverse()
        .join(' '),
    /** What the journal holds. */
    journal: (sql: string): Record<string, unknown>[] =>
      readDatabase(path.join(stateFolder, 'journal.db'), (database) =>
        database
          .prepare(sql)
          .all()
          .map((row) => ({ ...row })),
      ),
    /** Creates a file in the home and returns its name. */
    file: (text: string, name = 'order.json'): string => {
      writeFileSync(path.join(home, name), text)
      return name
    },
  }
}

export type World = Awaited<ReturnType<typeof openWorld>>

/** Opens worlds for concurrent tests, and cleans up after the last test. */
export const openerFor = (way: Way) => {
  const ends: Parameters<Finished>[0][] = []
  afterAll(async () => {
    for (const end of ends) await end()
  })
  return () => openWorld(way, (end) => void ends.push(end))
}

const lines = (products: readonly string[]): Line[] =>
  products.map((product) => {
    const [sku = '', quote, quantity = '1'] = product.split(/:|x(?=\d+$)/)
    return line(sku, { quote: Number(quote), quantity: Number(quantity) })
  })

/** The words of a create with the reference po-1. */
export const order = ['create', '--product', 'GAME-US:25', '--wallet', 'USD', '--reference', 'po-1']

/** Limits a relay to one operation. */
export const on =
  (operation: string, does: Relay): Relay =>
  (request, service) =>
    nameOf(request) === operation ? does(request, service) : service(request)

/** Changes the data of a response. */
// biome-ignore lint/suspicious/noExplicitAny: a test changes any field of a response.
export const altered = (response: HttpResponse, change: (data: any) => unknown): HttpResponse => {
  const document = readJson(response)
  if (document.data === undefined) return response
  const { 'content-length': _, ...headers } = response.headers
  return { ...response, headers, body: JSON.stringify({ ...document, data: change(document.data) }) }
}

/** A response that the relay makes itself. */
export const respond = (status: number, message: string): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ message }),
})

/** A call that never ends, not even by its deadline, as if the process was killed. */
export const never = (): Promise<never> => new Promise(() => {})

/** Replaces values that differ between runs by fixed values of the same width. */
export const scrub = (text: string): string =>
  text
    // Only the sandbox prints this hint.
    .replace('"fix":"orderctl sandbox",', '')
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
    .replace(/("profile": "|"origin": ")(?:sandbox:?|environment|http:[^"]*)"/g, '$1account"')
    .replace(/("user": ")(?:tester|root)(",\s+"host": ")[^"]*"/g, '$1user$2host"')
    .replace(/^Using the (sandbox: no real money|environment: http:\S+)$/gm, 'where it acts')

/** The exit code and both scrubbed streams. */
const scrubbed = ({ exit, stdout, stderr }: Ran): Ran => ({
  exit,
  stdout: scrub(stdout),
  stderr: scrub(stderr),
})
