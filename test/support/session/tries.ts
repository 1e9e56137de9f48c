// Runs each command that an error suggests in a copy of the session's files and of its service: as a script, and on a terminal.
// A command that is refused as a usage error does not work.
import { cpSync, renameSync, rmSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../../../src/contract/time.ts'
import { neverLate, type Situation, untilAborted } from '../in-process.ts'
import type { World } from '../world.ts'
import { parseLine } from './shell.ts'

const findTries = (stderr: string): string[] =>
  stderr
    .replaceAll(/\u001b\[\d+m/g, '')
    .split('\n')
    .flatMap((line) => {
      if (line.startsWith('try: ')) return [line.slice('try: '.length)]
      return line.startsWith('{"error":') ? [JSON.parse(line).error.fix].filter(Boolean) : []
    })

/** The first wait interrupts the command. No deadline comes. */
const createShortClock = ({ now, monotonic }: Clock, stop: AbortController): Clock => {
  const [at, since] = [now(), monotonic()]
  let waited = 0
  return {
    now: () => at + waited,
    monotonic: () => since + waited,
    newId: () => crypto.randomUUID(),
    sleep: async (ms, signal) => {
      if (ms > 20_000) return untilAborted(signal)
      stop.abort()
      waited += ms
      await setImmediate()
    },
  }
}

const usage = 2
const ways = {
  'in a script': { env: { CI: 'true' }, terminals: [] },
  'on a terminal': { env: {}, terminals: ['stdin', 'stdout', 'stderr'] },
} as const satisfies Record<string, Situation>

/** `failing` is the situation of the command that failed. */
export const checkTries = async (world: World, stderr: string, failing: Situation): Promise<void> => {
  for (const text of findTries(stderr)) {
    const [command] = parseLine(text)
    if (command?.words[0] !== 'orderctl') continue
    for (const [way, { env, terminals }] of Object.entries(ways)) {
      const stop = new AbortController()
      const ran = await inCopy(world, (openNetwork) =>
        world.runIn(command.words.slice(1), {
          ...failing,
          ...{ openNetwork, terminals, interrupted: stop.signal },
          clock: neverLate(createShortClock(world.clock, stop)),
          env: { ...failing.env, ...env, ...command.env },
          // Only a command that reads a key gets one.
          input: command.words.includes('--key-stdin') ? 'sbx-key\n' : '',
          answers: Array.from({ length: 50 }),
          pipe: async () => '',
        }),
      )
      if (ran.exit === usage)
        throw new Error(`The suggested command does not work ${way}: ${text}\n${ran.stderr}`)
    }
  }
}

/** The files keep their paths. */
const inCopy = async <Result>(
  world: World,
  work: (openNetwork: Situation['openNetwork']) => Promise<Result>,
): Promise<Result> => {
  const { home } = world
  const kept = `${home}-kept`
  const service = world.copyService()
  renameSync(home, kept)
  cpSync(kept, home, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
  try {
    return await work(async () => Object.assign(service.transport, { close: async () => {} }))
  } finally {
    service.close()
    rmSync(home, { recursive: true, force: true })
    renameSync(kept, home)
  }
}
