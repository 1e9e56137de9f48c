// Keys in a real keyring: gnome-keyring in a D-Bus session of its own.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { apiKey } from '../../support/embedded.ts'
import { realClock, type Situation } from '../../support/in-process.ts'
import { isInstalled } from '../../support/installed.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { byExecutable, inRealTime, openWorld, type Way } from '../../support/world.ts'

const run = promisify(execFile)

const missing = ['dbus-run-session', 'gnome-keyring-daemon', 'secret-tool', 'gdbus'].filter(
  (program) => !isInstalled(program),
)
if (missing.length > 0) console.warn(`not tested: a real keyring, because of missing ${missing.join(', ')}`)

type Session = {
  readonly environment: Record<string, string>
  readonly daemon: number
  readonly folder: string
}

let session: Session
let child: ChildProcess

/** A keyring that is unlocked, as after a login. */
const openSession = async (): Promise<Session> => {
  const folder = mkdtempSync(path.join(tmpdir(), 'orderctl-keyring-'))
  for (const name of ['home', 'runtime']) mkdirSync(path.join(folder, name), { mode: 0o700 })
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: path.join(folder, 'home'),
    XDG_RUNTIME_DIR: path.join(folder, 'runtime'),
  }
  const services = path.join(env.XDG_RUNTIME_DIR, 'dbus-1', 'services')
  mkdirSync(services, { recursive: true })
  // The dialog that asks for the password of the keyring. It is cancelled at once.
  writeFileSync(
    path.join(services, 'org.gnome.keyring.SystemPrompter.service'),
    `[D-BUS Service]\nName=org.gnome.keyring.SystemPrompter\nExec=/bin/sh -c "echo >> ${folder}/dialogs; exit 1"\n`,
  )
  const script =
    'printf password | gnome-keyring-daemon --unlock --components=secrets --daemonize > /dev/null; ' +
    'gdbus wait --session org.freedesktop.secrets; echo "$DBUS_SESSION_BUS_ADDRESS"; cat'
  child = spawn('dbus-run-session', ['--', 'sh', '-c', script], { env, stdio: ['pipe', 'pipe', 'ignore'] })
  const [line] = (await once(child.stdout?.setEncoding('utf8') ?? child, 'data')) as [string]
  const environment = { DBUS_SESSION_BUS_ADDRESS: line.trim(), XDG_RUNTIME_DIR: env.XDG_RUNTIME_DIR }
  const bus = ['org.freedesktop.DBus', '/org/freedesktop/DBus', 'org.freedesktop.DBus']
  const { stdout } = await callBus(environment, bus, 'GetConnectionUnixProcessID', 'org.freedesktop.secrets')
  return { environment, folder, daemon: Number(/\d+(?=,)/.exec(stdout)?.[0]) }
}

const callBus = (
  environment: Record<string, string>,
  [name = '', object = '', face = '']: readonly string[],
  method: string,
  ...words: string[]
) =>
  run('gdbus', ['call', '--session', '-d', name, '-o', object, '-m', `${face}.${method}`, ...words], {
    env: { PATH: process.env.PATH, ...environment },
  })

const lock = () =>
  callBus(
    session.environment,
    ['org.freedesktop.secrets', '/org/freedesktop/secrets', 'org.freedesktop.Secret.Service'],
    'Lock',
    "['/org/freedesktop/secrets/collection/login']",
  )

const countDialogs = (): number => {
  const file = path.join(session.folder, 'dialogs')
  return existsSync(file) ? readFileSync(file, 'utf8').length : 0
}

/** What the keyring has of orderctl, without the secrets. */
const listItems = async (): Promise<string> => {
  const words = ['search', '--all', 'application', 'orderctl']
  const { stdout, stderr } = await run('secret-tool', words, {
    env: { PATH: process.env.PATH, ...session.environment },
  })
  return `${stdout}${stderr}`.replace(/^secret = .*$/gm, '')
}

/** An exit code, and a part of the error. */
const failure = (exit: number, error: string) => ({ exit, stderr: expect.stringContaining(error) as unknown })

const openShop = async (way: Way) => {
  const shop = await openWorld(way)
  const { ORDERCTL_BASE_URL: baseUrl = '' } = shop.environment
  const env = { ...session.environment, ORDERCTL_BASE_URL: undefined, ORDERCTL_API_KEY: undefined }
  const orderctl = (line: string, { env: more, ...situation }: Situation = {}) => {
    const words = line.split(' ').map((word) => (word === 'URL' ? baseUrl : word))
    return shop.run(words, { ...situation, env: { ...env, ...more } })
  }
  return {
    ...shop,
    orderctl,
    add: (flags = '', input = apiKey) =>
      orderctl(`profile add shop --base-url URL --key-stdin --use ${flags}`.trim(), { input }),
    file: () => readFileSync(path.join(shop.home, '.config', 'orderctl', 'profiles.json'), 'utf8'),
  }
}

describe.skipIf(missing.length > 0)('a real keyring', () => {
  beforeEach(async () => {
    session = await openSession()
  })

  afterEach(() => {
    process.kill(session.daemon, 'SIGKILL')
    child.stdin?.end()
    rmSync(session.folder, { recursive: true, force: true })
  })

  test.each([
    ['in process', inRealTime],
    ['by the built executable', byExecutable],
  ])('keeps a key from add to remove, %s', async (_way, way) => {
    const { add, orderctl, file, environment } = await openShop(way)
    expect(await add()).toMatchObject({ exit: 0, stderr: '' })
    expect(file()).not.toContain(apiKey)
    expect(await listItems()).toContain(`attribute.account = ${environment.ORDERCTL_BASE_URL}`)
    expect((await orderctl('profile test')).exit).toBe(0)
    expect((await orderctl('create --product GAME-US:25 --wallet USD --confirm')).exit).toBe(0)
    for (const place of ['file', 'system']) {
      expect((await orderctl(`profile set shop --key-store ${place}`)).exit).toBe(0)
      expect((await orderctl('profile test')).exit).toBe(0)
      expect((await listItems()).match(/^label/gm)?.length).toBe(place === 'file' ? undefined : 1)
    }
    expect((await orderctl('profile remove shop')).exit).toBe(0)
    expect(await listItems()).toBe('')
  })

  test('that is locked is an error, only a terminal opens a dialog, and nothing changes', async () => {
    const { add, orderctl, file } = await openShop(inRealTime)
    await add()
    const before = file()
    await lock()
    for (const terminals of [[], ['stdin', 'stdout', 'stderr']] as const) {
      expect(await orderctl('profile test', { terminals, env: { COLUMNS: '200' } })).toMatchObject(
        failure(4, 'error: cannot read the key of the profile shop from the Secret Service: it is locked\n'),
      )
      expect(countDialogs()).toBe(terminals.length === 0 ? 0 : 1)
    }
    const locked = {
      exit: 4,
      stderr:
        'error: the Secret Service did not save the key: Cannot create an item in a locked collection\n' +
        'Unlock it, or keep the key in a file with --key-store file.\n',
    }
    expect(await orderctl('profile set shop --key-stdin', { input: 'other' })).toMatchObject(locked)
    expect(file()).toBe(before)
    expect((await orderctl('doctor', { env: { COLUMNS: '200' } })).stdout).toMatch(
      /problem +shop: cannot read the key of the profile shop/,
    )
    expect((await orderctl('profile test shop', { env: { ORDERCTL_API_KEY: apiKey } })).exit).toBe(0)
    const removed = await orderctl('profile remove shop')
    expect(removed).toMatchObject(failure(4, 'is still in the Secret Service: it is locked\n'))
    expect(await listItems()).toContain('label = orderctl: key of shop')
  })

  test('that hangs is an error after the limit, and Ctrl-C ends the wait', async () => {
    const { add, orderctl, starts } = await openShop(inRealTime)
    await add()
    process.kill(session.daemon, 'SIGSTOP')
    const clock = {
      ...realClock,
      sleep: (ms: number, signal?: AbortSignal) => realClock.sleep(ms === 10_000 ? 200 : ms, signal),
    }
    for (const line of ['profile test', 'create --product GAME-US:25 --wallet USD --confirm'])
      expect(await orderctl(line, { clock })).toMatchObject(
        failure(4, 'the Secret Service did not respond within 10 seconds\n'),
      )
    const env = { ...session.environment, ORDERCTL_BASE_URL: undefined, ORDERCTL_API_KEY: undefined }
    const waiting = starts(['profile', 'test', 'shop'], { env })
    const children = `/proc/${waiting.pid}/task/${waiting.pid}/children`
    await waitUntil(() => readFileSync(children, 'utf8') !== '')
    waiting.kill('SIGINT')
    expect((await waiting).exitCode).toBe(130)
    process.kill(session.daemon, 'SIGCONT')
    expect((await orderctl('profile test')).exit).toBe(0)
  })
})
