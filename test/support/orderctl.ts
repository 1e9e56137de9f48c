// Runs the built executable in a folder and home of its own, without a terminal.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { execa } from 'execa'
import { onTestFinished } from 'vitest'

/** The command line of the executable: the package, or the standalone executable of `ORDERCTL_EXECUTABLE`. */
export const executable: readonly string[] = process.env.ORDERCTL_EXECUTABLE
  ? [path.resolve(process.env.ORDERCTL_EXECUTABLE)]
  : [process.execPath, path.resolve('bin/orderctl.cjs')]

/** The executable runs under Wine. */
export const isOnWindows = process.env.ORDERCTL_TEST_WINDOWS !== undefined

/** Creates an empty folder that is removed after the test. */
export const folder = (): string => {
  const made = mkdtempSync(path.join(tmpdir(), 'orderctl-test-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

export type RunOptions = {
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly cwd?: string
  /** The standard input. Empty by default. */
  readonly input?: string
  /** The standard input goes on after `input`. */
  readonly keepsInputOpen?: true
  /** Kills the process after this time. Needed in concurrent tests, which have no cleanup of their own. */
  readonly endsWithinMs?: number
  /** A command that runs the executable, in front of its own words. */
  readonly under?: readonly string[]
  /** Another build than that of this run. */
  readonly program?: readonly string[]
}

/** Starts the executable. It is killed after the test. */
export const start = (
  words: readonly string[],
  {
    env = {},
    cwd = folder(),
    input,
    keepsInputOpen,
    endsWithinMs,
    under = [],
    program = executable,
  }: RunOptions = {},
) => {
  const [file = '', ...rest] = [...under, ...program, ...words]
  const child = execa(file, rest, {
    cwd,
    env: { PATH: process.env.PATH ?? '', HOME: cwd, ...env },
    extendEnv: false,
    reject: false,
    ...(endsWithinMs === undefined ? {} : { timeout: endsWithinMs, killSignal: 'SIGKILL' as const }),
    ...(keepsInputOpen
      ? { stdin: 'pipe' as const }
      : input === undefined
        ? { stdin: 'ignore' as const }
        : { input }),
    stripFinalNewline: false,
  })
  if (keepsInputOpen) child.stdin?.write(input ?? '')
  if (endsWithinMs === undefined) onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

export type Ran = { readonly exit: number | undefined; readonly stdout: string; readonly stderr: string }

export const orderctl = async (words: readonly string[], options: RunOptions = {}): Promise<Ran> => {
  const { exitCode, stdout, stderr } = await start(words, options)
  return { exit: exitCode, stdout, stderr }
}

/** Returns what the command printed. It must succeed. */
export const mustRun = async (words: readonly string[], options: RunOptions = {}): Promise<string> => {
  const { exit, stdout, stderr } = await orderctl(words, options)
  if (exit !== 0) throw new Error(`orderctl ${words.join(' ')}: exit ${exit}\n${stdout}${stderr}`)
  return stdout.trim()
}

/** Starts serve-mock on a free port and waits until it listens. */
export const serveMock = async (words: readonly string[] = [], options: RunOptions = {}) => {
  const child = start(['serve-mock', '--port', '0', '--json', ...words], options)
  const lines = child.iterable()
  const first = await lines[Symbol.asyncIterator]().next()
  if (first.done === true) throw new Error(`it did not start: ${(await child).stderr}`)
  const { url, key, seed, inspector } = JSON.parse(first.value)
  return {
    child,
    url: url as string,
    key: key as string,
    seed: seed as string,
    /** Missing with --no-inspector. */
    inspector: inspector as string,
  }
}
