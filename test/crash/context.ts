// A context for run() in this process: it keeps the output and fails on any prompt.
import path from 'node:path'
import { createNetwork } from '../../src/client/network.ts'
import type { Context } from '../../src/context.ts'
import type { Writer } from '../../src/ui/terminal/io.ts'

export const createTextWriter = (): Writer & { text(): string } => {
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
    height: 24,
  }
}

const isRunning = (id: number): boolean => {
  try {
    return process.kill(id, 0)
  } catch {
    return false
  }
}

type Given = Pick<Context, 'clock' | 'environment' | 'home' | 'stdout' | 'stderr'>

const failUnexpectedly = (): never => {
  throw new Error('the test expects no prompt or read here')
}

export const contextOf = (given: Given): Context => ({
  ...given,
  version: '0.0.0',
  node: { version: process.versions.node, program: process.execPath },
  stdin: { isTerminal: false, read: failUnexpectedly },
  random: Math.random,
  platform: process.platform,
  user: () => 'somebody',
  processes: { own: process.pid, isRunning },
  host: () => 'desk',
  timeZone: 'UTC',
  interrupted: new AbortController().signal,
  confirm: failUnexpectedly,
  prompt: failUnexpectedly,
  promptSecret: failUnexpectedly,
  openTerminal: async () => undefined,
  asking: failUnexpectedly,
  isAccessible: false,
  absolute: (file) => path.resolve(given.home ?? '/', file),
  readFile: failUnexpectedly,
  openNetwork: async (options) => createNetwork(options),
  run: failUnexpectedly,
  pipe: failUnexpectedly,
  launch: async () => {},
  isLockSeen: async () => true,
  shell: failUnexpectedly,
})
