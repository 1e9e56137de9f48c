// The streams of a terminal that prompts are drawn on.
import type { Readable, Writable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'

export type Terminal = {
  readonly input: Readable
  readonly output: Writable & { readonly columns?: number }
  readonly signal: AbortSignal
}

export type Keyboard = Readable & { readonly isTTY?: boolean; setRawMode?(raw: boolean): unknown }

/** Discards nothing from a pipe, where all input is sent ahead. */
export const discardTyped = async (input: Keyboard): Promise<void> => {
  if (input.isTTY !== true) return
  const ignore = (): void => {}
  // In line mode the system keeps an unfinished line and delivers it later.
  input.setRawMode?.(true)
  input.on('data', ignore).resume()
  // Reading starts in the first turn of the event loop and ends in the second.
  for (let turns = 0; turns < 3; turns += 1) await nextTurn()
  input.off('data', ignore).pause()
  input.setRawMode?.(false)
}
