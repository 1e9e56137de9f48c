// One orderctl in this thread. It can be killed at any step and does nothing after that.
import { findOperation, type HttpRequest, type HttpResponse } from '../../../src/contract/transport.ts'
import { endCall, type Sender } from '../calls.ts'
import type { Fault, Kill } from '../histories/steps.ts'
import { asHolder, type Holder, release } from './cut-off.ts'
import type { Network } from './network.ts'
import { contextOf } from './process-context.ts'
import type { Product } from './product.ts'
import type { Time } from './time.ts'

export type Machine = {
  readonly time: Time
  readonly network: Network
  readonly product: Product
  /** How far the wall clock is off, and for how long the machine slept. */
  readonly clock: { wallMs: number; sleptMs: number }
  readonly home: string
  readonly number: number
}

export type Launch = {
  readonly id: number
  readonly words: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly input?: string | undefined
  /** Whether stderr is a terminal. */
  readonly isOnTerminal?: boolean
  readonly faults: readonly Fault[]
  readonly kill?: Kill | undefined
}

export type Process = Sender & {
  /** Killed, or ended by itself. */
  isOver(): boolean
  stop(): void
  isKilled: boolean
  exit?: number
  endedAt?: number
  /** How far the wall clock was off at its end. */
  wallMs: number
  stdout: string
  stderr: string
  /** Orders in responses to create that were followed by a write: the journal has them. */
  readonly recorded: Set<string>
  /** Orders in responses that called them confirmed, alike. */
  readonly knowsConfirmed: Set<string>
}

const forEver = new Promise<never>(() => {})

export const launch = (machine: Machine, given: Launch): Process => {
  const { time, network, product, clock } = machine
  const { id, words, faults, kill } = given
  const process: Process = {
    ...{ id, machine: machine.number, faults, sent: [], isKilled: false, wallMs: 0, stdout: '', stderr: '' },
    ...{ recorded: new Set(), knowsConfirmed: new Set(), isOver: () => process.endedAt !== undefined },
    stop: () => die(),
  }
  let writes = 0

  const end = (how: Partial<Process>): void => {
    time.noteActivity()
    if (!process.isOver()) Object.assign(process, how, { endedAt: time.now(), wallMs: clock.wallMs })
  }
  const die = (): void => {
    end({ isKilled: true })
    release(holder)
  }
  /** Whether the process is killed here, or was before. */
  const diesAt = (step: string): boolean => {
    if (kill !== undefined && 'at' in kill && kill.at === step) die()
    return process.isKilled
  }
  /** The content of a response is on disk now. */
  const noteWritten = (): void => {
    for (const { created, isConfirmed, order } of process.sent) {
      if (created !== undefined) process.recorded.add(created)
      if (isConfirmed !== true || order === undefined) continue
      process.knowsConfirmed.add(order.id)
      if (!order.knownAt.has(machine.number)) order.knownAt.set(machine.number, time.now())
    }
  }
  const holder: Holder = {
    databases: new Set(),
    isDead: () => process.isKilled,
    onWrite: (side) => {
      time.noteActivity()
      if (side === 'before') writes += 1
      else noteWritten()
      diesAt(`${side} write ${writes}`)
    },
  }

  const sleep = (ms: number, signal?: AbortSignal): Promise<void> => {
    time.noteActivity()
    if (process.isKilled) return forEver
    if (signal?.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const wake = (): void => {
        cancel()
        if (!process.isKilled) resolve()
      }
      const cancel = time.after(ms, wake, 'timer')
      signal?.addEventListener('abort', wake, { once: true })
    })
  }

  const send = (request: HttpRequest): Promise<HttpResponse> => {
    time.noteActivity()
    const { method, path, signal } = request
    const operation = findOperation(method, path)
    const nth = process.sent.filter((each) => each.operation === operation).length + 1
    const diesBeside = (side: string): boolean =>
      diesAt(`${side} ${operation}`) || diesAt(`${side} ${operation} ${nth}`)
    if (diesBeside('before') || operation === undefined) return forEver
    if (signal?.aborted || network.isRefused(process, operation)) {
      process.sent.push({ operation, at: time.now(), orderId: undefined, got: 'refused' })
      return Promise.reject(new product.NotSentError('connection refused'))
    }
    return new Promise((resolve, reject) => {
      const { sent, carried } = network.carry(process, request)
      const giveUp = (): void => {
        endCall(sent, 'given up', time.now())
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', giveUp, { once: true })
      void carried.then((what) => {
        time.noteActivity()
        if (diesBeside('response')) return
        endCall(sent, what, time.now())
        if (what.kind === 'cut') reject(new product.CutOffError('the connection closed', what.response))
        else if (what.kind === 'reset') reject(new Error('connection reset'))
        else resolve(what.response)
      })
      diesBeside('after')
    })
  }

  if (kill !== undefined && 'afterMs' in kill) time.after(kill.afterMs, die)
  const context = contextOf(machine, { given, process, sleep, send })
  void asHolder(holder, () => product.run(context, words)).then((exit) => {
    if (process.isKilled) return
    noteWritten()
    end({ exit })
  })
  return process
}
