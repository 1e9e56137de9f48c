// The one writer: what goes to stdout and stderr goes through here, and whether it arrived is known.
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

type Stream = Writable & { readonly isTTY?: boolean; readonly columns?: number }

// Where nobody says, as in a pipe or a file: what most windows have.
const usualWidth = 80

export const createOutput = (stream: Stream, colour: boolean, columns: number | undefined): Writer => {
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
