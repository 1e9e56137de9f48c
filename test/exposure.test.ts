// Files and folders that another user of this machine can change: nothing is spent with them, and doctor names the fix.
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Remedy, writeRemedy } from '../src/errors.ts'
import { findExposure, formatMode } from '../src/exposure.ts'
import { openDesk, saveProfiles, secretKey } from './commands/doctor/desk.ts'
import { folder, orderctl } from './support/orderctl.ts'
import { suggest } from './support/suggest.ts'

const isRoot = process.geteuid?.() === 0
const nobody = 65_534
const other = 54_321

const order = ['create', '--product', 'GAME-US:25', '--wallet', 'USD']

const ordered = async () => {
  const desk = openDesk()
  expect((await desk.run([...order, '--confirm'])).exit).toBe(0)
  return desk
}

type Desk = Awaited<ReturnType<typeof ordered>>

/** The error of a command is that of doctor. */
const expectRefused = async ({ run, examine }: Desk, reason: string, remedy: Remedy): Promise<void> => {
  const { fix, advice } = writeRemedy(remedy, suggest)
  expect(await run(order)).toMatchObject({
    ...{ exit: 9, stdout: '' },
    stderr: expect.stringContaining(
      `error: the journal cannot be used: ${reason}\n${fix === undefined ? advice : `try: ${fix}`}\n`,
    ),
  })
  const { exit, find } = await examine()
  expect({ exit, check: find('Journal') }).toMatchObject({
    ...{
      exit: 9,
      check: {
        group: 'Folders',
        status: 'problem',
        detail: reason,
        fix: fix ?? null,
        advice: advice ?? null,
      },
    },
  })
}

const runFix = (fix: string): void => void execFileSync('sh', ['-c', fix])

describe('a state folder', () => {
  test.each([
    ['', 0o770, 'its group', '700'],
    ['', 0o777, 'every user', '700'],
    ['', 0o702, 'every user', '700'],
    ['journal.db', 0o660, 'its group', '600'],
    ['journal.db', 0o602, 'every user', '600'],
    ['machine.db', 0o622, 'every user', '600'],
    ['machine.db-wal', 0o606, 'every user', '600'],
    ['listen.db', 0o620, 'its group', '600'],
    ['sandbox.db', 0o660, 'its group', '600'],
  ])('with %j of mode %o is refused until its fix is typed', async (name, mode, who, fixed) => {
    const desk = await ordered()
    const place = path.join(desk.state, name)
    if (!existsSync(place)) writeFileSync(place, '')
    chmodSync(place, mode)
    const fix = `chmod ${fixed} ${place}${name.endsWith('.db') ? '*' : ''}`
    await expectRefused(desk, `${who} can change ${place} (mode 0${mode.toString(8)})`, { fix: () => fix })
    runFix(fix)
    expect((await desk.run(order)).exit).toBe(0)
  })

  test('is refused by each command that spends or records, and others only read it', async () => {
    const { run, state } = await ordered()
    expect((await run(['sandbox', 'advance', '1h'])).exit).toBe(0)
    chmodSync(state, 0o770)
    const reason = `its group can change ${state} (mode 0770)`
    const plan = ['batch', 'plan', '--product', 'GAME-US:25', '--wallet', 'USD']
    for (const words of [
      [...order, '--confirm'],
      [...order, '--idempotent', '--reference', 'a'],
      ['confirm', '@last'],
      ['redeem', '@last', '--reveal'],
      ['reconcile'],
      ['batch', 'run', ...plan.slice(2), '--max-total', '25'],
      plan,
      ['profile', 'limits', 'sandbox', '--budget', '5USD/day'],
    ]) {
      const { exit, stdout, stderr } = await run(words)
      expect({ words, exit, stdout }).toEqual({ words, exit: 9, stdout: '' })
      expect(stderr).toContain(`the journal cannot be used: ${reason}`)
    }
    for (const words of [['list'], ['get', '@last'], ['redeem', '@last'], ['report'], ['batch', 'list']]) {
      const { exit, stderr } = await run(words)
      expect({ words, exit }).toEqual({ words, exit: 0 })
      expect(stderr.split('\n')).toContain(`warning: orderctl only reads the journal: ${reason}`)
    }
  })

  test('keeps a shared journal closed, because opening it records what this machine has saved', async () => {
    const { run, state } = await ordered()
    chmodSync(state, 0o770)
    const env = {
      ...{ ORDERCTL_BASE_URL: 'http://127.0.0.1:9', ORDERCTL_API_KEY: 'k'.repeat(20) },
      ORDERCTL_JOURNAL: 'postgres://ana@127.0.0.1:9/orders',
    }
    for (const words of [order, ['list'], ['reconcile']]) {
      const { exit, stderr } = await run(words, { env })
      expect({ words, exit }).toEqual({ words, exit: 9 })
      expect(stderr).toContain(`the journal cannot be used: its group can change ${state} (mode 0770)`)
    }
  })

  test.skipIf(!isRoot).each(['', 'journal.db', 'machine.db'])(
    'with %j of another user is refused for root',
    async (name) => {
      const desk = await ordered()
      const place = path.join(desk.state, name)
      chownSync(place, nobody, nobody)
      const own = name.includes('.') ? `chown 0 ${place}*` : `chown -R 0 ${place}`
      const advice = `Run orderctl as that user, without sudo. If root should own it, run: ${own}`
      await expectRefused(desk, `${place} belongs to another user (uid ${nobody})`, { advice })
      runFix(own)
      expect((await desk.run(order)).exit).toBe(0)
    },
  )

  test.each(['-wal', '-shm', '-journal'])(
    'with a file journal.db%s that others can change is a problem',
    async (ending) => {
      const { examine, state } = await ordered()
      const file = path.join(state, `journal.db${ending}`)
      writeFileSync(file, '')
      chmodSync(file, 0o660)
      expect((await examine()).find('Journal')?.detail).toBe(`its group can change ${file} (mode 0660)`)
    },
  )

  test('below a folder that every user can write is refused, but not below one like /tmp', async () => {
    const desk = await ordered()
    const parent = path.join(desk.home, '.local')
    chmodSync(parent, 0o777)
    const below = path.join(parent, 'state')
    const reason = `every user can replace ${below}, because of the mode 0777 of ${parent}`
    await expectRefused(desk, reason, { fix: () => `chmod o-w ${parent}` })
    chmodSync(parent, 0o1777)
    expect((await desk.run(order)).exit).toBe(0)
  })

  test.skipIf(!isRoot)('below a folder that a group can write is refused', async () => {
    const desk = await ordered()
    const parent = path.join(desk.home, '.local')
    const below = path.join(parent, 'state')
    for (const [mode, who, change] of [
      [0o775, `every member of the group ${other}`, 'g-w'],
      [0o2770, `every member of the group ${other}`, 'g-w'],
      [0o777, 'every user', 'go-w'],
    ] as const) {
      chownSync(parent, 0, other)
      chmodSync(parent, mode)
      const reason = `${who} can replace ${below}, because of the mode ${formatMode(mode)} of ${parent}`
      const fix = `chmod ${change} ${parent}`
      await expectRefused(desk, reason, { fix: () => fix })
      runFix(fix)
      expect((await desk.run(order)).exit).toBe(0)
    }
    for (const [group, mode] of [
      [other, 0o1775],
      [0, 0o775],
    ] as const) {
      chownSync(parent, 0, group)
      chmodSync(parent, mode)
      expect((await desk.run(order)).exit).toBe(0)
    }
  })

  test.skipIf(!isRoot)('behind a link in a folder that a group can write is refused', async () => {
    const desk = await ordered()
    const shared = path.join(desk.home, 'shared')
    mkdirSync(shared)
    chownSync(shared, 0, other)
    symlinkSync(path.join(desk.home, '.local'), path.join(shared, 'link'))
    const env = { ORDERCTL_STATE_DIR: path.join(shared, 'link', 'state', 'orderctl') }
    expect((await desk.run(order, { env })).exit).toBe(0)
    chmodSync(shared, 0o775)
    expect(await desk.run(order, { env })).toMatchObject({
      exit: 9,
      stderr: expect.stringContaining(`every member of the group ${other} can replace ${shared}/link`),
    })
  })

  test.skipIf(!isRoot)('below a folder of another user is refused, also with the sticky bit', async () => {
    const desk = await ordered()
    const refuse = (place: string): Promise<void> => {
      const reason = `${place} belongs to another user (uid ${nobody})`
      return expectRefused(desk, reason, { advice: 'Run orderctl as that user, without sudo.' })
    }
    chownSync(desk.home, nobody, nobody)
    await refuse(desk.home)
    chownSync(desk.home, 0, 0)
    const parent = path.join(desk.home, '.local')
    chownSync(parent, nobody, nobody)
    for (const mode of [0o755, 0o700, 0o1777]) {
      chmodSync(parent, mode)
      await refuse(parent)
    }
    rmSync(path.join(parent, 'state'), { recursive: true })
    await refuse(parent)
  })

  test.skipIf(!isRoot)('with a journal that is a link names only the file of another user', async () => {
    const desk = await ordered()
    const shared = path.join(desk.home, 'shared')
    mkdirSync(shared)
    const target = path.join(shared, 'journal.db')
    execFileSync('mv', [path.join(desk.state, 'journal.db'), target])
    symlinkSync(target, path.join(desk.state, 'journal.db'))
    chmodSync(shared, 0o1777)
    chownSync(target, nobody, nobody)
    const refuse = (place: string, own: string): Promise<void> =>
      expectRefused(desk, `${place} belongs to another user (uid ${nobody})`, {
        advice: `Run orderctl as that user, without sudo.${own}`,
      })
    await refuse(target, ` If root should own it, run: chown 0 ${target}*`)
    chownSync(target, 0, 0)
    chownSync(shared, nobody, nobody)
    await refuse(shared, '')
    chmodSync(shared, 0o755)
    await refuse(shared, '')
  })

  test('like /tmp itself is refused, and a new folder in it is used', async () => {
    const desk = openDesk()
    const shared = path.join(desk.home, 'tmp')
    mkdirSync(shared)
    chmodSync(shared, 0o1777)
    const refused = await desk.run(order, { env: { ORDERCTL_STATE_DIR: shared } })
    expect(refused).toMatchObject({
      exit: 9,
      stderr: expect.stringContaining(
        'Set ORDERCTL_STATE_DIR to a new folder in it. orderctl creates that folder for you only.',
      ),
    })
    expect(readdirSync(shared)).not.toContain('journal.db')
    const env = { ORDERCTL_STATE_DIR: path.join(shared, 'mine') }
    expect((await desk.run(order, { env })).exit).toBe(0)
    expect(statSync(env.ORDERCTL_STATE_DIR).mode & 0o777).toBe(0o700)
  })

  test.skipIf(!isRoot).each([
    ['to the folder', (shared: string, safe: string) => symlinkSync(safe, path.join(shared, 'link'))],
    [
      'behind another link',
      (shared: string, safe: string) => {
        symlinkSync(safe, path.join(shared, 'theirs'))
        symlinkSync(path.join(shared, 'theirs'), path.join(shared, 'link'))
      },
    ],
  ])('by a link of another user %s is refused', async (_, plant) => {
    const desk = await ordered()
    const [shared, safe] = [path.join(desk.home, 'shared'), path.join(desk.home, 'safe')]
    for (const each of [shared, safe]) mkdirSync(each, { mode: 0o700 })
    chmodSync(shared, 0o1777)
    plant(shared, safe)
    const env = { ORDERCTL_STATE_DIR: path.join(shared, 'link', 'state') }
    expect((await desk.run(order, { env })).exit).toBe(0)
    const theirs = readdirSync(shared).sort().at(-1) ?? ''
    lchownSync(path.join(shared, theirs), other, other)
    const { exit, stderr } = await desk.run(order, { env })
    expect(exit).toBe(9)
    expect(stderr).toContain(`${path.join(shared, theirs)} belongs to another user (uid ${other})`)
  })

  test('behind links is judged where it is', async () => {
    const desk = await ordered()
    const elsewhere = path.join(desk.home, 'elsewhere')
    execFileSync('mv', [desk.state, elsewhere])
    symlinkSync(elsewhere, desk.state)
    expect((await desk.run(order)).exit).toBe(0)
    chmodSync(elsewhere, 0o770)
    const reason = `its group can change ${elsewhere} (mode 0770)`
    expect((await desk.run(order)).stderr).toContain(reason)
    chmodSync(elsewhere, 0o700)
    // Only the journal is behind a link.
    const shared = path.join(desk.home, 'shared')
    mkdirSync(shared, { mode: 0o700 })
    execFileSync('mv', [path.join(elsewhere, 'journal.db'), shared])
    symlinkSync(path.join(shared, 'journal.db'), path.join(elsewhere, 'journal.db'))
    expect((await desk.run(order)).exit).toBe(0)
    chmodSync(shared, 0o770)
    expect((await desk.run(order)).stderr).toContain(`its group can change ${shared} (mode 0770)`)
  })
})

describe('the profiles', () => {
  const saved = () => {
    const desk = openDesk()
    const file = saveProfiles(desk, { name: 'shop', baseUrl: 'http://127.0.0.1:9' })
    return { ...desk, file }
  }

  test.each([
    ['profiles.json', 0o620, '600'],
    ['', 0o770, '700'],
  ])('with %j of mode %o are refused by each command that needs one', async (name, mode, fixed) => {
    const { run, config, examine } = saved()
    const place = path.join(config, name)
    chmodSync(place, mode)
    const reason = `its group can change ${place} (mode 0${mode.toString(8)})`
    for (const words of [order, ['get', '1'], ['profile', 'list'], ['profile', 'use', 'sandbox']]) {
      const { exit, stderr } = await run(words)
      expect({ words, exit, stderr }).toEqual({
        ...{ words, exit: 9 },
        stderr: `error: the profiles cannot be used: ${reason}\ntry: chmod ${fixed} ${place}\n`,
      })
    }
    const { find, stdout } = await examine()
    expect(find('Profiles')).toMatchObject({ group: 'Folders', status: 'problem', detail: reason })
    expect(stdout).not.toContain(secretKey)
    // Neither needs the profiles.
    expect((await run([...order, '--profile', 'sandbox'])).exit).toBe(0)
    const env = { ORDERCTL_BASE_URL: 'http://127.0.0.1:9', ORDERCTL_API_KEY: 'k'.repeat(20) }
    expect((await run(['get', '1'], { env })).exit).toBe(5)
    runFix(`chmod ${fixed} ${place}`)
    expect((await run(['profile', 'list'])).exit).toBe(0)
  })

  test.skipIf(!isRoot)('of another user run none of its commands', async () => {
    const { run, home, config, put } = openDesk()
    const mark = path.join(home, 'mark')
    const credential = { kind: 'command', command: `touch ${mark}; echo key` }
    saveProfiles({ put } as never, { name: 'shop', baseUrl: 'http://127.0.0.1:9', credential })
    chownSync(path.join(config, 'profiles.json'), nobody, nobody)
    expect((await run(['get', '1'])).exit).toBe(9)
    expect(existsSync(mark)).toBe(false)
  })
})

test.skipIf(!isRoot)('root creates nothing in the home of another user', async () => {
  const home = folder()
  chownSync(home, nobody, nobody)
  for (const [words, exit] of [
    [['--version'], 0],
    [['list'], 0],
    [order, 9],
    [['sandbox'], 9],
    [['profile', 'add', 'shop', '--base-url', 'http://127.0.0.1:9', '--credential-command', 'echo'], 9],
    [['completion', 'install', 'bash'], 9],
  ] as const) {
    expect({ words, exit: (await orderctl(words, { cwd: home, env: { HOME: home } })).exit }).toEqual({
      words,
      exit,
    })
    expect({ words, created: readdirSync(home) }).toEqual({ words, created: [] })
  }
})

describe.skipIf(!isRoot)('an ordinary user', () => {
  const openHome = (user = nobody, group = user, more = '') => {
    const home = folder()
    chownSync(home, user, group)
    const groups = more === '' ? '--clear-groups' : `--groups=${more}`
    const under = ['setpriv', `--reuid=${user}`, `--regid=${group}`, groups, '--']
    const run = (words: readonly string[], env = {}, mask = '022', inside: readonly string[] = []) =>
      orderctl(words, {
        ...{ cwd: home, env: { HOME: home, ...env } },
        under: ['sh', '-c', `umask ${mask}; exec "$@"`, 'sh', ...under, ...inside],
      })
    return { home, run, state: path.join(home, '.local', 'state', 'orderctl') }
  }

  test.each(['002', '000', '077'])('orders with a umask of %s', async (mask) => {
    const { run, state } = openHome()
    for (const words of [order, ['confirm', '@last']])
      expect(await run(words, {}, mask)).toMatchObject({ exit: 0 })
    expect(
      await run(
        ['profile', 'add', 'shop', '--base-url', 'http://127.0.0.1:9', '--credential-command', 'echo'],
        {},
        mask,
      ),
    ).toMatchObject({
      exit: 0,
    })
    expect(await run(['profile', 'list'], {}, mask)).toMatchObject({ exit: 0 })
    for (const name of readdirSync(state)) expect(statSync(path.join(state, name)).mode & 0o022, name).toBe(0)
  })

  test('trusts root, and no other user', async () => {
    const { run, state } = openHome()
    await run(order)
    chownSync(path.join(state, 'machine.db'), 0, 0)
    expect((await run(order)).exit).toBe(0)
    chownSync(state, other, nobody)
    chmodSync(state, 0o770)
    expect(await run(order)).toMatchObject({
      exit: 9,
      stderr: expect.stringContaining(
        `error: the journal cannot be used: ${state} belongs to another user (uid ${other})\nIf you trust its contents, run: sudo chown -R ${nobody} ${state}. If not, set ORDERCTL_STATE_DIR to a different folder.\n`,
      ),
    })
  })

  test('below a folder of a third user orders nothing', async () => {
    const { home, run } = openHome()
    const theirs = path.join(home, 'theirs')
    mkdirSync(path.join(theirs, 'state'), { recursive: true })
    chownSync(theirs, other, other)
    chownSync(path.join(theirs, 'state'), nobody, nobody)
    expect(await run(order, { ORDERCTL_STATE_DIR: path.join(theirs, 'state') })).toMatchObject({
      exit: 9,
      stderr: expect.stringContaining(
        `${theirs} belongs to another user (uid ${other})\nSet ORDERCTL_STATE_DIR to a different folder.\n`,
      ),
    })
  })

  test('in a user namespace trusts the folders above, whose owner has no number there', async () => {
    const { home, run } = openHome()
    const above = path.join(home, 'above')
    const state = path.join(above, 'state')
    mkdirSync(state, { recursive: true })
    chownSync(state, nobody, nobody)
    chownSync(above, other, other)
    const env = { ORDERCTL_STATE_DIR: state }
    expect((await run(order, env)).exit).toBe(9)
    expect(await run(order, env, '022', ['unshare', '--user', '--map-root-user'])).toMatchObject({ exit: 0 })
  })

  // Debian has a user with a group of his own, and two more users in the group of nobody.
  const member = 33
  const ofOpenShift = 1_000_650_000
  type Case = [what: string, user: number, group: number, volume: number, isUsed: boolean]
  test.each<Case>([
    ['its own group', member, member, member, true],
    ['the group root, as in the images of OpenShift', ofOpenShift, 0, 0, true],
    ['its number, as the volumes of OpenShift', ofOpenShift, 0, ofOpenShift, true],
    ['a group of several users', nobody, nobody, nobody, false],
    ['a group that it joined', member, member, other, false],
  ])('with a volume of %s', async (_, user, group, owner, isUsed) => {
    const { home, run } = openHome(user, group, String(owner))
    const volume = path.join(home, 'volume')
    mkdirSync(volume)
    chownSync(volume, 0, owner)
    chmodSync(volume, 0o2775)
    const refused = await run(order, { ORDERCTL_STATE_DIR: volume })
    const advice = isUsed
      ? 'a new folder in it. orderctl creates that folder for you only.'
      : 'a folder elsewhere. A new folder in it could be replaced.'
    expect(refused).toMatchObject({
      exit: 9,
      stderr: expect.stringContaining(`Set ORDERCTL_STATE_DIR to ${advice}\n`),
    })
    const env = { ORDERCTL_STATE_DIR: path.join(volume, 'orderctl') }
    const { exit, stderr } = await run(order, env)
    if (!isUsed) {
      expect(exit).toBe(9)
      expect(stderr).toContain(`try: sudo chmod +t ${volume}\n`)
      execFileSync('chmod', ['+t', volume])
    }
    expect((await run([...order, '--confirm'], env)).exit).toBe(0)
  })

  test.each<Case>([
    ['its own group', member, member, member, true],
    ['the group root', ofOpenShift, 0, 0, true],
    ['a group of several users', nobody, nobody, nobody, false],
  ])('with a home of %s that the group can write', async (_, user, group, owner, isUsed) => {
    const { home, run } = openHome(user, group)
    chownSync(home, user, owner)
    chmodSync(home, 0o775)
    expect((await run(order)).exit).toBe(isUsed ? 0 : 9)
    expect(existsSync(path.join(home, '.cache'))).toBe(isUsed)
  })
})

test('a folder that does not exist yet is judged by the folders above it', () => {
  const home = folder()
  const options = { names: [], variable: 'X' }
  const missing = path.join(home, 'open', 'a', 'b')
  expect(findExposure(missing, options)).toBeUndefined()
  mkdirSync(path.join(home, 'open'))
  chmodSync(path.join(home, 'open'), 0o777)
  expect(writeRemedy(findExposure(missing, options) ?? {}, suggest).fix).toBe(`chmod o-w ${home}/open`)
})
