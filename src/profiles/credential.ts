// Runs a command that prints a key or a password, such as `op read op://shop/orderctl/key`. It is never stored or shown.
import { getSystemErrorMessage } from 'node:util'
import { Failure } from '../errors.ts'
import { type ProgramOptions, runToEnd, type Spawn } from './run-program.ts'

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

export type CommandOptions = Pick<ProgramOptions, 'clock' | 'interrupted'> & {
  readonly spawn: Spawn
  readonly timeoutMs?: number | undefined
  readonly secret?: Secret
}

// Enough time for a person to unlock the password manager.
const defaultTimeoutMs = 60_000

/** Returns the first line of the output. The messages omit the command because it may contain a key. */
export const runCredentialCommand = async (
  command: string,
  { spawn, clock, interrupted, secret = 'key', timeoutMs = defaultTimeoutMs }: CommandOptions,
): Promise<string> => {
  const { what } = texts[secret]
  const fail = (problem: string): Failure => createCommandFailure(secret, problem)
  // The command gets no stdin because orderctl may read an order from it.
  const stdio = ['ignore', 'pipe', 'inherit'] as const
  const child = spawn(command, [], { shell: true, stdio: [...stdio], windowsHide: true })
  const { code, signal, output } = await runToEnd(child, {
    clock,
    interrupted,
    timeoutMs,
    createLateFailure: () => fail(`printed no ${what} within ${timeoutMs / 1000} seconds`),
    createFloodFailure: () => fail(`printed more than a ${what}`),
    isEnough: (printed) => printed.includes('\n'),
  }).catch((error: NodeJS.ErrnoException | Failure) => {
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

const createCommandFailure = (secret: Secret, problem: string): Failure => {
  const { kind, command, what } = texts[secret]
  return new Failure(kind, `${command} ${problem}`, {
    fix: `Run the command yourself. Its first line of output must be the ${what}.`,
  })
}
