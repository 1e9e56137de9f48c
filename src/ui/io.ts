// The one writer: what goes to stdout and stderr goes through here, and whether it arrived is known.
import { fstatSync, writeSync } from 'node:fs'
import type { Writable } from 'node:stream'

/** One of the two output streams. */
export type Writer = {
  write(text: string): void
  /** Resolves once all that was written has left; rejects where it could not. */
  flushed(): Promise<void>
  /** Aborts when nobody can read any more. */
  readonly broken: AbortSignal
  readonly isTerminal: boolean
  readonly colour: boolean
  /** In columns. */
  readonly width: number
}

type Stream = Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly fd?: number }

// Where nobody says, as in a pipe or a file: what most windows have.
const usualWidth = 80

const isFile = (fd: number): boolean => {
  try {
    return fstatSync(fd).isFile()
  } catch {
    return false
  }
}

// Node's own stream for a file takes a short write for a whole one: on a full disk the end would be missing.
const writeWhole = (fd: number, text: string): void => {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; ) {
    const taken = writeSync(fd, bytes, at)
    if (taken === 0) throw new Error('the file takes no more')
    at += taken
  }
}

type Sink = Pick<Writer, 'write' | 'flushed' | 'broken'>

const toFile = (fd: number): Sink => {
  const broken = new AbortController()
  return {
    write: (text) => {
      if (broken.signal.aborted) return
      try {
        writeWhole(fd, text)
      } catch (error) {
        broken.abort(error)
      }
    },
    flushed: async () => broken.signal.throwIfAborted(),
    broken: broken.signal,
  }
}

const toStream = (stream: Writable): Sink => {
  const broken = new AbortController()
  // A listener must stand before the first write: an EPIPE without one ends the process with a stack trace.
  stream.on('error', (error) => broken.abort(error))
  return {
    write: (text) => {
      if (!broken.signal.aborted) stream.write(text)
    },
    flushed: () =>
      new Promise((resolve, reject) => {
        if (broken.signal.aborted) reject(broken.signal.reason)
        else stream.write('', (error) => (error ? reject(error) : resolve()))
      }),
    broken: broken.signal,
  }
}

export const createOutput = (stream: Stream, colour: boolean, columns: number | undefined): Writer => {
  const { fd } = stream
  return {
    ...(fd !== undefined && isFile(fd) ? toFile(fd) : toStream(stream)),
    isTerminal: stream.isTTY === true,
    colour,
    get width() {
      return columns ?? (stream.columns || usualWidth)
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
