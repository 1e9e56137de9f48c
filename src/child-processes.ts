// Runs other programs, and a second orderctl process.
import { builtin } from './builtin.ts'
import type { Context } from './context.ts'

type Variables = Context['environment']

/** `orderctl`: the command that starts orderctl itself. */
export const createChildProcesses = (
  environment: Variables,
  orderctl: () => readonly string[],
): Pick<Context, 'run' | 'pipe' | 'launch' | 'isLockSeen' | 'spawn'> => ({
  run: (command, variables) => run(command, { ...environment, ...variables }),
  pipe: (command, text) => pipe(command, { text, timeout: 5_000, env: withoutSecrets(environment) }),
  launch: (command) => launch(command, withoutSecrets(environment)),
  isLockSeen: (file) => askForLock([...orderctl(), '__probe-lock', file], environment),
  spawn: (file, words, options) => builtin.childProcess().spawn(file, words, options),
})

/** A clipboard tool or a browser may keep running, and needs no secret. */
const withoutSecrets = ({ ORDERCTL_API_KEY: _, PGPASSWORD: __, ...others }: Variables): Variables => others

const run = ([file = '', ...words]: readonly string[], env: Variables): ReturnType<Context['run']> => {
  const child = builtin.childProcess().spawn(file, words, { stdio: 'inherit', env })
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', reject)
    // Shells report a death by signal as 128 plus its number.
    child.once('exit', (code, signal) =>
      resolve(code ?? 128 + (signal === null ? 0 : builtin.os().constants.signals[signal])),
    )
  })
  return { ended, signal: (name) => void child.kill(name) }
}

type PipeOptions = {
  readonly text?: string | undefined
  readonly timeout: number
  readonly env: Variables
}

const pipe = (
  [file = '', ...words]: readonly string[],
  { text, timeout, env }: PipeOptions,
): Promise<string> =>
  new Promise((resolve, reject) => {
    // A clipboard tool may keep running in the background, and would keep our pipe open.
    const stdio = ['pipe', text === undefined ? 'pipe' : 'ignore', 'ignore'] as const
    const child = builtin
      .childProcess()
      .spawn(file, words, { stdio: [...stdio], timeout, env, windowsHide: true })
    let printed = ''
    child.stdout?.setEncoding('utf8').on('data', (part: string) => {
      printed += part
    })
    child.once('error', reject)
    child.once(text === undefined ? 'close' : 'exit', (code, signal) =>
      code === 0
        ? resolve(printed)
        : reject(new Error(`${file} ended with ${signal ?? `exit code ${code}`}`)),
    )
    // A program that does not read its input fails, so its exit code is enough.
    child.stdin?.on('error', () => {})
    child.stdin?.end(text ?? '')
  })

const launch = ([file = '', ...words]: readonly string[], env: Variables): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = builtin.childProcess().spawn(file, words, { detached: true, stdio: 'ignore', env })
    child.once('error', reject)
    child.once('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`${file} ended with exit code ${code}`)),
    )
    child.unref()
  })

const askForLock = async (command: readonly string[], environment: Variables): Promise<boolean> => {
  // With NODE_OPTIONS, the child would open the same debugger port, or load a hook that writes the same file.
  const { NODE_OPTIONS: _, ...env } = withoutSecrets(environment)
  const output = await pipe(command, { timeout: 30_000, env })
  const { probeResults } = await import('./journal/location/check-location.ts')
  if (output === probeResults.locked) return true
  if (output === probeResults.free) return false
  throw new Error(`the check printed ${JSON.stringify(output)}`)
}
