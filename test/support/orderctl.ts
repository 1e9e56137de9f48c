// The built executable, run as its user runs it: in a folder and a home of its own, without a terminal.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { execa } from 'execa'
import { onTestFinished } from 'vitest'

/** The command line of what is tested: of the package, unless the environment names a standalone executable. */
export const executable: readonly string[] = process.env.ORDERCTL_EXECUTABLE
  ? [path.resolve(process.env.ORDERCTL_EXECUTABLE)]
  : [process.execPath, path.resolve('bin/orderctl.cjs')]

/** An empty folder that is gone after the test. */
export const folder = (): string => {
  const made = mkdtempSync(path.join(tmpdir(), 'orderctl-test-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

export type RunOptions = {
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly cwd?: string
  /** On its standard input; nothing stands there otherwise. */
  readonly input?: string
  /** Tests that run at once cannot say which of them a process belongs to: it ends by itself, or here. */
  readonly endsWithinMs?: number
  /** The command that it is run by, in front of its own words. */
  readonly under?: readonly string[]
}

/** Starts it; the test need not end it. */
export const start = (
  words: readonly string[],
  { env = {}, cwd = folder(), input, endsWithinMs, under = [] }: RunOptions = {},
) => {
  const [file = '', ...rest] = [...under, ...executable, ...words]
  const child = execa(file, rest, {
    cwd,
    env: { PATH: process.env.PATH ?? '', HOME: cwd, ...env },
    extendEnv: false,
    reject: false,
    ...(endsWithinMs === undefined ? {} : { timeout: endsWithinMs, killSignal: 'SIGKILL' as const }),
    ...(input === undefined ? { stdin: 'ignore' as const } : { input }),
    stripFinalNewline: false,
  })
  if (endsWithinMs === undefined) onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

export type Ran = { readonly exit: number | undefined; readonly stdout: string; readonly stderr: string }

export const orderctl = async (words: readonly string[], options: RunOptions = {}): Promise<Ran> => {
  const { exitCode, stdout, stderr } = await start(words, options)
  return { exit: exitCode, stdout, stderr }
}

/** serve-mock on a free port, once it says that it listens. */
export const serveMock = async (words: readonly string[] = [], options: RunOptions = {}) => {
  const child = start(['serve-mock', '--port', '0', '--json', ...words], options)
  const lines = child.iterable()
  const first = await lines[Symbol.asyncIterator]().next()
  if (first.done === true) throw new Error(`it did not start: ${(await child).stderr}`)
  const { url, key, seed } = JSON.parse(first.value)
  return { child, url: url as string, key: key as string, seed: seed as string }
}
