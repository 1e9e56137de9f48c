// The one writer: what goes to stdout and stderr goes through here, and whether it arrived is known.
import { constants, fstatSync, openSync, type Stats, statSync, writeSync } from 'node:fs'
import type { Writable } from 'node:stream'

/** One of the two output streams. */
export type Writer = {
  write(text: string): void
  /** For what may be left out: writes as much as is taken at once; how many bytes that was. */
  offer(bytes: Uint8Array): number
  /** Called once, before what is written next: what is drawn for a while is taken away by it. */
  beforeNext(takeAway: (() => void) | undefined): void
  /** Resolves once all that was written has left; rejects where it could not. */
  flushed(): Promise<void>
  /** Aborts when nobody can read any more. */
  readonly broken: AbortSignal
  readonly isTerminal: boolean
  readonly colour: boolean
  /** In columns. */
  readonly width: number
}

type Stream = Writable & { readonly isTTY?: boolean; readonly columns?: number }

/** Where a writer writes to. */
export type Target = {
  readonly isTerminal: boolean
  /** Written to as it is: Node's stream of it takes 3 ms to make. Where that is full, the stream waits for the rest. */
  readonly direct?: number
  /** What its stream writes to: does not wait either, once that is made. */
  readonly behind?: number
  readonly stream: () => Stream
}

const tried = <Value>(work: () => Value): Value | undefined => {
  try {
    return work()
  } catch {
    return undefined
  }
}

/** One that a write never waits at: it would hold up all else, Ctrl-C too. Undefined where Node's stream is needed. */
const directly = (fd: number, stats: Stats, platform: string): number | undefined => {
  if (stats.isFile()) return fd
  // How Windows has its pipes and terminals, Node's stream knows.
  if (platform === 'win32') return undefined
  if (stats.isCharacterDevice())
    return stats.rdev === tried(() => statSync('/dev/null'))?.rdev ? fd : undefined
  // A pipe is shared, and may be full of what others wrote. Opened once more, for us alone it does not wait.
  return platform === 'linux' && stats.isFIFO()
    ? tried(() => openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK))
    : undefined
}

export const targetOf = (fd: number, stream: () => Stream, platform: string): Target => {
  const stats = tried(() => fstatSync(fd))
  const direct = stats && directly(fd, stats, platform)
  if (direct !== undefined) return { isTerminal: false, direct, stream }
  const isShared = platform !== 'win32' && (stats?.isFIFO() || stats?.isSocket())
  return { isTerminal: stream().isTTY === true, ...(isShared ? { behind: fd } : {}), stream }
}

// Where nobody says, as in a pipe or a file: what most windows have.
const usualWidth = 80

type Sink = Pick<Writer, 'offer' | 'flushed' | 'broken'> & { write(text: string | Uint8Array): void }

/** As many bytes as are taken at once; all of them where nobody takes any more. */
const writtenTo = (fd: number, bytes: Uint8Array, broken: AbortController): number => {
  let count = 0
  try {
    while (count < bytes.length) {
      const more = writeSync(fd, bytes, count)
      if (more === 0) throw new Error('the file takes no more')
      count += more
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return count
    broken.abort(error)
  }
  return bytes.length
}

// Node's own stream for a file takes a short write for a whole one: on a full disk the end would be missing.
const toDescriptor = (fd: number, stream: () => Stream): Sink => {
  const broken = new AbortController()
  let further: Sink | undefined
  return {
    write: (text) => {
      if (broken.signal.aborted) return
      const bytes = Buffer.from(text)
      const count = further === undefined ? writtenTo(fd, bytes, broken) : 0
      if (count === bytes.length) return
      further ??= toStream(stream(), broken)
      further.write(bytes.subarray(count))
    },
    offer: (bytes) => {
      if (broken.signal.aborted) return bytes.length
      return further === undefined ? writtenTo(fd, bytes, broken) : further.offer(bytes)
    },
    flushed: async () => (further === undefined ? broken.signal.throwIfAborted() : further.flushed()),
    broken: broken.signal,
  }
}

const toStream = (stream: Writable, broken = new AbortController(), behind?: number): Sink => {
  // A listener must stand before the first write: an EPIPE without one ends the process with a stack trace.
  stream.on('error', (error) => broken.abort(error))
  return {
    write: (text) => {
      if (!broken.signal.aborted) stream.write(text)
    },
    offer: (bytes) => {
      if (broken.signal.aborted) return bytes.length
      if (stream.writableLength > 0) return 0
      // What the stream takes it keeps, and the process stays for it.
      if (behind !== undefined) return writtenTo(behind, bytes, broken)
      stream.write(bytes)
      return bytes.length
    },
    flushed: () =>
      new Promise((resolve, reject) => {
        if (broken.signal.aborted) reject(broken.signal.reason)
        else stream.write('', (error) => (error ? reject(error) : resolve()))
      }),
    broken: broken.signal,
  }
}

export const createOutput = (
  { direct, behind, isTerminal, stream }: Target,
  colour: boolean,
  columns: number | undefined,
): Writer => {
  const sink = direct === undefined ? toStream(stream(), undefined, behind) : toDescriptor(direct, stream)
  let takeAway: (() => void) | undefined
  return {
    ...sink,
    write: (text) => {
      const first = takeAway
      takeAway = undefined
      first?.()
      sink.write(text)
    },
    beforeNext: (given) => {
      takeAway = given
    },
    isTerminal,
    colour,
    get width() {
      return columns ?? ((isTerminal && stream().columns) || usualWidth)
    },
  }
}

type Surroundings = Readonly<Record<string, string | undefined>>

/** NO_COLOR and FORCE_COLOR as their sites define them; a terminal that is dumb has no colour. */
export const wantsColour = (isTerminal: boolean, environment: Surroundings, refused: boolean): boolean => {
  if (refused) return false
  const forced = environment.FORCE_COLOR
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false'
  if (environment.NO_COLOR !== undefined && environment.NO_COLOR !== '') return false
  return isTerminal && environment.TERM !== 'dumb'
}
