// What was typed before a question stood there is no answer to it: it may be to spend money.
import type { Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'

type Keyboard = Readable & { readonly isTTY?: boolean; setRawMode?(raw: boolean): unknown }

/** Of a terminal alone: in a pipe it stands where it belongs. */
export const forgetTyped = async (input: Keyboard): Promise<void> => {
  if (input.isTTY !== true) return
  const ignore = (): void => {}
  // Line by line, the system would keep what has no end yet, and hand it out later.
  input.setRawMode?.(true)
  input.on('data', ignore).resume()
  // In the first it begins to read, in the second it has read.
  for (let turns = 0; turns < 3; turns += 1) await turn()
  input.off('data', ignore).pause()
  input.setRawMode?.(false)
}
