// A team: two homes with their own hosts and users, one journal on a PostgreSQL server that can fail, and one service.

import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { readMachineFile } from '../../support/machine-file.ts'
import { start } from '../../support/orderctl.ts'
import { createDatabase } from '../../support/postgres/database.ts'
import { superuser } from '../../support/postgres/installation.ts'
import { startPgBouncer } from '../../support/postgres/pgbouncer.ts'
import { startServer } from '../../support/postgres/server.ts'
import { openTcpProxy } from '../../support/postgres/tcp-proxy.ts'
import { startTeamService } from './service.ts'

const preload = new URL('machine.ts', import.meta.url).href
const cache = path.resolve('node_modules/.cache')

/** Also that of a create that a killed process has sent. */
const callSeconds = 5

export type Home = {
  readonly name: string
  readonly folder: string
  readonly state: string
  readonly env: Readonly<Record<string, string>>
}

export type TeamRun = {
  readonly home: Home
  readonly words: readonly string[]
  readonly pid: number
  /** The exit code or the signal, when it has ended. */
  end?: number | string
  stdout: string
  stderr: string
}

export type Team = Awaited<ReturnType<typeof openTeam>>

type TeamOptions = {
  readonly isBehindBouncer?: boolean
  /** More variables of the second home, such as those of its clock. */
  readonly benEnv?: Readonly<Record<string, string>>
}

/** No process of the team lives longer. */
const endsWithinMs = 240_000

export const openTeam = async ({ isBehindBouncer = false, benEnv = {} }: TeamOptions = {}) => {
  const stack = new AsyncDisposableStack()
  const service = await startTeamService((end) => stack.defer(end))
  const server = stack.use(await startServer())
  const { name: user, password } = superuser
  const admin = { host: '127.0.0.1', port: server.port, user, password, database: 'postgres' }
  // The server ends with the test, so the database needs no cleanup.
  const database = await createDatabase({ server: admin, roles: ['ben'] })
  await database.admin(`GRANT ${database.nameOf('ana')} TO ${database.nameOf('ben')}`)
  const users = Object.fromEntries(['ana', 'ben'].map((role) => [database.nameOf(role), database.password]))
  const target = isBehindBouncer
    ? stack.use(await startPgBouncer({ target: database, users, poolSize: 4 }))
    : database
  const proxy = stack.use(await openTcpProxy(target))
  const runs: TeamRun[] = []
  const running = new Set<TeamRun>()

  const addHome = (name: string, more: Readonly<Record<string, string>> = {}): Home => {
    const home = path.join(service.home, name)
    mkdirSync(home)
    const env = {
      TZ: 'UTC',
      HOME: home,
      ORDERCTL_STATE_DIR: path.join(home, 'state'),
      ...service.environment,
      ORDERCTL_JOURNAL: database.address(name, proxy),
      ORDERCTL_TIMEOUT: `${callSeconds}s`,
      PGPASSWORD: database.password,
      XDG_CACHE_HOME: cache,
      NODE_COMPILE_CACHE: path.join(cache, 'compile'),
      NODE_OPTIONS: `--import ${preload}`,
      MACHINE_HOST: `${name}-desk`,
      MACHINE_USER: name,
      ...more,
    }
    return { name, folder: home, state: env.ORDERCTL_STATE_DIR, env }
  }
  const ana = addHome('ana')
  const ben = addHome('ben', benEnv)

  const run = async (home: Home, words: readonly string[]): Promise<TeamRun> => {
    const child = start(words, { cwd: home.folder, env: home.env, endsWithinMs })
    const each: TeamRun = { home, words, pid: child.pid ?? 0, stdout: '', stderr: '' }
    runs.push(each)
    running.add(each)
    const { exitCode, signal, stdout, stderr } = await child
    running.delete(each)
    return Object.assign(each, { end: exitCode ?? signal ?? 'nothing', stdout, stderr })
  }

  return {
    ...{ admin, server, database, proxy, service, homes: [ana, ben] as const, ana, ben },
    /** All processes so far. */
    runs,
    running,
    run,
    /** Throws if it does not succeed. */
    mustRun: async (home: Home, ...words: readonly string[]): Promise<string> => {
      const { end, stdout, stderr } = await run(home, words)
      if (end !== 0) throw new Error(`${home.name}: ${words.join(' ')}: ${end}\n${stderr}`)
      return stdout
    },
    /** Every run may take over the orders of the others at once, except those that a transaction has locked. */
    releaseOrders: (): Promise<unknown> =>
      database.admin(
        `UPDATE orders SET held_until = NULL WHERE number IN (SELECT number FROM orders
         WHERE held_until IS NOT NULL FOR UPDATE SKIP LOCKED)`,
      ),
    /** Time passes for the service and for the journal: the proof that an order spent nothing needs both. */
    passTime: async (seconds: number): Promise<void> => {
      await service.advance(`${seconds}s`)
      const earlier = ['placed_at', 'unconfirmed_here'].map(
        (time) => `${time} = ${time} - ${seconds * 1_000}`,
      )
      // Without the trigger that keeps when an order was placed.
      await database.admin(`SET session_replication_role = replica; UPDATE orders SET ${earlier}`)
    },
    listKept: (): string[] =>
      [ana, ben].flatMap(({ state }) => readMachineFile(state).events.map((event) => JSON.stringify(event))),
    [Symbol.asyncDispose]: async (): Promise<void> => {
      for (const { pid } of running) process.kill(pid, 'SIGKILL')
      await stack.disposeAsync()
    },
  }
}
