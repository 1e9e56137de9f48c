// Runs a program without a terminal to its end, within a limit. Returns what it printed.
import type { ChildProcess, SpawnOptions } from 'node:child_process'
import { type Clock, unlessAborted, within } from '../contract/time/clock.ts'
import { type Failure, interruption } from '../errors.ts'

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
