// A relay between orderctl and the service. It counts bytes and calls `kill` at a chosen byte.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Operation } from '../../src/contract/refusals.ts'
import { findOperation } from '../../src/contract/transport.ts'

/** The position of a cut: a number of bytes of one part of one call. */
export type Cut = {
  readonly operation: Operation
  readonly part: 'request' | 'response'
  readonly byte: number
}

export type Passed = {
  readonly operation: Operation
  request: number
  response: number
}

type RelayOptions = {
  readonly port: number
  /** Called when a request begins, before any byte of it is forwarded. */
  readonly onBegin: (operation: Operation) => void
}

const probe = 'probe '

export const openRelay = async ({ port, onBegin }: RelayOptions) => {
  const passed: Passed[] = []
  const open = new Set<Promise<unknown>>()
  let cut: (Cut & { readonly kill: () => void }) | undefined
  const probes = new Map<string, () => void>()

  /** Returns the bytes to forward, and the kill if the cut is among them. */
  const upTo = (call: Passed, part: Cut['part'], chunk: Buffer): { goOn: Buffer; kill?: () => void } => {
    const before = call[part]
    call[part] += chunk.length
    if (cut === undefined || cut.operation !== call.operation || cut.part !== part) return { goOn: chunk }
    if (call[part] < cut.byte) return { goOn: chunk }
    const { kill, byte } = cut
    cut = undefined
    return { goOn: chunk.subarray(0, byte - before), kill }
  }

  // The service checks the port in the Host header. Both ports have five digits, so byte counts stay.
  const asIfStraight = (bytes: Buffer): Buffer =>
    Buffer.from(bytes.toString('latin1').replace(`127.0.0.1:${own}`, `127.0.0.1:${port}`), 'latin1')

  const serve = (down: Socket): void => {
    const up = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    let call: Passed | undefined
    let isCut = false
    down.on('data', (chunk: Buffer) => {
      if (isCut) return
      const text = chunk.toString('latin1')
      if (text.startsWith(probe)) return probes.get(text)?.()
      const [, method = '', path = ''] = /^([A-Z]+) (\S+) /.exec(text) ?? []
      const operation = findOperation(method, path)
      if (operation !== undefined) {
        call = { operation, request: 0, response: 0 }
        passed.push(call)
        onBegin(operation)
      }
      if (call === undefined) throw new Error(`no request begins like this: ${text}`)
      const { goOn, kill } = upTo(call, 'request', chunk)
      up.write(asIfStraight(goOn))
      if (kill === undefined) return
      isCut = true
      kill()
    })
    up.on('data', (chunk: Buffer) => {
      if (call === undefined || isCut) return
      const { goOn, kill } = upTo(call, 'response', chunk)
      if (kill === undefined) return void down.write(goOn)
      isCut = true
      down.write(goOn, kill)
    })
    down.on('error', () => {}).on('close', () => up.end())
    up.on('error', () => {}).on('close', () => down.destroy())
    const closed = Promise.all([once(down, 'close'), once(up, 'close')]).catch(() => {})
    open.add(closed)
    void closed.then(() => open.delete(closed))
  }

  const server = createServer((socket) => serve(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const own = (server.address() as AddressInfo).port
  return {
    origin: `http://127.0.0.1:${own}`,
    passed,
    cutAt: (given: Cut, kill: () => void): void => {
      cut = { ...given, kill }
    },
    /** Resolves when all connections are closed and the service has finished all requests. */
    quiet: async (): Promise<void> => {
      const name = `${probe}${probes.size}`
      const socket = connect(own, '127.0.0.1', () => socket.write(name))
      await new Promise<void>((resolve) => probes.set(name, resolve))
      socket.destroy()
      while (open.size > 0) await Promise.all(open)
    },
    close: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  }
}
