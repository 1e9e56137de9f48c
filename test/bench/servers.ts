// The servers, each in a process of its own: the built executable, and the echo.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import catalogue from '../../src/service/catalogue.json' with { type: 'json' }

export type Server = {
  readonly port: number
  /** What it has written so far. */
  readonly log: () => string
  /** Resident memory, in bytes. */
  readonly memory: () => number
  /** What it has open; not a number where there is no /proc. */
  readonly handles: () => number
  /** Its processor time so far, in milliseconds; not a number where there is no /proc. */
  readonly cpuMs: () => number
  readonly stop: () => Promise<void>
}

export const folder = mkdtempSync(path.join(tmpdir(), 'orderctl-bench-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => process.exit(1))

export const executable = fileURLToPath(import.meta.resolve('../../bin/orderctl.cjs'))
const echo = fileURLToPath(import.meta.resolve('./echo.ts'))

// The built-in wallets are empty after some ten thousand orders.
const richCatalogue = path.join(folder, 'catalogue.json')
writeFileSync(
  richCatalogue,
  JSON.stringify({ ...catalogue, wallets: [{ currency: 'USD', balance: 100_000_000_000 }] }),
)

const processingMs = 100

export const startService = (...flags: string[]): Promise<Server> =>
  start([
    executable,
    'serve-mock',
    '--port=0',
    `--processing-time=${processingMs}ms`,
    `--catalogue=${richCatalogue}`,
    ...flags,
  ])

/** Until all outcomes are booked: they would go on in the other's round. */
export const settled = (): Promise<void> => sleep(4 * processingMs)

export const startEcho = (sizes: Readonly<Record<string, number>>): Promise<Server> =>
  start([echo, JSON.stringify(sizes)])

let started = 0

const start = async (words: readonly string[]): Promise<Server> => {
  started += 1
  // As someone would keep a log; a pipe would cost the load's process the reading.
  const log = path.join(folder, `${started}.log`)
  const output = openSync(log, 'w')
  const child = spawn(process.execPath, words, { stdio: ['ignore', output, 'inherit'] })
  closeSync(output)
  const exit = once(child, 'exit')
  const kill = () => void child.kill()
  process.once('exit', kill)
  let port: string | undefined
  while (port === undefined) {
    if (child.exitCode !== null) throw new Error(`${words[0]} ended before it listened`)
    await sleep(5)
    port = /http:\/\/127\.0\.0\.1:(\d+)/.exec(readFileSync(log, 'utf8'))?.[1]
  }
  return {
    port: Number(port),
    log: () => readFileSync(log, 'utf8'),
    memory: () => memoryOf(child.pid),
    handles: () => handlesOf(child.pid),
    cpuMs: () => cpuMs(child.pid),
    stop: async () => {
      child.kill('SIGTERM')
      await exit
      process.off('exit', kill)
      rmSync(log)
    },
  }
}

/** Resident memory, in bytes. */
export const memoryOf = (pid: number | undefined): number =>
  Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) * 1024

export const handlesOf = (pid: number | undefined): number =>
  existsSync('/proc/self/fd') ? readdirSync(`/proc/${pid}/fd`).length : Number.NaN

// Behind the name in brackets: user and system time are the 12th and the 13th, in hundredths of a second.
const cpuMs = (pid: number | undefined): number => readCpuMs(pid, 11)

/** The processor time of the children of this process that have ended, in milliseconds. */
export const childrenCpuMs = (pid: number): number => readCpuMs(pid, 13)

const readCpuMs = (pid: number | undefined, first: number): number => {
  if (!existsSync('/proc/self/stat')) return Number.NaN
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[first]) + Number(fields[first + 1])) * 10
}

/** The bytes of a state file, with all that SQLite keeps beside it. */
export const fileBytes = (file: string): number =>
  ['', '-wal', '-shm'].reduce(
    (sum, end) => sum + (statSync(file + end, { throwIfNoEntry: false })?.size ?? 0),
    0,
  )
