// Runs every command of docs/teams.md, in its order, with a PostgreSQL server and a service, and compares the outputs.
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { execa } from 'execa'
import { expect, onTestFinished, test } from 'vitest'
import { executable, folder, serveMock } from '../support/orderctl.ts'
import { query } from '../support/postgres/database.ts'
import { superuser } from '../support/postgres/installation.ts'
import { startServer } from '../support/postgres/server.ts'
import { waitUntil } from '../support/wait-until.ts'

const guide = readFileSync('docs/teams.md', 'utf8')

type Block = { readonly kind: string; readonly text: string; readonly file: string | undefined }

/** The sentence before a file ends with its name. A command in a table is a block of Ana's. */
const blocks: readonly Block[] = [
  ...guide.matchAll(
    /(?:Save this as `([\w.]+)`:\n\n)?^```(\w+)\n([\s\S]*?)^```$|^\|.*\| `(orderctl [^`]+)` \|$/gm,
  ),
].map(([, file, kind = '', text = '', command]) =>
  command === undefined ? { file, kind, text } : { file, kind: 'sh', text: `# as ana\n${command}` },
)

const findBlock = (kind: string): string => blocks.find((block) => block.kind === kind)?.text ?? ''

const passwordOf = (role: string): string => `Secret of ${role}: \\7`
const escapeField = (text: string): string => text.replaceAll(/[\\:]/g, (each) => `\\${each}`)
const collapse = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

/** What an administrator types into psql. */
const createAdmin = (port: number) => {
  let database = 'postgres'
  const run = (sql: string) =>
    query({ host: '127.0.0.1', port, user: superuser.name, password: superuser.password, database }, sql)
  const type = async (line: string): Promise<void> => {
    const [word, name = ''] = line.split(' ')
    if (word === '\\connect') database = name
    else if (word === '\\password') await run(`ALTER ROLE ${name} PASSWORD '${passwordOf(name)}'`)
    else await run(line)
  }
  return { run, type, leave: () => (database = 'postgres') }
}

const openWorld = async () => {
  const server = await startServer()
  onTestFinished(() => server[Symbol.asyncDispose]())
  const service = await serveMock()
  const place = `127.0.0.1:${server.port}`
  const localize = (text: string): string =>
    text
      .replaceAll('db.example.com%3A5432', encodeURIComponent(place))
      .replaceAll('db.example.com', place)
      .replaceAll('https://orders.example.com', service.url)
  const programs = folder()
  const writeProgram = (name: string, script: string): void => {
    writeFileSync(path.join(programs, name), `#!/bin/sh\n${script}\n`)
    chmodSync(path.join(programs, name), 0o755)
  }
  writeProgram('orderctl', `exec ${executable.map((word) => `'${word}'`).join(' ')} "$@"`)
  writeProgram('pass', `[ "$*" = 'show orders-db' ] && printf '%s\\n' '${passwordOf('ben')}'`)
  const homes = new Map<string, string>()
  /** Each role has a machine. Ben's has no password file, because his profile has a command. */
  const openHome = (role: string): string => {
    const known = homes.get(role)
    if (known !== undefined) return known
    const home = folder()
    homes.set(role, home)
    writeFileSync(path.join(home, 'key.txt'), service.key)
    const line = findBlock('pgpass')
      .replace('db.example.com:5432', place)
      .replace(':ana:', `:${role}:`)
      .replace('PASSWORD', escapeField(passwordOf(role)))
    if (!['ben', 'ci'].includes(role)) writeFileSync(path.join(home, '.pgpass'), line, { mode: 0o600 })
    return home
  }
  const readVariables = (role: string): Record<string, string> => {
    if (role !== 'ci') return {}
    const lines = localize(findBlock('yaml')).trim().split('\n')
    return {
      ...Object.fromEntries(lines.map((line) => line.split(/: (.*)/))),
      ...{ ORDERCTL_API_KEY: service.key, PGPASSWORD: passwordOf('ci') },
    }
  }
  const start = (role: string, line: string, env: Record<string, string> = {}) => {
    // Nothing of a job is kept on its machine.
    if (role === 'ci') homes.delete(role)
    const home = openHome(role)
    return execa('sh', ['-c', localize(line)], {
      cwd: home,
      env: {
        ...{ PATH: `${programs}:${process.env.PATH}`, HOME: home, TZ: 'UTC' },
        ...readVariables(role),
        ...env,
      },
      ...{ extendEnv: false, reject: false, all: true, stdin: 'ignore' as const },
    })
  }
  const generalize = (text: string): string => text.replaceAll(place, 'db.example.com')
  return { server, service, admin: createAdmin(server.port), openHome, start, generalize }
}

type World = Awaited<ReturnType<typeof openWorld>>

/** Ana orders, and then the database is that of before. */
const restoreBackup = async ({ admin, start }: World): Promise<void> => {
  admin.leave()
  const endConnections = () =>
    admin.run("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = 'orders'")
  await endConnections()
  await admin.run('CREATE DATABASE backup TEMPLATE orders OWNER orderctl')
  const ordered = await start('ana', 'orderctl create --product GAME-US:25 --reference lost --confirm')
  expect(ordered.exitCode, ordered.all).toBe(0)
  await endConnections()
  await admin.run('ALTER DATABASE orders RENAME TO old')
  await admin.run('ALTER DATABASE backup RENAME TO orders')
}

const commandsOf = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .filter((line) => !line.startsWith('# '))
    .map((line) => ({ line, exit: Number(/# exits with (\d+)$/.exec(line)?.[1] ?? 0) }))

test('every command of the guide for teams works as it stands', { timeout: 240_000 }, async () => {
  const world = await openWorld()
  const { server, service, admin, openHome, start, generalize } = world
  const before = await start(
    'ana',
    'orderctl create --product GAME-US:25 --wallet USD --reference po-1 --confirm',
    {
      ...{ ORDERCTL_BASE_URL: service.url, ORDERCTL_API_KEY: service.key },
    },
  )
  expect(before.exitCode, before.all).toBe(0)

  let output = ''
  let commands = 0
  let waiting: { readonly line: string; readonly child: ReturnType<typeof start> } | undefined
  const runBlock = async (text: string): Promise<void> => {
    const [, role = '', situation = ''] = /^# as (\w+)(.*)$/m.exec(text) ?? []
    if (situation === ', without the database') await server.stop()
    if (situation === ', after a restore') await restoreBackup(world)
    let exported = ''
    for (const { line, exit } of commandsOf(text)) {
      if (line.startsWith('export ')) {
        exported = `${line}; `
        continue
      }
      const child = start(role, exported + line)
      commands += 1
      if (line.includes('--wait-approval')) {
        let said = ''
        child.all.on('data', (bytes: Buffer) => (said += bytes))
        await waitUntil(() => said.includes('Waiting up to 2 h for an approval.'))
        waiting = { line, child }
        return
      }
      const ran = await child
      expect({ line, exit: ran.exitCode, all: ran.all }).toMatchObject({ exit })
      output += `${generalize(ran.all)}\n`
    }
    if (situation === ', without the database') await server.start()
  }
  for (const { kind, text, file } of blocks) {
    if (file !== undefined) writeFileSync(path.join(openHome('ana'), file), text)
    if (kind === 'sql') for (const line of text.trimEnd().split('\n')) await admin.type(line)
    if (kind === 'text') {
      for (const line of text.trimEnd().split('\n')) expect(collapse(output)).toContain(collapse(line))
    }
    if (kind !== 'sh') continue
    output = ''
    const started = waiting
    await runBlock(text)
    if (started === undefined) continue
    waiting = undefined
    const { exitCode, all } = await started.child
    expect({ line: started.line, exit: exitCode, all }).toMatchObject({ exit: 0 })
  }
  expect(commands).toBeGreaterThan(30)
})
