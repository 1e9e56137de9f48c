// What run() needs of a process: streams that keep their text, and nobody to answer questions.
import { createNetwork } from '../../src/client/network.ts'
import type { Context } from '../../src/context.ts'
import type { Writer } from '../../src/ui/terminal/io.ts'

/** Keeps what is written. */
export const paper = (): Writer & { text(): string } => {
  let text = ''
  return {
    write: (more) => {
      text += more
    },
    text: () => text,
    offer: (bytes: Uint8Array) => bytes.length,
    beforeNext: () => {},
    flushed: async () => {},
    broken: new AbortController().signal,
    isTerminal: false,
    colour: false,
    width: 80,
  }
}

type Given = Pick<Context, 'clock' | 'environment' | 'home' | 'stdout' | 'stderr'>

const unasked = (): never => {
  throw new Error('nobody is there to be asked')
}

export const contextOf = (given: Given): Context => ({
  ...given,
  version: '0.0.0',
  stdin: { isTerminal: false, read: unasked },
  random: Math.random,
  platform: process.platform,
  user: () => 'somebody',
  timeZone: 'UTC',
  interrupted: new AbortController().signal,
  confirm: unasked,
  prompt: unasked,
  promptSecret: unasked,
  openTerminal: async () => undefined,
  asking: unasked,
  isAccessible: false,
  absolute: unasked,
  readFile: unasked,
  openNetwork: async (options) => createNetwork(options),
  run: unasked,
  pipe: unasked,
  isLockSeen: async () => true,
  shell: unasked,
})
