// Files of several users, each of whom runs the built executable. Only root can start it as another user.
import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { folder, orderctl } from './support/orderctl.ts'

const isRoot = process.geteuid?.() === 0
const nobody = 65_534
const other = 54_321

const order = ['create', '--product', 'GAME-US:25', '--wallet', 'USD']
const addProfile = 'profile add shop --base-url http://127.0.0.1:9 --credential-command echo'.split(' ')

test.skipIf(!isRoot)('root creates nothing in the home of another user', async () => {
  const home = folder()
  chownSync(home, nobody, nobody)
  for (const [words, wanted] of [
    [['--version'], 0],
    [['list'], 0],
    [order, 9],
    [['sandbox'], 9],
    [addProfile, 9],
    [['completion', 'install', 'bash'], 9],
  ] as const) {
    const { exit } = await orderctl(words, { cwd: home, env: { HOME: home } })
    expect({ words, exit, created: readdirSync(home) }).toEqual({ words, exit: wanted, created: [] })
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
    for (const words of [order, ['confirm', '@last'], addProfile, ['profile', 'list']])
      expect(await run(words, {}, mask)).toMatchObject({ exit: 0 })
    for (const name of readdirSync(state)) expect(statSync(path.join(state, name)).mode & 0o022, name).toBe(0)
  })

  test('trusts root, and no other user', async () => {
    const { run, state } = openHome()
    await run(order)
    chownSync(path.join(state, 'machine.db'), 0, 0)
    expect((await run(order)).exit).toBe(0)
    chownSync(state, other, nobody)
    chmodSync(state, 0o770)
    const { exit, stderr } = await run(order)
    expect(exit).toBe(9)
    expect(
      stderr,
    ).toContain(`error: the journal cannot be used: ${state} belongs to another user (uid ${other})
If you trust its contents, run: sudo chown -R ${nobody} ${state}. If not, set ORDERCTL_STATE_DIR to a different folder.
`)
  })

  test('orders nothing below a folder of a third user, except in a user namespace where its owner has no number', async () => {
    const { home, run } = openHome()
    const theirs = path.join(home, 'theirs')
    const env = { ORDERCTL_STATE_DIR: path.join(theirs, 'state') }
    mkdirSync(env.ORDERCTL_STATE_DIR, { recursive: true })
    chownSync(theirs, other, other)
    chownSync(env.ORDERCTL_STATE_DIR, nobody, nobody)
    const { exit, stderr } = await run(order, env)
    expect(exit).toBe(9)
    expect(stderr).toContain(`${theirs} belongs to another user (uid ${other})
Set ORDERCTL_STATE_DIR to a different folder.
`)
    expect(await run(order, env, '022', ['unshare', '--user', '--map-root-user'])).toMatchObject({ exit: 0 })
  })

  // Debian has a user with a group of his own, and two more users in the group of nobody.
  const member = 33
  const ofOpenShift = 1_000_650_000
  test.each<[what: string, user: number, group: number, volume: number, isUsed: boolean]>([
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
    expect(refused.exit).toBe(9)
    expect(refused.stderr).toContain(`Set ORDERCTL_STATE_DIR to ${advice}\n`)
    const env = { ORDERCTL_STATE_DIR: path.join(volume, 'orderctl') }
    const { exit, stderr } = await run(order, env)
    if (!isUsed) {
      expect(exit).toBe(9)
      expect(stderr).toContain('\nSet ORDERCTL_STATE_DIR to a folder elsewhere.\n')
      execFileSync('chmod', ['+t', volume])
    }
    expect((await run([...order, '--confirm'], env)).exit).toBe(0)
  })
})
