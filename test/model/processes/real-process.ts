// The built executable as a real process, and a real socket in front of the simulated network.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { findOperation } from '../../../src/contract/endpoints.ts'
import { type Carried, endCall } from '../calls.ts'
import type { Kill } from '../histories/steps.ts'
import { epoch } from '../service.ts'
import type { Real } from '../world.ts'
import { type Launch, type Machine, newProcess, type Process } from './process.ts'
import { type RealTime, realTime, scale } from './real-time.ts'
import type { ProcessClock } from './scaled-clock.ts'

const preloads = ['../../crash/preload.ts', 'scaled-clock.ts'].flatMap((file) => [
  '--import',
  new URL(file, import.meta.url).href,
])
const cache = path.resolve('node_modules/.cache')

/** Until the program itself begins. */
const startUpMs = 60

type Live = {
  readonly machine: Machine
  readonly process: Process
  readonly kill: Kill | undefined
  die(): void
}

/** As `support/crash/preload.ts` names the step. */
const crashAt = (kill: Kill | undefined): Record<string, string> => {
  const [, side, nth] =
    /^(before|after) write (\d+)$/.exec(kill !== undefined && 'at' in kill ? kill.at : '') ?? []
  return side === undefined ? {} : { CRASH_AT: `sqlite: COMMIT #${nth} ${side}` }
}

const environmentOf = ({ home, clock }: Machine, { id, environment, kill }: Launch, time: RealTime) => ({
  ...{ PATH: process.env.PATH, HOME: home, TZ: 'UTC', ...environment, ...crashAt(kill) },
  ORDERCTL_STATE_DIR: path.join(home, '.local/state/orderctl'),
  ...{ XDG_CACHE_HOME: cache, NODE_COMPILE_CACHE: path.join(cache, 'compile') },
  MODEL_CLOCK: JSON.stringify({ id, epoch, scale, ...time.start(), ...clock } satisfies ProcessClock),
})

const answerWith = (answer: ServerResponse, carried: Carried): void => {
  if (carried.kind === 'reset') {
    answer.socket?.resetAndDestroy()
    return
  }
  const { status, headers, body } = carried.response
  const bytes = Buffer.from(body)
  answer.sendDate = false
  answer.writeHead(status, {
    ...headers,
    'content-length': bytes.length + (carried.kind === 'cut' ? 100 : 0),
  })
  answer.write(bytes)
  if (carried.kind === 'cut') setImmediate(() => answer.socket?.resetAndDestroy())
  else answer.end()
}

const serve = async (live: Live, asked: IncomingMessage, answer: ServerResponse): Promise<void> => {
  const { machine, process: asker, kill } = live
  const { time, network } = machine
  const { method = '', url = '' } = asked
  const body = Buffer.concat(await asked.toArray())
  const operation = findOperation(method, url)
  const diesAt = (step: string): boolean => {
    const isHere = kill !== undefined && 'at' in kill && kill.at === `${step} ${operation}`
    if (isHere) live.die()
    return isHere
  }
  if (operation === undefined || diesAt('before')) return
  if (network.isRefused(asker, operation)) {
    // The connection is there already: it breaks before the request goes anywhere.
    asker.sent.push({ operation, at: time.now(), orderId: undefined, got: 'reset' })
    answer.socket?.resetAndDestroy()
    return
  }
  const headers = { 'content-type': 'application/json' }
  const { sent, carried } = network.carry(asker, { method, path: url, headers, body })
  answer.once('close', () => endCall(sent, 'given up', time.now()))
  if (diesAt('after')) return
  const what = await carried
  if (diesAt('answer') || answer.destroyed) return
  endCall(sent, what, time.now())
  answerWith(answer, what)
}

/** What is known of a process that was killed is less than it may have written. */
const noteEnd = ({ machine, process: ended }: Live, code: number | null): void => {
  const isKilled = code === null
  for (const { created, isConfirmed, orderId = '' } of ended.sent) {
    if (created !== undefined && !isKilled) ended.recorded.add(created)
    if (isConfirmed !== true) continue
    ended.knowsConfirmed.add(orderId)
    if (!isKilled) machine.network.noteKnown(orderId)
  }
  Object.assign(ended, { isKilled, endedAt: machine.time.now(), wallMs: machine.clock.wallMs })
  if (code !== null) ended.exit = code
}

/** One listener for many histories, one after the other. */
export const openReal = async () => {
  const all = new Map<string, Live>()
  let time = realTime()
  const server = createServer((asked, answer) => {
    const live = all.get(String(asked.headers['x-model-process']))
    if (live === undefined) asked.socket.destroy()
    else void serve(live, asked, answer).catch(() => asked.socket.destroy())
  })
  server.listen(0, '::')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  const launch: Real['launch'] = (machine, given) => {
    const { id, words, input = '', kill } = given
    const env = environmentOf(machine, given, time)
    const child = spawn(process.execPath, [...preloads, 'bin/orderctl.cjs', ...words], { env })
    const started = newProcess(given)
    started.isOver = () => started.endedAt !== undefined
    const live: Live = { machine, process: started, kill, die: () => child.kill('SIGKILL') }
    all.set(`${id}`, live)
    child.stdin.on('error', () => {}).end(input)
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text) => {
        started[name] += text
      })
    }
    if (kill !== undefined && 'afterMs' in kill)
      setTimeout(live.die, startUpMs + kill.afterMs / scale).unref()
    child.once('close', (code) => noteEnd(live, code))
    return started
  }
  return {
    /** For one history. */
    begin: (): Real => {
      all.clear()
      time = realTime()
      return { time, port, launch }
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}
