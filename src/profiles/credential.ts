// The key that a command prints: `op read op://shop/orderctl/key`. Kept nowhere, shown nowhere.
import type { ChildProcessByStdio, SpawnOptions } from 'node:child_process'
import type { Readable } from 'node:stream'
import { getSystemErrorMessage } from 'node:util'
import type { Clock } from '../contract/clock.ts'
import { Failure } from '../errors.ts'

/** As in node:child_process. */
export type Spawn = (command: string, options: SpawnOptions) => ChildProcessByStdio<null, Readable, null>

export type CommandOptions = {
  readonly spawn: Spawn
  readonly clock: Pick<Clock, 'sleep'>
  /** Ends the command early; its reason is the signal's name. */
  readonly interrupted?: AbortSignal
  readonly timeoutMs?: number
}

// Long enough for a person to find the finger that unlocks the password manager.
const defaultTimeoutMs = 60_000

const maxOutput = 64 * 1024

// What stands in the pipe when the command ends is read within a moment.
const drainMs = 250

/** The first line that it prints; cleanKey judges it. The messages leave out the command, too: it may hold a key. */
export const runCredentialCommand = async (
  command: string,
  { spawn, clock, interrupted, timeoutMs = defaultTimeoutMs }: CommandOptions,
): Promise<string> => {
  const over = new AbortController()
  // Its stdin is not ours to give: an order may be read from there.
  const child = spawn(command, { shell: true, stdio: ['ignore', 'pipe', 'inherit'], windowsHide: true })
  const stopping = interrupted === undefined ? over.signal : AbortSignal.any([over.signal, interrupted])
  const late = clock.sleep(timeoutMs, stopping).then(() => {
    if (interrupted?.aborted) throw stopped(interrupted)
    if (!over.signal.aborted) throw wrong(`gave no key within ${timeoutMs / 1000} seconds`)
    return ''
  })
  try {
    const output = await Promise.race([outputOf(child, (ms) => clock.sleep(ms, over.signal)), late])
    const key = (output.split(/\r?\n/, 1)[0] ?? '').trim()
    if (key === '') throw wrong('printed no key on its first line')
    return key
  } finally {
    over.abort()
    child.kill()
    // What the shell had started may live on, and hold the pipe open: it is not waited for.
    child.stdout.destroy()
    child.unref()
  }
}

const outputOf = (child: ReturnType<Spawn>, sleep: (ms: number) => Promise<void>): Promise<string> =>
  new Promise((resolve, reject) => {
    let output = ''
    let hasEnded = false
    const resolveWithLine = (): void => {
      if (hasEnded && output.includes('\n')) resolve(output)
    }
    child.stdout.setEncoding('utf8')
    child.stdout.on('data', (text: string) => {
      output += text
      if (output.length > maxOutput) reject(wrong('printed far more than a key'))
      resolveWithLine()
    })
    // By its number: Node's own message has the whole command in it.
    child.once('error', ({ errno }: NodeJS.ErrnoException) =>
      reject(wrong(`could not be started${errno === undefined ? '' : `: ${getSystemErrorMessage(errno)}`}`)),
    )
    child.once('exit', (code, signal) => {
      if (code !== 0)
        return reject(wrong(signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`))
      hasEnded = true
      resolveWithLine()
      // What it left running, an agent for example, may hold the pipe open for good.
      void sleep(drainMs).then(() => resolve(output))
    })
    child.once('close', () => resolve(output))
  })

const wrong = (what: string): Failure =>
  new Failure('credentials', `the credential command ${what}`, {
    fix: 'Run it by itself to see why; its first line must be the key.',
  })

const stopped = ({ reason }: AbortSignal): Failure =>
  reason === 'SIGTERM' ? new Failure('terminated', 'terminated') : new Failure('interrupted', 'interrupted')
