// Runs a command that prints a key or a password, such as `op read op://shop/orderctl/key`. It is never stored or shown.
import { getSystemErrorMessage } from 'node:util'
import { Failure } from '../errors.ts'
import { type ProgramOptions, runToEnd, type Spawn } from './run-program.ts'

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
