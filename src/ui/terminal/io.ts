// Writers for stdout and stderr, which report whether their output was delivered.
import { constants, fstatSync, openSync, type Stats, statSync, writeSync } from 'node:fs'
import type { Writable } from 'node:stream'

export type Writer = {
  write(text: string): void
  /** Writes as much as the reader accepts without waiting, and returns the number of bytes. */
  offer(bytes: Uint8Array): number
  /** Called once before the next write, to erase lines that were drawn temporarily. */
  beforeNext(erase: (() => void) | undefined): void
  /** Resolves when everything was written; rejects if something was lost. */
  flushed(): Promise<void>
  /** Aborted when the reader is gone. */
  readonly broken: AbortSignal
  readonly isTerminal: boolean
  readonly colour: boolean
  /** In columns. */
  readonly width: number
  /** In rows. */
  readonly height: number
  /** With -q: takes no notes, only warnings, errors and what a prompt is about. */
  isQuiet: boolean
  /** With --json: the warnings so far, for the result or the error. Otherwise undefined, and `warn` prints them. */
  warnings: string[] | undefined
  /** Expects safe text, without 'warning:'. */
  warn(text: string): void
}

type Stream = Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number }

export type OutputTarget = {
  readonly isTerminal: boolean
  /** A descriptor to write to without Node's stream, which takes 3 ms to create. Its stream takes over if it is full. */
  readonly direct?: number
  /** The descriptor behind the stream. It is non-blocking once the stream exists. */
  readonly behind?: number
  readonly stream: () => Stream
}

const attempt = <Value>(work: () => Value): Value | undefined => {
  try {
    return work()
  } catch {
    return undefined
  }
}

/** A descriptor whose writes never block, so that a slow reader cannot delay Ctrl-C. Undefined: use Node's stream. */
const openDirect = (fd: number, stats: Stats, platform: string): number | undefined => {
  if (stats.isFile()) return fd
  // Only libuv knows how to write to pipes and consoles of Windows.
  if (platform === 'win32') return undefined
  if (stats.isCharacterDevice())
    return stats.rdev === attempt(() => statSync('/dev/null'))?.rdev ? fd : undefined
  // O_NONBLOCK belongs to the open file, which other processes share, so the pipe is opened again.
  return platform === 'linux' && stats.isFIFO()
    ? attempt(() => openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK))
    : undefined
}

export const targetOf = (fd: number, stream: () => Stream, platform: string): OutputTarget => {
  const stats = attempt(() => fstatSync(fd))
  const direct = stats && openDirect(fd, stats, platform)
  if (direct !== undefined) return { isTerminal: false, direct, stream }
  // Neither is a terminal, so the stream can wait until something is written. If Node starts
  // orderctl, stdout and stderr are sockets.
  const isShared = platform !== 'win32' && (stats?.isFIFO() || stats?.isSocket())
  return isShared
    ? { isTerminal: false, behind: fd, stream }
    : { isTerminal: stream().isTTY === true, stream }
}

const defaultWidth = 80
const defaultHeight = 24

type Sink = Pick<Writer, 'write' | 'offer' | 'flushed' | 'broken'>

/** Returns the number of bytes written before the descriptor was full, or all of them if it is broken. */
const writeBytes = (fd: number, bytes: Uint8Array, broken: AbortController): number => {
  let count = 0
  try {
    while (count < bytes.length) {
      const more = writeSync(fd, bytes, count)
      if (more === 0) throw new Error('the file accepts no more data')
      count += more
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return count
    broken.abort(error)
  }
  return bytes.length
}

// Node's file stream treats a short write as complete, so a full disk would truncate the output silently.
const createSink = ({ direct, behind, stream }: OutputTarget): Sink => {
  const broken = new AbortController()
  const { signal } = broken
  let opened: Stream | undefined
  const open = (): Stream => {
    if (opened !== undefined) return opened
    opened = stream()
    // Added before the first write: without a listener, EPIPE ends the process with a stack trace.
    opened.on('error', (error) => broken.abort(error))
    return opened
  }
  return {
    write: (text) => {
      if (signal.aborted) return
      const bytes = Buffer.from(text)
      const isDirect = direct !== undefined && opened === undefined
      const count = isDirect ? writeBytes(direct, bytes, broken) : 0
      if (count < bytes.length) open().write(bytes.subarray(count))
    },
    offer: (bytes) => {
      if (signal.aborted) return bytes.length
      if (direct !== undefined && opened === undefined) return writeBytes(direct, bytes, broken)
      if (open().writableLength > 0) return 0
      // Bytes given to the stream would keep the process alive until they are read.
      if (behind !== undefined) return writeBytes(behind, bytes, broken)
      open().write(bytes)
      return bytes.length
    },
    flushed: () =>
      new Promise((resolve, reject) => {
        if (signal.aborted) reject(signal.reason)
        else if (opened === undefined) resolve()
        else opened.write('', (error) => (error ? reject(error) : resolve()))
      }),
    broken: signal,
  }
}

export const createOutput = (target: OutputTarget, colour: boolean, columns: number | undefined): Writer => {
  const { isTerminal, stream } = target
  const sink = createSink(target)
  let erase: (() => void) | undefined
  const writer: Writer = {
    ...sink,
    write: (text) => {
      const eraseFirst = erase
      erase = undefined
      eraseFirst?.()
      sink.write(text)
    },
    beforeNext: (given) => {
      erase = given
    },
    isTerminal,
    colour,
    get width() {
      return columns ?? ((isTerminal && stream().columns) || defaultWidth)
    },
    get height() {
      return (isTerminal && stream().rows) || defaultHeight
    },
    isQuiet: false,
    warnings: undefined,
    warn: (text) => {
      if (writer.warnings === undefined) writer.write(`warning: ${text}\n`)
      else writer.warnings.push(text)
    },
  }
  return writer
}
