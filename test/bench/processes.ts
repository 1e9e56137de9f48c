// The processes that benchmarks measure: commands that end, and servers.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import { Pool } from 'undici'
import catalogue from '../../src/service/catalogue.json' with { type: 'json' }
import { waitUntil } from '../support/wait-until.ts'

/** A program and its arguments. */
export type Command = { readonly words: readonly string[]; readonly env: NodeJS.ProcessEnv }

export const orderctl = [process.execPath, path.resolve('bin/orderctl.cjs')]
/** Node with an empty file. */
export const bareNode = [process.execPath, '/dev/null']

/** The environment of a user with this home folder, which is also the folder of the journal. */
export const createHome = (home: string, more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => {
  mkdirSync(home, { recursive: true, mode: 0o700 })
  return { PATH: process.env.PATH, HOME: home, ORDERCTL_STATE_DIR: home, CI: 'true', ...more }
}

/** The variables that select a serve-mock. */
export const accountAt = (origin: string) => ({ ORDERCTL_BASE_URL: origin, ORDERCTL_API_KEY: 'sandbox' })

/** Runs a command, and returns what it printed. */
export const run = ({ words: [program = '', ...rest], env }: Command): string =>
  execFileSync(program, rest, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

/** Returns milliseconds. */
export const time = ({ words: [program = '', ...rest], env }: Command): number => {
  const start = performance.now()
  const { status, stderr } = spawnSync(program, rest, {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ms = performance.now() - start
  if (status !== 0) throw new Error(`${[program, ...rest].join(' ')} ended with ${status}: ${stderr}`)
  return ms
}

export type Usage = { readonly ms: number; readonly cpuMs: number; readonly megabytes: number }

/** Measures a command whose program is Node: its time, its processor time and its peak memory. */
export const measureUsage = ({ words: [node = '', ...rest], env }: Command): Usage => {
  const file = path.join(env.HOME ?? '', 'usage.json')
  const hook = path.resolve('test/bench/usage-hook.cjs')
  const ms = time({ words: [node, '--require', hook, ...rest], env: { ...env, BENCH_USAGE: file } })
  const { userCPUTime, systemCPUTime, maxRSS } = JSON.parse(readFileSync(file, 'utf8'))
  return { ms, cpuMs: (userCPUTime + systemCPUTime) / 1000, megabytes: maxRSS / 1024 }
}

let started = 0

/** Starts a server that prints its URL. */
const startServer = async ({ words: [program = '', ...rest], env }: Command) => {
  started += 1
  // A pipe would cost this process the reading.
  const log = path.join(env.HOME ?? '', `server-${started}.log`)
  const output = openSync(log, 'w')
  const child = spawn(program, rest, { env, stdio: ['ignore', output, 'inherit'] })
  closeSync(output)
  const exit = once(child, 'exit')
  const kill = () => void child.kill()
  process.once('exit', kill)
  const findPort = () => /http:\/\/127\.0\.0\.1:(\d+)/.exec(readFileSync(log, 'utf8'))?.[1]
  await waitUntil(() => findPort() !== undefined || child.exitCode !== null)
  const port = findPort()
  if (port === undefined) throw new Error(`${rest.join(' ')} ended before it listened`)
  return {
    origin: `http://127.0.0.1:${port}`,
    port: Number(port),
    log: (): string => readFileSync(log, 'utf8'),
    /** The processor time so far. */
    cpuMs: (): number => readCpuMs(child.pid ?? 0),
    [Symbol.asyncDispose]: async (): Promise<void> => {
      child.kill('SIGTERM')
      await exit
      process.off('exit', kill)
    },
  }
}

export type Server = Awaited<ReturnType<typeof startServer>>

/** The default wallets are empty after some ten thousand orders. */
const wallets = [{ currency: 'USD', balance: 100_000_000_000 }]

export const processingMs = 100

/** Starts the serve-mock of a build in this home folder. */
export const startServiceOf = (
  program: readonly string[],
  home: string,
  ...flags: string[]
): Promise<Server> => {
  const env = createHome(home)
  const file = path.join(home, 'catalogue.json')
  writeFileSync(file, JSON.stringify({ ...catalogue, wallets }))
  const words = ['serve-mock', '--port=0', `--processing-time=${processingMs}ms`, `--catalogue=${file}`]
  return startServer({ words: [...program, ...words, '--json', ...flags], env })
}

export const startService = (home: string, ...flags: string[]): Promise<Server> =>
  startServiceOf(orderctl, home, ...flags)

/** How many requests of a client are in progress at once. */
export const parallel = 16

/** Calls a service without orderctl. */
export const openClient = (origin: string) => {
  const pool = new Pool(origin, { connections: parallel })
  const headers = { authorization: 'Bearer sandbox', 'content-type': 'application/json' }
  return {
    call: async (method: string, target: string, content?: object) => {
      const body = content === undefined ? null : JSON.stringify(content)
      const response = await pool.request({ method, path: target, headers, body })
      const text = await response.body.text()
      if (response.statusCode !== 200) throw new Error(`${method} ${target}: ${text}`)
      return (JSON.parse(text) as { data: { id: string; state: string } }).data
    },
    /** Calls `send` with each number below `count`, and closes the connections. */
    sendAll: async (count: number, send: (index: number) => Promise<unknown>): Promise<void> => {
      const indexes = Array(count).keys()
      const work = async (): Promise<void> => {
        for (const index of indexes) await send(index)
      }
      await Promise.all(Array.from({ length: parallel }, work))
      await pool.close()
    },
  }
}

/** Precise to the nanosecond: the first number of each thread. Only Linux has these files. */
const readCpuMs = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`)
    .map(
      (thread) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e6,
    )
    .reduce((sum, each) => sum + each, 0)

/** The processor time of the children of a process that have ended: two fields, in hundredths of a second. */
export const readChildrenCpuMs = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[13]) + Number(fields[14])) * 10
}
