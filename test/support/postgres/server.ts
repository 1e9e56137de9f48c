// A PostgreSQL server with a data folder of its own, which a test can stop and start again.
import { execFile, spawn } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statfsSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { installPostgres, superuser } from './installation.ts'

const run = promisify(execFile)

/** How the superuser connects. */
export type AdminAddress = {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  readonly database: string
  /** It ends with the test run, so that what is left on it does no harm. */
  readonly isOurs?: true
}

export type ServerOptions = {
  /** Lines for postgresql.conf. */
  readonly settings?: readonly string[]
  /** The rules of pg_hba.conf. The default asks all but the superuser for a password. */
  readonly access?: readonly string[]
  /** Where its data folder is. The default is in memory, if there is enough of it. */
  readonly place?: string
  /** The server ends when this process ends. */
  readonly owner?: number
  /** Files to create in the data folder, which the server can read. */
  readonly files?: Readonly<Record<string, string>>
}

/** Stops the server and removes its folder when the owner ends, even if it is killed. */
const guardScript = `
while kill -0 "$1" && [ -d "$2" ]; do sleep 0.3; done 2> /dev/null
[ -d "$2" ] || exit 0
for file in "$2/data/postmaster.pid" "$2/pid"; do [ -f "$file" ] && kill -QUIT "$(head -n 1 "$file")"; done
rm -rf "$2"; sleep 1; rm -rf "$2"
`

export const startGuard = (owner: number, folder: string): void => {
  spawn('sh', ['-c', guardScript, 'sh', String(owner), folder], {
    detached: true,
    stdio: 'ignore',
  }).unref()
}

/** In memory, no test waits for the disk. */
const findRoomyFolder = (): string => {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm')
    if (bavail * bsize > 2 ** 31) return '/dev/shm'
  } catch {
    // Only Linux has it.
  }
  return tmpdir()
}

export const findFreePort = async (): Promise<number> => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

const isReady = (data: string): boolean => {
  try {
    return readFileSync(path.join(data, 'postmaster.pid'), 'utf8').split('\n')[7]?.trim() === 'ready'
  } catch {
    return false
  }
}

export const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // The process of another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

export const startServer = async (options: ServerOptions = {}) => {
  const { programs, template, account } = await installPostgres()
  const folder = mkdtempSync(path.join(options.place ?? findRoomyFolder(), 'orderctl-pg-'))
  startGuard(options.owner ?? process.pid, folder)
  if (account.uid !== undefined) chownSync(folder, account.uid, account.gid)
  const data = path.join(folder, 'data')
  await run('cp', ['-R', template, data], account)
  for (const [name, text] of Object.entries(options.files ?? {})) {
    const file = path.join(data, name)
    appendFileSync(file, text)
    chmodSync(file, 0o600)
    if (account.uid !== undefined) chownSync(file, account.uid, account.gid)
  }
  if (options.access !== undefined) {
    rmSync(path.join(data, 'pg_hba.conf'))
    appendFileSync(path.join(data, 'pg_hba.conf'), `${options.access.join('\n')}\n`)
  }
  const port = await findFreePort()
  appendFileSync(
    path.join(data, 'postgresql.conf'),
    (options.settings ?? []).map((line) => `${line}\n`).join(''),
  )
  const log = path.join(folder, 'log')

  let pid = 0
  const start = async (): Promise<void> => {
    const output = openSync(log, 'a')
    const server = spawn(path.join(programs, 'bin', 'postgres'), ['-D', data, '-p', String(port)], {
      ...account,
      cwd: data,
      detached: true,
      stdio: ['ignore', output, output],
    })
    closeSync(output)
    server.unref()
    pid = server.pid ?? 0
    while (!isReady(data)) {
      await delay(5)
      if (server.exitCode !== null || server.signalCode !== null)
        throw new Error(`PostgreSQL did not start:\n${readFileSync(log, 'utf8')}`)
    }
  }
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const ended = pid
    process.kill(ended, signal)
    while (isAlive(ended)) await delay(5)
  }
  await start()
  const { name: user, password } = superuser
  const admin: AdminAddress = { host: '127.0.0.1', port, user, password, database: 'postgres' }
  return {
    port,
    /** The address of the superuser. */
    admin,
    /** Of its main process. */
    pid: (): number => pid,
    /** The folder of its Unix socket. */
    socketFolder: data,
    start,
    /** A fast shutdown, which ends all connections. */
    stop: (): Promise<void> => end('SIGINT'),
    [Symbol.asyncDispose]: async (): Promise<void> => {
      if (isAlive(pid)) await end('SIGQUIT')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
