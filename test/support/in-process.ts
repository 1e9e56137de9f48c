// Runs orderctl in the test's process. The test controls everything outside it.
import { spawn } from 'node:child_process'
import path from 'node:path'
import { Readable, Writable } from 'node:stream'
import { setTimeout as delay, setImmediate } from 'node:timers/promises'
import packageJson from '../../package.json' with { type: 'json' }
import { silentMs } from '../../src/app/terminal.ts'
import { lineMs } from '../../src/batch/run/progress.ts'
import { refusesColour, wantsAccessible } from '../../src/cli/variables.ts'
import { createNetwork } from '../../src/client/network.ts'
import type { Context } from '../../src/context.ts'
import type { Clock } from '../../src/contract/time.ts'
import { run } from '../../src/run.ts'
import { createSuggest } from '../../src/text/suggest.ts'
import { createOutput } from '../../src/ui/terminal/io.ts'
import { wantsColour } from '../../src/ui/terminal/view.ts'
import { folder, type Ran, type RunOptions } from './orderctl.ts'
import { createScriptedAsk } from './scripted-ask.ts'

export const realClock: Clock = {
  now: Date.now,
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    await delay(ms, undefined, signal === undefined ? {} : { signal }).catch(() => {})
  },
  newId: () => crypto.randomUUID(),
}

export const untilAborted = (signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }))

/** A clock on which no waiting line and no progress ever appears, however slow the machine is. */
export const neverLate = (clock: Clock): Clock => ({
  ...clock,
  sleep: (ms, signal) => (ms === silentMs || ms === lineMs ? untilAborted(signal) : clock.sleep(ms, signal)),
})

/** The deadlines of get, of create and confirm, and of settling a confirm. */
const deadlinesMs = [30_000, 45_000, 80_000]

/** A clock on which each wait ends at once and advances the time. No deadline ever comes. */
export const hastyClock = (start = Date.now()): Clock => {
  let ahead = start - Date.now()
  return neverLate({
    ...realClock,
    now: () => Math.round(Date.now() + ahead),
    monotonic: () => performance.now() + ahead,
    sleep: async (ms, signal) => {
      if (deadlinesMs.includes(ms)) return untilAborted(signal)
      ahead += ms
      // Whatever else is under way goes on: a loop that only waits would stop it.
      await setImmediate()
    },
  })
}

type Answer = boolean | string | undefined
type Stream = 'stdin' | 'stdout' | 'stderr'

export type Situation = RunOptions & {
  /** The streams that are terminals. */
  readonly terminals?: readonly Stream[]
  /** There is a controlling terminal beside the streams. */
  readonly controllingTerminal?: boolean
  /** The responses to the prompts, or functions that give them. A further prompt fails the test. */
  readonly answers?: readonly (Answer | ((question: string) => Answer | Promise<Answer>))[]
  readonly interrupted?: AbortSignal
  /** One of Node's platform names. */
  readonly platform?: string
  readonly clock?: Clock
  /** Replaces programs that orderctl pipes text to or from. */
  readonly pipe?: Context['pipe']
  /** Replaces the probe for locks by another process. */
  readonly isLockSeen?: Context['isLockSeen']
  /** The login name of the user. */
  readonly osUser?: string
  /** The name of the machine. */
  readonly host?: string
  /** A standard input that goes on, and what receives the standard output meanwhile. */
  readonly conversation?: { readonly stdin: Readable; readonly onOutput: (text: string) => void }
  /** An assistant runs the command. */
  readonly assistant?: Context['assistant']
  /** Replaces the network. */
  readonly openNetwork?: Context['openNetwork']
}

/** A stream that keeps each write. */
const keeping = (isTerminal: boolean, onWrite: (text: string) => void = () => {}) => {
  const writes: string[] = []
  const stream = new Writable({
    decodeStrings: false,
    write: (text, _encoding, done) => {
      if (text !== '') writes.push(String(text))
      onWrite(String(text))
      done()
    },
  })
  return { writes, stream: Object.assign(stream, { isTTY: isTerminal }) }
}

const noProgram = async (): Promise<never> => {
  throw new Error('not there')
}

/** Runs a command line. Returns the result, each write, and the prompts. */
export const inSituation = async (
  words: readonly string[],
  { env = {}, cwd = folder(), input, terminals = [], answers = [], ...more }: Situation = {},
) => {
  const {
    pipe = noProgram,
    interrupted = new AbortController().signal,
    // Without a terminal there is no waiting line, and a deadline may be as long.
    clock = terminals.includes('stderr') ? neverLate(realClock) : realClock,
    platform = process.platform,
    // The real probe needs a built executable.
    isLockSeen = async () => true,
    openNetwork = async (options) => createNetwork(options),
    osUser = 'tester',
    host = 'desk',
    assistant,
  } = more
  const environment: Context['environment'] = { PATH: process.env.PATH ?? '', HOME: cwd, ...env }
  const [stdout, stderr] = (['stdout', 'stderr'] as const).map((name) => {
    const kept = keeping(
      terminals.includes(name),
      name === 'stdout' ? more.conversation?.onOutput : undefined,
    )
    const colour = wantsColour(kept.stream.isTTY, environment, refusesColour(words, environment))
    const columns = Number(environment.COLUMNS) || undefined
    return {
      writes: kept.writes,
      output: createOutput({ isTerminal: kept.stream.isTTY, stream: () => kept.stream }, colour, columns),
    }
  }) as [{ writes: string[]; output: Context['stdout'] }, { writes: string[]; output: Context['stdout'] }]
  const terminal = keeping(true)
  const isAccessible = wantsAccessible(environment)
  const questions: string[] = []
  /** The names of the choices of each search. */
  const choices: (readonly string[])[] = []
  let said = 0
  const asked = async (question: string): Promise<Answer> => {
    questions.push(question)
    if (said >= answers.length) throw new Error(`nobody answers ${question}`)
    const answer = answers[said]
    said += 1
    return typeof answer === 'function' ? answer(question) : answer
  }
  const context: Context = {
    version: packageJson.version,
    node: { version: process.versions.node, program: process.execPath },
    stdin: {
      isTerminal: terminals.includes('stdin'),
      stream: () => more.conversation?.stdin ?? Readable.from(Buffer.from(input ?? '')),
    },
    stdout: stdout.output,
    stderr: stderr.output,
    clock,
    // Nearly the shortest waits. With 0, an interval of a batch is `silentMs` long, and `neverLate` never ends it.
    random: () => 0.01,
    environment,
    platform,
    suggest: createSuggest({ environment, platform }),
    home: environment.HOME,
    user: () => osUser,
    host: () => host,
    ...(assistant && { assistant }),
    timeZone: 'UTC',
    interrupted,
    askYesNo: async (message) => (await asked(message)) === true,
    prompt: async (message, initial) => {
      const answer = (await asked(initial === undefined ? message : `${message} (${initial})`)) as
        | string
        | undefined
      return answer === '' ? initial : answer
    },
    promptSecret: async (message) => (await asked(`${message} *`)) as string | undefined,
    openTerminal: async () => {
      if (more.controllingTerminal !== true) return undefined
      const { stream } = terminal
      return {
        output: createOutput({ isTerminal: true, stream: () => stream }, false, undefined),
        askYesNo: async (message) => (await asked(`${message} (terminal)`)) === true,
        [Symbol.asyncDispose]: async () => {},
      }
    },
    isAccessible,
    asking: async () => createScriptedAsk(asked, questions, (names) => choices.push(names)),
    absolute: (file) => path.resolve(cwd, file),
    openNetwork,
    run: () => {
      throw new Error('a program is run on the terminal of the executable alone')
    },
    pipe,
    isLockSeen,
    spawn: (file, words, options) => spawn(file, words, { cwd, env: environment, ...options }),
  }
  const exit = await run(context, words)
  const ran: Ran = { exit, stdout: stdout.writes.join(''), stderr: stderr.writes.join('') }
  if (/try: |"fix":/.test(ran.stderr)) (await import('./typed-commands.ts')).checkPrintedFixes(ran.stderr)
  const writes = { stdout: stdout.writes, stderr: stderr.writes }
  return { ...ran, questions, choices, writes, onTerminal: terminal.writes.join('') }
}

export const inProcess = async (words: readonly string[], situation: Situation = {}): Promise<Ran> => {
  const { exit, stdout, stderr } = await inSituation(words, situation)
  return { exit, stdout, stderr }
}
