// The context of a simulated process. The history controls everything outside the process.
import { Readable } from 'node:stream'
import type { Network as ClientNetwork } from '../../../src/client/network.ts'
import type { Context } from '../../../src/context.ts'
import type { Clock } from '../../../src/contract/time.ts'
import type { Transport } from '../../../src/contract/transport.ts'
import { createRandom } from '../../../src/service/cards.ts'
import { createSuggest } from '../../../src/text/suggest.ts'
import type { Writer } from '../../../src/ui/terminal/io.ts'
import { epoch } from '../service.ts'
import type { Launch, Machine, Process } from './process.ts'

type Inside = {
  readonly given: Launch
  readonly process: Process
  readonly sleep: Clock['sleep']
  readonly send: Transport
}

const nobody = (): never => {
  throw new Error('nobody is there to be asked')
}

export const contextOf = (
  { time, clock, home, number }: Machine,
  { given, process, sleep, send }: Inside,
): Context => {
  const { id, environment, input = '', isOnTerminal = false } = given
  let ids = 0
  const write = (name: 'stdout' | 'stderr', text: string): void => {
    time.noteActivity()
    if (!process.isKilled) process[name] += text
  }
  const writer = (name: 'stdout' | 'stderr'): Writer => ({
    write: (text) => write(name, text),
    offer: (bytes) => bytes.length,
    beforeNext: () => {},
    flushed: async () => {},
    broken: new AbortController().signal,
    isTerminal: name === 'stderr' && isOnTerminal,
    // Commands are read from the output, so they are not wrapped.
    ...{ colour: false, width: 100_000 },
    height: 24,
    isQuiet: false,
    warnings: undefined,
    warn: (text) => write(name, `warning: ${text}\n`),
  })
  return {
    version: '0.0.0',
    node: { version: '26.0.0', program: 'node' },
    stdin: { isTerminal: false, stream: () => Readable.from(Buffer.from(input)) },
    stdout: writer('stdout'),
    stderr: writer('stderr'),
    clock: {
      now: () => Math.floor(epoch + time.now() + clock.wallMs),
      monotonic: () => time.now() - clock.sleptMs,
      sleep,
      newId: () => {
        ids += 1
        return `id-${id}-${ids}`
      },
    },
    random: createRandom(`process ${id}`),
    environment: { HOME: home, TERM: 'dumb', ...environment },
    suggest: createSuggest({ environment, platform: 'linux' }),
    ...{
      platform: 'linux',
      home,
      timeZone: 'UTC',
      isAccessible: false,
      user: () => 'somebody',
      host: () => `desk ${number}`,
    },
    interrupted: new AbortController().signal,
    ...{ askYesNo: nobody, prompt: nobody, promptSecret: nobody, asking: nobody },
    absolute: (file) => file,
    openTerminal: async () => undefined,
    isLockSeen: async () => true,
    openNetwork: async (): Promise<ClientNetwork> => Object.assign(send, { close: async () => {} }),
    ...{ run: nobody, pipe: nobody, spawn: nobody },
  }
}
