// The one writer: what goes to stdout and stderr goes through here, and whether it arrived is known.
import { fstatSync, type Stats, statSync, writeSync } from 'node:fs'
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
  /** Written to as it is, for as long as it holds this many bytes: Node's stream of it takes 3 ms to make. */
  readonly direct?: { readonly fd: number; readonly bytes: number }
  readonly stream: () => Stream
}

// What a pipe holds. Past it, a write would wait for its reader, and hold up all else, Ctrl-C too.
const pipeBytes = 16 * 1024

const statsOf = (read: () => Stats): Stats | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}

const bytesOf = (stats: Stats, platform: string): number | undefined => {
  if (stats.isFile()) return Number.POSITIVE_INFINITY
  // How Windows has its pipes and terminals, Node's stream knows.
  if (platform === 'win32') return undefined
  if (!stats.isCharacterDevice()) return pipeBytes
  return stats.rdev === statsOf(() => statSync('/dev/null'))?.rdev ? Number.POSITIVE_INFINITY : undefined
}

export const targetOf = (fd: number, stream: () => Stream, platform: string): Target => {
  const stats = statsOf(() => fstatSync(fd))
  const bytes = stats && bytesOf(stats, platform)
  return bytes === undefined
    ? { isTerminal: stream().isTTY === true, stream }
    : { isTerminal: false, direct: { fd, bytes }, stream }
}

// Where nobody says, as in a pipe or a file: what most windows have.
const usualWidth = 80

type Sink = Pick<Writer, 'offer' | 'flushed' | 'broken'> & { write(text: string | Uint8Array): void }

// Node's own stream for a file takes a short write for a whole one: on a full disk the end would be missing.
const toDescriptor = ({ fd, bytes }: { fd: number; bytes: number }, stream: () => Stream): Sink => {
  const broken = new AbortController()
  let room = bytes
  let further: Sink | undefined
  const sink: Sink = {
    write: (text) => {
      if (broken.signal.aborted) return
      let left: Uint8Array = Buffer.from(text)
      room -= left.length
      try {
        while (left.length > 0 && room >= 0) {
          const taken = writeSync(fd, left)
          if (taken === 0) throw new Error('the file takes no more')
          left = left.subarray(taken)
        }
      } catch (error) {
        // A pipe that does not wait, as whoever shares it may have made it, and that is full.
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return broken.abort(error)
        room = -1
      }
      if (room >= 0) return
      further ??= toStream(stream(), broken)
      further.write(left)
    },
    offer: (offered) => {
      if (broken.signal.aborted || bytes === Number.POSITIVE_INFINITY) {
        if (!broken.signal.aborted) sink.write(offered)
        return offered.length
      }
      // Node's stream makes the pipe one that does not wait.
      if (stream().writableLength > 0) return 0
      try {
        return writeSync(fd, offered)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 0
        broken.abort(error)
        return offered.length
      }
    },
    flushed: async () => (further === undefined ? broken.signal.throwIfAborted() : further.flushed()),
    broken: broken.signal,
  }
  return sink
}

const toStream = (stream: Writable, broken = new AbortController()): Sink => {
  // A listener must stand before the first write: an EPIPE without one ends the process with a stack trace.
  stream.on('error', (error) => broken.abort(error))
  return {
    write: (text) => {
      if (!broken.signal.aborted) stream.write(text)
    },
    offer: (bytes) => {
      if (stream.writableLength > 0 && !broken.signal.aborted) return 0
      if (!broken.signal.aborted) stream.write(bytes)
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
  { direct, isTerminal, stream }: Target,
  colour: boolean,
  columns: number | undefined,
): Writer => {
  const sink = direct === undefined ? toStream(stream()) : toDescriptor(direct, stream)
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
