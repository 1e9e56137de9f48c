// PgBouncer in transaction mode in front of a database. Debian and Homebrew have a package `pgbouncer`.
import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { installPostgres } from './installation.ts'
import { findFreePort, startGuard } from './server.ts'

const locate = (): string => {
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), '/usr/sbin', '/usr/local/sbin']
  const file = folders.map((folder) => path.join(folder, 'pgbouncer')).find((each) => existsSync(each))
  if (file === undefined) throw new Error('PgBouncer is missing. Install it: apt-get install pgbouncer')
  return file
}

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    }).on('error', () => resolve(false))
  })

type Options = {
  readonly target: { readonly host: string; readonly port: number }
  /** Passwords by role. PgBouncer logs in with them. */
  readonly users: Readonly<Record<string, string>>
  /** Connections to the server. With few of them, sessions share one. */
  readonly poolSize?: number
}

export const startPgBouncer = async ({ target, users, poolSize = 2 }: Options) => {
  const program = locate()
  const { account } = await installPostgres()
  const folder = mkdtempSync(path.join(tmpdir(), 'orderctl-pgbouncer-'))
  startGuard(process.pid, folder)
  chmodSync(folder, 0o755)
  const port = await findFreePort()
  const list = Object.entries(users).map(([name, password]) => `"${name}" "${password}"\n`)
  writeFileSync(path.join(folder, 'users.txt'), list.join(''))
  writeFileSync(
    path.join(folder, 'pgbouncer.ini'),
    `[databases]
* = host=${target.host} port=${target.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
pidfile = ${path.join(folder, 'pid')}
auth_type = scram-sha-256
auth_file = ${path.join(folder, 'users.txt')}
pool_mode = transaction
; The default of 15 s would outlast the restart of a server.
server_login_retry = 1
default_pool_size = ${poolSize}
max_client_conn = 500
`,
  )
  if (account.uid !== undefined) execFileSync('chown', ['-R', `${account.uid}:${account.gid}`, folder])
  const bouncer = spawn(program, [path.join(folder, 'pgbouncer.ini')], { ...account, stdio: 'pipe' })
  let output = ''
  for (const stream of [bouncer.stdout, bouncer.stderr]) {
    stream.on('data', (text) => {
      output += text
    })
  }
  while (!(await isListening(port))) {
    if (bouncer.exitCode !== null) throw new Error(`PgBouncer did not start:\n${output}`)
    await delay(10)
  }
  return {
    host: '127.0.0.1',
    port,
    [Symbol.asyncDispose]: async (): Promise<void> => {
      const ended = new Promise((resolve) => bouncer.once('exit', resolve))
      if (bouncer.exitCode === null && bouncer.kill('SIGINT')) await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
