// Runs a command that prints a key or a password, such as `op read op://shop/orderctl/key`, without a terminal and within a
// limit. What it prints is never stored or shown.

import type { ChildProcess, SpawnOptions } from 'node:child_process'
import { getSystemErrorMessage } from 'node:util'
import { type Clock, unlessAborted, within } from '../contract/time.ts'
import { Failure, interruption } from '../errors.ts'

export type Spawn = (file: string, words: readonly string[], options: SpawnOptions) => ChildProcess

export type Ended = {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly output: string
  /** Empty if stderr is not a pipe. */
  readonly errors: string
}

export type ProgramOptions = {
  readonly clock: Pick<Clock, 'sleep'>
  /** Ends the program early. Its reason is the signal's name. */
  readonly interrupted?: AbortSignal | undefined
  readonly timeoutMs: number
  /** What it prints, in messages. */
  readonly what: 'key' | 'password'
  readonly fail: (problem: string) => Failure
}

const maxOutput = 64 * 1024

// Enough time to read the rest of the pipe after the program ends.
const drainMs = 250

/** Rejects with Node's own error if the program cannot be started. */
export const runToEnd = async (child: ChildProcess, options: ProgramOptions): Promise<Ended> => {
  const { clock, interrupted, timeoutMs, fail } = options
  const over = new AbortController()
  const ended = readOutput(child, options, () => clock.sleep(drainMs, over.signal))
  const wait = (limited: AbortSignal): Promise<Ended> => unlessAborted(limited, ended)
  const createLateFailure = () => fail(`did not respond within ${timeoutMs / 1000} seconds`)
  try {
    return await within(clock, timeoutMs, interrupted, wait, createLateFailure)
  } catch (error) {
    if (!interrupted?.aborted) throw error
    throw interruption(interrupted, interrupted.reason === 'SIGTERM' ? 'terminated' : 'interrupted')
  } finally {
    over.abort()
    child.kill()
    // Processes that the program started may keep the pipes open. orderctl does not wait for them.
    for (const each of child.stdio) each?.destroy()
    child.unref()
  }
}

const readOutput = (
  child: ChildProcess,
  { what, fail }: ProgramOptions,
  drain: () => Promise<void>,
): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const printed = { output: '', errors: '' }
    for (const name of ['output', 'errors'] as const) {
      const stream = name === 'output' ? child.stdout : child.stderr
      stream?.setEncoding('utf8').on('data', (text: string) => {
        printed[name] += text
        if (printed[name].length > maxOutput) reject(fail(`printed more than a ${what}`))
      })
    }
    child.once('error', reject)
    // A process that it left running, such as an agent, may keep a pipe open forever.
    child.once('exit', (code, signal) => void drain().then(() => resolve({ code, signal, ...printed })))
    child.once('close', (code, signal) => resolve({ code, signal, ...printed }))
  })

/** The secrets that a command may print, and the words for its failures. */
const secrets = {
  key: { kind: 'credentials', source: 'the credential command', what: 'key' },
  'journal password': { kind: 'local-state', source: "the journal's password command", what: 'password' },
} as const

export type CommandOptions = Pick<ProgramOptions, 'clock' | 'interrupted'> & {
  readonly spawn: Spawn
  readonly timeoutMs?: number | undefined
  readonly secret?: keyof typeof secrets
}

// Enough time for a person to unlock the password manager.
const defaultTimeoutMs = 60_000

/** Returns the first line of the output. The messages omit the command because it may contain a key. */
export const runCredentialCommand = async (
  command: string,
  { spawn, clock, interrupted, secret = 'key', timeoutMs = defaultTimeoutMs }: CommandOptions,
): Promise<string> => {
  const { kind, source, what } = secrets[secret]
  const advice = `Run the command yourself. Its first line of output must be the ${what}.`
  const fail = (problem: string): Failure => new Failure(kind, `${source} ${problem}`, { advice })
  // The command gets no stdin because orderctl may read an order from it.
  const stdio = ['ignore', 'pipe', 'inherit'] as const
  const child = spawn(command, [], { shell: true, stdio: [...stdio], windowsHide: true })
  const ending = runToEnd(child, { clock, interrupted, timeoutMs, what, fail })
  const { code, signal, output } = await ending.catch((error: NodeJS.ErrnoException | Failure) => {
    if (error instanceof Failure) throw error
    // Node's own message contains the whole command, so this uses the error number.
    const { errno } = error
    throw fail(`could not be started${errno === undefined ? '' : `: ${getSystemErrorMessage(errno)}`}`)
  })
  if (code !== 0) throw fail(signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`)
  const key = (output.split(/\r?\n/, 1)[0] ?? '').trim()
  if (key === '') throw fail(`printed no ${what} on its first line`)
  return key
}
