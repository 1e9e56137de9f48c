// Reads lines from a person without redrawing anything, for screen readers.
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { discardTyped } from '../terminal/typed-ahead.ts'
import type { Terminal } from './terminal.ts'

export const createLineReader = ({ input, output, signal }: Terminal) => {
  const unread: string[] = []
  /** Undefined if the input ends or a signal arrives. */
  const readLine = async (prompt: string): Promise<string | undefined> => {
    if (signal.aborted) return undefined
    output.write(`${prompt} `)
    if (unread.length > 0) return unread.shift()
    // Not as a terminal: the system echoes the input, and readline redraws nothing.
    const lines = createInterface({ input, terminal: false })
    lines.on('line', (line) => unread.push(line))
    const done = new AbortController()
    const either = { signal: AbortSignal.any([signal, done.signal]) }
    await Promise.race([once(lines, 'line', either), once(lines, 'close', either)]).catch(() => {})
    done.abort()
    lines.close()
    if (unread.length === 0) output.write('\n')
    return signal.aborted ? undefined : unread.shift()
  }
  /** In raw mode the system echoes nothing, and the output of readline is discarded. */
  const readHidden = async (prompt: string): Promise<string | undefined> => {
    if (signal.aborted) return undefined
    const nowhere = new Writable({ write: (_part, _encoding, written) => written() })
    const lines = createInterface({ input, output: nowhere, terminal: true, historySize: 0 })
    const done = new AbortController()
    const either = { signal: AbortSignal.any([signal, done.signal]) }
    // Ctrl-C and the end of the input both close the interface.
    const line = once(lines, 'line', either).then(([text]) => String(text))
    const end = once(lines, 'close', either).then(() => undefined)
    // Not earlier: the system would echo what is typed before raw mode is on.
    output.write(`${prompt} `)
    const text = await Promise.race([line, end]).catch(() => undefined)
    done.abort()
    lines.close()
    output.write('\n')
    return text
  }
  /** Discards what was typed ahead on a terminal. From a pipe, all input is sent ahead. */
  const discardUnread = async (): Promise<void> => {
    await discardTyped(input)
    if ('isTTY' in input && input.isTTY === true) unread.length = 0
  }
  return { readLine, readHidden, discardUnread }
}
