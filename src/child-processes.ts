// Runs other programs, and a second orderctl process.
import type { StdioOptions } from 'node:child_process'
import { builtin } from './builtin.ts'
import type { Context } from './context.ts'

type Variables = Context['environment']

/** `orderctl`: the command that starts orderctl itself. */
export const createChildProcesses = (
  environment: Variables,
  orderctl: () => readonly string[],
): Pick<Context, 'run' | 'pipe' | 'isLockSeen' | 'spawn'> => {
  // A clipboard tool may keep running and needs no secret.
  const { ORDERCTL_API_KEY: _, PGPASSWORD: __, ...publicVariables } = environment
  // With NODE_OPTIONS, the child would open the same debugger port, or load a hook that writes the same file.
  const { NODE_OPTIONS: ___, ...ownVariables } = publicVariables
  return {
    run: ([file = '', ...words], variables) => {
      const env = { ...environment, ...variables }
      const child = builtin.childProcess().spawn(file, words, { stdio: 'inherit', env })
      const ended = new Promise<number>((resolve, reject) => {
        child.once('error', reject)
        // Shells report an end by signal as 128 plus its number.
        child.once('exit', (code, signal) =>
          resolve(code ?? 128 + (signal === null ? 0 : builtin.os().constants.signals[signal])),
        )
      })
      return { ended, signal: (name) => void child.kill(name) }
    },

    pipe: (command, text) => pipe(command, text, { timeout: 5_000, env: publicVariables }),

    isLockSeen: async (file) => {
      const command = [...orderctl(), '__probe-lock', file]
      const output = await pipe(command, undefined, { timeout: 30_000, env: ownVariables })
      const { probeResults } = await import('./journal/location/check-location.ts')
      if (output === probeResults.locked) return true
      if (output === probeResults.free) return false
      throw new Error(`the check printed ${JSON.stringify(output)}`)
    },

    spawn: (file, words, options) => builtin.childProcess().spawn(file, words, options),
  }
}

const pipe = async (
  [file = '', ...words]: readonly string[],
  text: string | undefined,
  limits: { readonly timeout: number; readonly env: Variables },
): Promise<string> => {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  // A clipboard tool may keep running in the background, and would keep our pipe open.
  const stdio: StdioOptions = ['pipe', text === undefined ? 'pipe' : 'ignore', 'ignore']
  const child = builtin.childProcess().spawn(file, words, { stdio, windowsHide: true, ...limits })
  let printed = ''
  child.stdout?.setEncoding('utf8').on('data', (part: string) => {
    printed += part
  })
  child.once('error', reject)
  child.once(text === undefined ? 'close' : 'exit', (code, signal) =>
    code === 0 ? resolve(printed) : reject(new Error(`${file} ended with ${signal ?? `exit code ${code}`}`)),
  )
  // A program that does not read its input fails, so its exit code is enough.
  child.stdin?.on('error', () => {}).end(text ?? '')
  return promise
}
