// Files and folders that another user of this machine can change, and groups whose folders are safe although they can write.
import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, statSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { isPrivateGroup } from '../src/exposure.ts'
import { openDesk, saveProfiles, secretKey } from './commands/doctor/desk.ts'
import { isAllRun, sampleEvenly } from './support/cases.ts'
import { isOnWindows, orderctl } from './support/orderctl.ts'
import { rowsOf } from './support/rows.ts'

const isRoot = process.geteuid?.() === 0
const nobody = 65_534

const order = ['create', '--product', 'GAME-US:25', '--wallet', 'USD']

const ordered = async () => {
  const desk = openDesk()
  expect((await desk.run([...order, '--confirm'])).exit).toBe(0)
  return desk
}

const runShell = (commands: string): void => void execFileSync('sh', ['-c', commands])

/** The rows that this user can try: only root changes owners. `npm test` tries some. */
const triedOf = (table: string): string[][] => {
  const tried = rowsOf(table).filter(([commands]) => isRoot || !/chown|chgrp/.test(commands ?? ''))
  return isAllRun ? tried : sampleEvenly(tried, 5)
}

/** Where STATE is the state folder and ~ the home folder. */
const openAfter = async (commands: string) => {
  const desk = await ordered()
  const expand = (text: string): string =>
    text.replaceAll(/\bSTATE\b/g, desk.state).replaceAll('~', desk.home)
  runShell(expand(commands))
  return { ...desk, expand }
}

describe('a state folder', () => {
  // The commands, the reason, what to do about it, and ORDERCTL_STATE_DIR.
  test.each(
    triedOf(`
    chmod 770 STATE | its group can change STATE (mode 0770) | try: chmod 700 STATE
    chmod 777 STATE | every user can change STATE (mode 0777) | try: chmod 700 STATE
    chmod 602 STATE/journal.db | every user can change STATE/journal.db (mode 0602) | try: chmod 600 STATE/journal.db*
    chmod 622 STATE/machine.db | every user can change STATE/machine.db (mode 0622) | try: chmod 600 STATE/machine.db*
    touch STATE/listen.db; chmod 620 STATE/listen.db \
      | its group can change STATE/listen.db (mode 0620) | try: chmod 600 STATE/listen.db*
    touch STATE/journal.db-wal; chmod 660 STATE/journal.db-wal \
      | its group can change STATE/journal.db-wal (mode 0660) | try: chmod 600 STATE/journal.db-wal
    touch STATE/journal.db-journal; chmod 660 STATE/journal.db-journal \
      | its group can change STATE/journal.db-journal (mode 0660) | try: chmod 600 STATE/journal.db-journal
    chown 65534 STATE | STATE belongs to another user (uid 65534) | OWN chown -R 0 STATE
    chown 65534 STATE/journal.db | STATE/journal.db belongs to another user (uid 65534) | OWN chown 0 STATE/journal.db*
    chown 65534 ~ | ~ belongs to another user (uid 65534) | LEAVE
    chown 65534 ~/.local; chmod 1777 ~/.local | ~/.local belongs to another user (uid 65534) | LEAVE
    chmod 777 ~/.local \
      | every user can replace ~/.local/state, because of the mode 0777 of ~/.local | try: chmod o-w ~/.local
    rm -r ~/.local/state; chmod 777 ~/.local \
      | every user can replace ~/.local/new, because of the mode 0777 of ~/.local | try: chmod o-w ~/.local
    chgrp 54321 ~/.local; chmod 777 ~/.local \
      | every user can replace ~/.local/state, because of the mode 0777 of ~/.local | try: chmod go-w ~/.local
    chgrp 54321 ~/.local; chmod 775 ~/.local \
      | every member of the group 54321 can replace ~/.local/state, because of the mode 0775 of ~/.local \
      | try: chmod g-w ~/.local
    mv STATE ~/elsewhere; ln -s ~/elsewhere STATE; chmod 770 ~/elsewhere \
      | its group can change ~/elsewhere (mode 0770) | try: chmod 700 ~/elsewhere
    mkdir -m 770 ~/shared; mv STATE/journal.db ~/shared; ln -s ~/shared/journal.db STATE \
      | its group can change ~/shared (mode 0770) | try: chmod 700 ~/shared
    mkdir -m 755 ~/shared; mv STATE/journal.db ~/shared; ln -s ~/shared/journal.db STATE; chown 65534 ~/shared/* \
      | ~/shared/journal.db belongs to another user (uid 65534) | OWN chown 0 ~/shared/journal.db*
    mkdir -m 1777 ~/shared; mv STATE/journal.db ~/shared; ln -s ~/shared/journal.db STATE; chown 65534 ~/shared \
      | ~/shared belongs to another user (uid 65534) | LEAVE
    mkdir -m 775 ~/shared; ln -s ~/.local ~/shared/link; chgrp 54321 ~/shared \
      | every member of the group 54321 can replace ~/shared/link, because of the mode 0775 of ~/shared \
      | try: chmod g-w ~/shared | ~/shared/link/state/orderctl
    mkdir ~/safe; mkdir -m 1777 ~/shared; ln -s ~/safe ~/shared/link; chown -h 54321 ~/shared/link \
      | ~/shared/link belongs to another user (uid 54321) | LEAVE | ~/shared/link/state
    mkdir ~/safe; mkdir -m 1777 ~/shared; cd ~/shared; ln -s ~/safe theirs; ln -s theirs link; chown -h 54321 theirs \
      | ~/shared/theirs belongs to another user (uid 54321) | LEAVE | ~/shared/link/state
    mkdir -m 1777 ~/tmp | every user can change ~/tmp (mode 1777) \
      | Set ORDERCTL_STATE_DIR to a new folder in it. orderctl creates that folder for you only. | ~/tmp
    `),
  )('is refused after %s: %s', async (commands = '', reason = '', remedy = '', place = 'STATE') => {
    const { run, examine, expand } = await openAfter(commands)
    const env = { ORDERCTL_STATE_DIR: expand(place) }
    const says = expand(remedy)
      .replace('LEAVE', 'Run orderctl as that user, without sudo.')
      .replace('OWN', 'Run orderctl as that user, without sudo. If root should own it, run:')
    expect(await run(order, { env })).toMatchObject({
      ...{ exit: 9, stdout: '' },
      stderr: expect.stringContaining(`error: the journal cannot be used: ${expand(reason)}\n${says}\n`),
    })
    const [, fix = null] = /^try: (.*)/.exec(says) ?? []
    const { exit, find } = await examine({ env })
    expect({ exit, check: find('File') }).toMatchObject({
      exit: 9,
      check: {
        ...{ status: 'problem', detail: `the journal cannot be used: ${expand(reason)}` },
        ...{ fix, advice: fix === null ? says : null },
      },
    })
    const [, typed] = /: (ch.*)/.exec(says) ?? []
    if (typed === undefined) return
    runShell(typed)
    expect((await run(order, { env })).exit).toBe(0)
  })

  test.each(
    triedOf(`
    chmod 1777 ~/.local
    chgrp 54321 ~/.local; chmod 1775 ~/.local
    chgrp 0 ~/.local; chmod 775 ~/.local
    mv STATE ~/elsewhere; ln -s ~/elsewhere STATE
    mkdir -m 700 ~/shared; mv STATE/journal.db ~/shared; ln -s ~/shared/journal.db STATE
    mkdir -m 1777 ~/shared; ln -s ~/.local ~/shared/link | ~/shared/link/state/orderctl
    mkdir -m 1777 ~/tmp | ~/tmp/mine
    `),
  )('is used after %s', async (commands = '', place = 'STATE') => {
    const { run, expand } = await openAfter(commands)
    const env = { ORDERCTL_STATE_DIR: expand(place) }
    expect((await run(order, { env })).exit).toBe(0)
    expect(statSync(expand(place)).mode & 0o777).toBe(0o700)
  })

  test('is refused by each command that spends or records, and others only read it', async () => {
    const { run, state } = await ordered()
    expect((await run(['sandbox', 'advance', '1h'])).exit).toBe(0)
    chmodSync(state, 0o770)
    const reason = `its group can change ${state} (mode 0770)`
    const created = 'create --product GAME-US:25 --wallet USD'
    const refused = `${created} --confirm; ${created} --idempotent --reference a; confirm @last; reconcile
      redeem @last --reveal; batch run --product GAME-US:25 --wallet USD --max-total 25
      batch plan --product GAME-US:25 --wallet USD; profile limits sandbox --budget 5USD/day`
    for (const line of refused.split(/[;\n] */)) {
      const { exit, stdout, stderr } = await run(line.trim().split(' '))
      expect({ line, exit, stdout }).toEqual({ line, exit: 9, stdout: '' })
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
})

// A file that is not regular, or has a second link, is refused before it is opened: opening a pipe would wait forever.
test.runIf(isAllRun && !isOnWindows).each(
  rowsOf(`
  rm STATE/journal.db; mkfifo -m 600 STATE/journal.db | STATE/journal.db is not a file
  rm STATE/journal.db; ln -s /dev/null STATE/journal.db | STATE/journal.db is not a file
  mkfifo -m 600 STATE/journal.db-journal | STATE/journal.db-journal is not a file
  rm STATE/machine.db*; mkfifo -m 600 STATE/machine.db | STATE/machine.db is not a file
  ln STATE/machine.db ~/other | STATE/machine.db has more than one hard link
  `),
)('after %s, nothing is sent and nothing waits: %s', async (commands = '', reason = '') => {
  const { home, expand } = await openAfter(commands)
  // The sandbox does not use the machine file.
  const env = { ORDERCTL_BASE_URL: 'http://127.0.0.1:9', ORDERCTL_API_KEY: 'k'.repeat(20) }
  const options = { cwd: home, env, endsWithinMs: 60_000 }
  const begin = async (...words: string[]) => ({ words, ...(await orderctl(words, options)) })
  const refused = [begin(...order), begin('doctor'), begin('journal', 'status')]
  for (const { words, exit, stdout, stderr } of await Promise.all(refused)) {
    expect({ words, exit }).toEqual({ words, exit: 9 })
    expect(`${stdout}${stderr}`.replaceAll(/\n +/g, ' ')).toContain(expand(reason))
    expect(`${stdout}${stderr}`).not.toContain('chmod')
  }
  const others = [begin('list'), begin('get', '@last'), begin('__complete', '--', 'get', '')]
  for (const { words, exit } of await Promise.all(others))
    expect({ words, exit }).toEqual({ words, exit: expect.any(Number) })
})

describe('the profiles', () => {
  test.each([
    ['profiles.json', 0o620, '600'],
    ['', 0o770, '700'],
  ])('with %j of mode %o are refused by each command that needs one', async (name, mode, fixed) => {
    const desk = openDesk()
    const { run, config, examine } = desk
    saveProfiles(desk, { name: 'shop', baseUrl: 'http://127.0.0.1:9' })
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
    expect(find('Profiles')).toMatchObject({
      ...{ status: 'problem', detail: `the profiles cannot be used: ${reason}` },
    })
    expect(stdout).not.toContain(secretKey)
    // Neither needs the profiles.
    expect((await run([...order, '--profile', 'sandbox'])).exit).toBe(0)
    const env = { ORDERCTL_BASE_URL: 'http://127.0.0.1:9', ORDERCTL_API_KEY: 'k'.repeat(20) }
    expect((await run(['get', '1'], { env })).exit).toBe(5)
    runShell(`chmod ${fixed} ${place}`)
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

const root = 'root:x:0:0:root:/root:/bin/bash'
const ana = 'ana:x:1000:1000::/home/ana:/bin/bash'
const ben = 'ben:x:1001:1001::/home/ben:/bin/bash'

// What, its number, the accounts beside root and ben, the groups, and whether it is private to the user 1000. Where a
// semicolon divides lines.
const cases = rowsOf(`
  the group of the user alone | 1000 | ANA | ana:x:1000: | yes
  a group with another number than the user | 70 | ana:x:1000:70::/: | staff:x:70: | yes
  the group that lists the user, too | 1000 | ANA | ana:x:1000:ana | yes
  the group that root is in, too | 1000 | ANA | ana:x:1000:root,ana | yes
  the group that is listed twice, for the user alone | 1000 | ANA | ana:x:1000:;copy:x:1000:ana | yes
  the group that has another member | 1000 | ANA | ana:x:1000:ben | no
  the group that has an unknown member | 1000 | ANA | ana:x:1000:gone | no
  the group that has another member by a second name | 1000 | ANA | ana:x:1000:;copy:x:1000:ben | no
  the primary group of another user, too | 100 | ana:x:1000:100::/:;eve:x:7:100::/: | users:x:100: | no
  a group that only lists the user | 70 | ANA | team:x:70:ana | no
  a group of which nobody is known | 70 | ANA | | no
  a group of LDAP, whose members are not listed | 100 | | users:x:100: | no
  the group root | 0 | ANA | root:x:0:ben | yes
  the volumes of OpenShift | 1000 | | root:x:0: | yes
  the volumes of OpenShift, with an entry for the user | 1000 | ana:x:1000:0::/: | root:x:0: | yes
  a group with the number of the user and a name | 1000 | | team:x:1000: | no
  a number that begins like the group | 100 | ANA | ana:x:1000: | no
`)

test.each(cases)('%s', (_, gid, people = '', groups = '', isPrivate) => {
  const accounts = `${root};${ben};${people.replace('ANA', ana)}`
  const files: Record<string, string> = { '/etc/passwd': accounts, '/etc/group': groups }
  expect(isPrivateGroup(Number(gid), 1000, (file) => (files[file] ?? '').split(';'))).toBe(
    isPrivate === 'yes',
  )
})

test('no group is private if the accounts cannot be read, except that of root', () => {
  const fail = () => {
    throw new Error('EACCES')
  }
  expect([isPrivateGroup(1000, 1000, fail), isPrivateGroup(0, 1000, fail)]).toEqual([false, true])
})
