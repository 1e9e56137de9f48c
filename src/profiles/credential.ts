// Runs a command that prints a key or a password, such as `op read op://shop/orderctl/key`. It is never stored or shown.
import type { ChildProcessByStdio, SpawnOptions } from 'node:child_process'
import type { Readable } from 'node:stream'
import { getSystemErrorMessage } from 'node:util'
import type { Clock } from '../contract/clock.ts'
import { Failure } from '../errors.ts'

export type Spawn = (command: string, options: SpawnOptions) => ChildProcessByStdio<null, Readable, null>

/** What the command prints. */
type Secret = 'key' | 'journal password'

type SecretTexts = {
  readonly kind: Failure['kind']
  readonly command: string
  readonly what: string
}

const texts: Readonly<Record<Secret, SecretTexts>> = {
  key: { kind: 'credentials', command: 'the credential command', what: 'key' },
  'journal password': {
    kind: 'local-state',
    command: "the journal's password command",
    what: 'password',
  },
}

export type CommandOptions = {
  readonly spawn: Spawn
  readonly clock: Pick<Clock, 'sleep'>
  /** Ends the command early. Its reason is the name of the signal. */
  readonly interrupted?: AbortSignal
  readonly timeoutMs?: number | undefined
  readonly secret?: Secret
}

// Enough time for a person to unlock the password manager.
const defaultTimeoutMs = 60_000

const maxOutput = 64 * 1024

// Enough time to read the rest of the pipe after the command ends.
const drainMs = 250

/** Returns the first line of the output. The messages omit the command because it may contain a key. */
export const runCredentialCommand = async (
  command: string,
  { spawn, clock, interrupted, secret = 'key', timeoutMs = defaultTimeoutMs }: CommandOptions,
): Promise<string> => {
  const { what } = texts[secret]
  const fail = (problem: string): Failure => createCommandFailure(secret, problem)
  const over = new AbortController()
  // The command gets no stdin because orderctl may read an order from it.
  const child = spawn(command, { shell: true, stdio: ['ignore', 'pipe', 'inherit'], windowsHide: true })
  const stopping = interrupted === undefined ? over.signal : AbortSignal.any([over.signal, interrupted])
  const late = clock.sleep(timeoutMs, stopping).then(() => {
    if (interrupted?.aborted) throw createStopFailure(interrupted)
    if (!over.signal.aborted) throw fail(`printed no ${what} within ${timeoutMs / 1000} seconds`)
    return ''
  })
  try {
    const output = await Promise.race([
      readOutput(child, { sleep: (ms) => clock.sleep(ms, over.signal), what, fail }),
      late,
    ])
    const key = (output.split(/\r?\n/, 1)[0] ?? '').trim()
    if (key === '') throw fail(`printed no ${what} on its first line`)
    return key
  } finally {
    over.abort()
    child.kill()
    // Processes that the shell started may keep the pipe open. orderctl does not wait for them.
    child.stdout.destroy()
    child.unref()
  }
}

type Reading = {
  readonly sleep: (ms: number) => Promise<void>
  readonly what: string
  readonly fail: (problem: string) => Failure
}

const readOutput = (child: ReturnType<Spawn>, { sleep, what, fail }: Reading): Promise<string> =>
  new Promise((resolve, reject) => {
    let output = ''
    let hasEnded = false
    const resolveWithLine = (): void => {
      if (hasEnded && output.includes('\n')) resolve(output)
    }
    child.stdout.setEncoding('utf8')
    child.stdout.on('data', (text: string) => {
      output += text
      if (output.length > maxOutput) reject(fail(`printed more than a ${what}`))
      resolveWithLine()
    })
    // Node's own message contains the whole command, so this uses the error number.
    child.once('error', ({ errno }: NodeJS.ErrnoException) =>
      reject(fail(`could not be started${errno === undefined ? '' : `: ${getSystemErrorMessage(errno)}`}`)),
    )
    child.once('exit', (code, signal) => {
      if (code !== 0)
        return reject(fail(signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`))
      hasEnded = true
      resolveWithLine()
      // A process that it left running, such as an agent, may keep the pipe open forever.
      void sleep(drainMs).then(() => resolve(output))
    })
    child.once('close', () => resolve(output))
  })

const createCommandFailure = (secret: Secret, problem: string): Failure => {
  const { kind, command, what } = texts[secret]
  return new Failure(kind, `${command} ${problem}`, {
    fix: `Run the command yourself. Its first line of output must be the ${what}.`,
  })
}

const createStopFailure = ({ reason }: AbortSignal): Failure =>
  reason === 'SIGTERM' ? new Failure('terminated', 'terminated') : new Failure('interrupted', 'interrupted')
