// The load: keep-alive connections over bare sockets, one request under way on each. Against autocannon it
// does twice the requests a core, and it can tell what to ask next from what was answered.
import { connect, type Socket } from 'node:net'
import { createHistogram, performance, type RecordableHistogram } from 'node:perf_hooks'

/** What one connection does: it gives requests, and is given the body of each answer. */
export type Work = () => Generator<string, void, string>

export type Load = {
  readonly requests: number
  readonly perSecond: number
  /** In microseconds. */
  readonly latency: RecordableHistogram
  /** How much of the time the load itself was at work: near 1, it measures itself. */
  readonly busy: number
}

export type LoadOptions = { readonly port: number; readonly work: Work; readonly ms: number }

const connections = 16

export const runLoad = async ({ port, work, ms }: LoadOptions): Promise<Load> => {
  const latency = createHistogram()
  let requests = 0
  let last = 0
  const starts = await Promise.all(
    Array.from({ length: connections }, () =>
      open(port, work(), (began, now) => {
        latency.record(Math.max(1, Math.round((now - began) * 1000)))
        requests += 1
        last = now
        return now < end
      }),
    ),
  )
  const before = performance.eventLoopUtilization()
  const start = performance.now()
  const end = start + ms
  await Promise.all(starts.map((begin) => begin()))
  const busy = performance.eventLoopUtilization(before).utilization
  return { requests, perSecond: requests / ((last - start) / 1000), latency, busy }
}

type Answered = (began: number, now: number) => boolean

// Connected at once; the first request leaves when the function that it gives is called.
const open = (port: number, work: ReturnType<Work>, answered: Answered): Promise<() => Promise<void>> =>
  new Promise((resolve, reject) => {
    const ended = Promise.withResolvers<void>()
    let pending = ''
    let began = 0
    let over = false
    const fail = (error: Error): void => {
      reject(error)
      ended.reject(error)
    }
    const send = ({ value, done }: IteratorResult<string, void>): void => {
      if (value === undefined || done === true) {
        over = true
        socket.end()
        ended.resolve()
        return
      }
      began = performance.now()
      socket.write(value, 'latin1')
    }
    const take = (size: number, buffer: Uint8Array): boolean => {
      pending += (buffer as Buffer).toString('latin1', 0, size)
      const body = bodyOf(pending)
      if (body instanceof Error) {
        socket.destroy(body)
        return false
      }
      if (body !== undefined) {
        pending = ''
        const goesOn = answered(began, performance.now())
        const next = work.next(body)
        send(goesOn ? next : { value: undefined, done: true })
      }
      return true
    }
    const socket: Socket = connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      onread: { buffer: Buffer.allocUnsafe(64 * 1024), callback: take },
    })
    socket.on('error', fail)
    socket.on('close', () => over || fail(new Error('the server closed the connection')))
    socket.once('connect', () =>
      resolve(() => {
        send(work.next())
        return ended.promise
      }),
    )
  })

/** Undefined until it is whole. */
const bodyOf = (answer: string): string | Error | undefined => {
  const head = answer.indexOf('\r\n\r\n')
  if (head === -1) return undefined
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(answer)?.[1])
  if (answer.length < head + 4 + length) return undefined
  if (answer.startsWith('HTTP/1.1 200 ') && answer.length === head + 4 + length) return answer.slice(head + 4)
  return new Error(`not the answer that was asked for: ${answer}`)
}
