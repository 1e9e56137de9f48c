// doctor on this machine: it names what is wrong, changes nothing, and never prompts.

import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  linkSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { schema } from '../../../src/journal/tables/list.ts'
import { cannotMount, readOnly } from '../../support/disks.ts'
import { deleteMachineFile } from '../../support/machine-file.ts'
import { orderctl } from '../../support/orderctl.ts'
import { runWithoutTriggers } from '../../support/without-triggers.ts'
import { openDesk, saveProfiles, secretKey } from './desk.ts'

const order = ['create', '--product', 'GAME-US:25', '--wallet', 'USD']

describe('a new machine', () => {
  test('has no problems, and doctor creates nothing', async () => {
    const desk = openDesk()
    const { exit, stderr, report, questions } = await desk.examine()
    expect({ exit, stderr, questions, status: report.status, paths: report.paths }).toEqual({
      ...{ exit: 0, stderr: '', questions: [], status: 'ok', paths: [] },
    })
    expect(desk.everything()).toEqual([])
  })

  test('the built executable creates nothing either', async () => {
    const { home, everything } = openDesk()
    const { exit, stdout, stderr } = await orderctl(['doctor'], { cwd: home, env: { LANG: 'C.UTF-8' } })
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
    expect(stdout).toMatch(/\nFiles\norderctl has created no files\n\nNo problems found\n$/)
    expect(everything()).toEqual([])
  })

  test.each([{ HOME: '' }, { HOME: undefined }])('%j: names both folders that are missing', async (env) => {
    const { exit, find } = await openDesk().examine({ env })
    expect(exit).toBe(9)
    expect(find('Profiles')).toMatchObject({
      status: 'problem',
      detail: 'cannot store profiles: there is no home folder',
    })
    expect(find('Journal')).toMatchObject({
      status: 'problem',
      advice: 'Set ORDERCTL_STATE_DIR to the absolute path of a folder.',
    })
  })

  test('a home folder on a read-only file system is a problem', async ({ skip }) => {
    if (cannotMount) skip(cannotMount)
    const { home, state, examine } = openDesk()
    using _disk = readOnly(home)
    const { exit, find } = await examine()
    expect(exit).toBe(9)
    expect(find('Journal')?.detail).toContain(
      `${state} does not exist yet. orderctl cannot write to ${home}: `,
    )
    // It would fail.
    expect(find('Journal')?.fix).toBe(null)
  })
})

describe('the folders', () => {
  test('are shown with their modes', async () => {
    const desk = openDesk()
    await desk.run(order)
    expect((await desk.examine()).find('Journal')).toMatchObject({
      status: 'ok',
      detail: `${desk.state} (mode 0700)`,
    })
  })

  test('have no modes on Windows', async () => {
    const desk = openDesk()
    const env = { ORDERCTL_STATE_DIR: desk.state }
    await desk.run(order, { env, platform: 'win32' })
    expect((await desk.examine({ env, platform: 'win32' })).find('Journal')?.detail).toBe(
      `${desk.state}, by ORDERCTL_STATE_DIR`,
    )
  })

  test('a file in the place of a folder is a problem', async () => {
    const desk = openDesk()
    desk.put('.local/state/orderctl', '')
    const { exit, find } = await desk.examine()
    expect(exit).toBe(9)
    expect(find('Journal')?.detail).toBe(`${desk.state} is not a folder`)
  })
})

describe('the journal', () => {
  const open = async () => {
    const desk = openDesk()
    await desk.run(order)
    return { ...desk, file: path.join(desk.state, 'journal.db') }
  }

  test('is checked completely, and stays as it was', async () => {
    const { file, examine, everything } = await open()
    const before = [everything(), readFileSync(file), statSync(file).mtimeMs]
    const { exit, find } = await examine()
    expect(exit).toBe(0)
    expect(find('File')?.detail).toBe(`${file} (mode 0600)`)
    expect(find('Orders')?.detail).toContain(`, version ${schema.version}`)
    expect(find('Content')?.detail).toMatch(/^not damaged: checked all of \d+\.\d KiB$/)
    expect(find('Disk')?.status).toBe('ok')
    expect([everything(), readFileSync(file), statSync(file).mtimeMs]).toEqual(before)
  })

  test('that another command is writing to is read with its newest changes', async () => {
    const { file, examine, everything } = await open()
    using writer = new DatabaseSync(file)
    writer.exec("INSERT INTO accounts (number, address) VALUES (99, 'shop.test:443')")
    runWithoutTriggers(writer, 'UPDATE orders SET account = 99')
    expect(statSync(`${file}-wal`).size).toBeGreaterThan(0)
    const before = everything()
    const { find } = await examine()
    expect(find('Content')?.status).toBe('ok')
    // It has read the new account.
    expect(find('In use')?.status).toBe('problem')
    expect(everything()).toEqual(before)
  })

  test('with a log that a killed command left is not checked', async () => {
    const { file, examine, everything } = await open()
    writeFileSync(`${file}-wal`, 'x'.repeat(4_152))
    const before = everything()
    const { exit, find } = await examine()
    expect({ exit, status: find('Content')?.status }).toEqual({ exit: 0, status: 'warning' })
    expect(find('Content')?.detail).toContain(
      `not checked: a command was killed, and ${file}-wal has changes`,
    )
    expect(everything()).toEqual(before)
  })

  test.each<[string, (file: string) => void, string]>([
    ['another file', (file) => writeFileSync(file, 'x'.repeat(9_000)), 'is not a database'],
    ['cut off', (file) => writeFileSync(file, readFileSync(file).subarray(0, 20_480)), 'is damaged'],
    [
      'overwritten in the middle',
      (file) => {
        const bytes = readFileSync(file)
        writeFileSync(file, bytes.fill(7, 8_192, 40_960))
      },
      'is damaged',
    ],
    [
      'of another program',
      (file) => {
        using database = new DatabaseSync(file)
        database.exec('PRAGMA application_id = 7')
      },
      'is a database, but not a journal of orderctl',
    ],
    [
      'of another version',
      (file) => {
        using database = new DatabaseSync(file)
        database.exec('PRAGMA user_version = 99')
      },
      'was written by a different version of orderctl',
    ],
  ])('%s is a problem', async (_, damage, message) => {
    const { file, examine } = await open()
    damage(file)
    const { exit, find, report } = await examine()
    expect(exit).toBe(9)
    expect(find('Content')).toMatchObject({ group: 'Journal', status: 'problem', advice: expect.any(String) })
    expect(find('Content')?.detail).toContain(`${file} ${message}`)
    // The other checks still ran.
    expect(report.checks.map(({ group }) => group)).toContain('Temporary files')
  })

  test('with a hard link is a problem, and orders nothing', async () => {
    const { file, run, examine } = await open()
    linkSync(file, `${file}.link`)
    const { exit, report } = await examine()
    const detail = expect.stringContaining(`${file} has more than one hard link`)
    expect(exit).toBe(9)
    expect(report.checks).toContainEqual(
      expect.objectContaining({ group: 'Journal', name: 'Disk', status: 'problem', detail }),
    )
    const status = await run(['journal', 'status', '--json'])
    expect(status.exit).toBe(9)
    expect(JSON.parse(status.stdout).checks).toContainEqual(expect.objectContaining({ name: 'Disk', detail }))
    expect((await run(order)).exit).toBe(9)
    expect(JSON.parse((await run(['list', '--json'])).stdout)).toHaveLength(1)
  })

  test('of a large size is read at its end, and completely with --full', async () => {
    const { file, examine } = await open()
    const database = new DatabaseSync(file)
    database.exec(`
      INSERT INTO reveals (at, who, how, profile, origin, order_id, skus)
      WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 700)
      SELECT n, 'ana', 'reveal', 'sandbox', 'sandbox:', 'sbx_' || n, hex(zeroblob(50000)) FROM numbers`)
    database.close()
    const { find } = await examine()
    expect(find('Content')?.detail).toMatch(
      /^checked the newest 10,000 orders and calls of \d+\.\d MiB\. To check all: /,
    )
    const whole = await examine({}, '--full')
    expect(whole.find('Content')?.detail).toMatch(/^not damaged: checked all of \d+\.\d MiB$/)
    const bytes = readFileSync(file)
    writeFileSync(file, bytes.subarray(0, bytes.length - 4_096))
    const cut = await examine()
    expect(cut.exit).toBe(9)
    expect(cut.find('Content')?.detail).toBe(`${file} is damaged`)
  })

  test('that other users can read is a warning', async () => {
    const { file, examine } = await open()
    chmodSync(file, 0o644)
    const { exit, find } = await examine()
    expect(exit).toBe(0)
    expect(find('File')).toMatchObject({ status: 'warning', fix: `chmod 600 ${file}` })
  })

  test('of a real account without a profile is a problem', async () => {
    const { file, examine } = await open()
    const database = new DatabaseSync(file)
    database.exec("INSERT INTO accounts (number, address) VALUES (99, 'shop.test:443')")
    expect((await examine()).exit).toBe(0)
    runWithoutTriggers(database, 'UPDATE orders SET account = 99')
    database.close()
    const { exit, find } = await examine()
    expect(exit).toBe(9)
    expect(find('In use')?.detail).toBe('no profile is saved, but the journal has orders of a real account')
  })
})

describe('the profiles', () => {
  test.each([
    ['no JSON', `{"key": "${secretKey}"`, 'is not valid JSON'],
    [
      'an invalid profile',
      JSON.stringify({ kind: 'orderctl profiles', version: 1, profiles: [{ name: secretKey, baseUrl: 7 }] }),
      'is not valid',
    ],
  ])('%s: a problem that shows no key', async (_, text, message) => {
    const desk = openDesk()
    const file = desk.put('.config/orderctl/profiles.json', text)
    const { exit, find, stdout, report } = await desk.examine()
    expect(exit).toBe(9)
    expect(
      report.checks.find(({ group, status }) => group === 'Profiles' && status === 'problem')?.detail,
    ).toContain(file)
    expect(find('Profiles')).toBeDefined()
    expect(stdout).toContain(message)
    expect(stdout).not.toContain(secretKey)
    expect(readFileSync(file, 'utf8')).toBe(text)
  })

  test('that other users can read are a warning', async () => {
    const desk = openDesk()
    const file = saveProfiles(desk, { name: 'shop', baseUrl: 'http://127.0.0.1:9' })
    writeFileSync(file, readFileSync(file, 'utf8').replace('"current":"shop",', ''))
    chmodSync(file, 0o644)
    const { report } = await desk.examine()
    expect(report.checks).toContainEqual({
      ...{ group: 'Profiles', name: 'Profiles', status: 'warning' },
      detail: 'other users can read the keys in your profiles',
      fix: `chmod 600 ${file}`,
      ...{ advice: null, data: null },
    })
    expect(report.checks.find(({ name }) => name === 'In use')).toMatchObject({
      status: 'warning',
      detail: 'no profile',
    })
  })
})

describe('completion', () => {
  test('is shown for each shell, and its faults are warnings', async () => {
    const desk = openDesk()
    for (const shell of ['bash', 'zsh', 'fish']) await desk.run(['completion', 'install', shell, '--yes'])
    expect((await desk.examine()).find('bash')).toMatchObject({ status: 'ok' })
    desk.put('.local/share/orderctl/orderctl.bash', '# orderctl: completion of before\n')
    desk.put('.zshrc', '')
    const { exit, find } = await desk.examine()
    expect(exit).toBe(0)
    expect(find('bash')).toMatchObject({ status: 'warning', fix: 'orderctl completion install bash' })
    expect(find('zsh')?.detail).toBe(
      `no line of ${desk.home}/.zshrc loads ${desk.home}/.local/share/orderctl/_orderctl`,
    )
    expect(find('fish')?.status).toBe('ok')
  })
})

describe('temporary files', () => {
  const old = new Date(Date.now() - 3_600_000)
  test.each([
    '.config/orderctl/profiles.next.json',
    '.config/orderctl/profiles.next.json.tmp-1a2b',
    '.local/state/orderctl/.lock-probe-1a2b',
    '.local/share/orderctl/.orderctl.bash.new',
    '.config/fish/completions/.orderctl.fish.new',
    '.orderctl-0b0f6f0e.tmp',
  ])('%s is named if it is old', async (name) => {
    const desk = openDesk()
    const file = desk.put(name, 'x')
    expect((await desk.examine()).find('Leftover')).toBeUndefined()
    utimesSync(file, old, old)
    expect((await desk.examine()).find('Leftover')).toMatchObject({ status: 'warning', fix: `rm -r ${file}` })
    expect(readFileSync(file, 'utf8')).toBe('x')
  })

  test('the files of a user are not', async () => {
    const desk = openDesk()
    for (const name of [
      '.config/orderctl/notes.json',
      '.config/fish/completions/.git.new',
      '.vimrc.new',
      '.a.json.new',
    ])
      utimesSync(desk.put(name, 'x'), old, old)
    expect((await desk.examine()).find('Leftovers')?.detail).toBe('no temporary files')
  })
})

test.each([
  ['before the first order', []],
  ['with a journal that was moved here', [order]],
])('a disk whose file locks do not work is a problem %s, as it is for create', async (_when, before) => {
  const desk = openDesk()
  for (const words of before) await desk.run(words)
  deleteMachineFile(desk.state)
  const noLocks = { isLockSeen: async () => false }
  const { exit, report } = await desk.examine(noLocks)
  const found = report.checks.find(({ group, name }) => group === 'Journal' && name === 'Disk')
  expect({ exit, status: found?.status }).toEqual({ exit: 9, status: 'problem' })
  expect(found?.detail).toMatch(/^the journal cannot be used: file locks do not work in /)
  const created = await desk.run(order, noLocks)
  expect({ exit: created.exit, stderr: created.stderr.replaceAll('\n', ' ') }).toEqual({
    exit: 9,
    stderr: expect.stringContaining('the journal cannot be used: file locks do not work in') as unknown,
  })
})

test('every file is listed with its size', async () => {
  const desk = openDesk()
  saveProfiles(desk, { name: 'shop', baseUrl: 'http://127.0.0.1:9' })
  await desk.run([...order, '--profile', 'sandbox'])
  await desk.run(['completion', 'install', 'zsh', '--yes'])
  desk.put('.cache/orderctl/v26/a', 'x'.repeat(10))
  desk.put('.cache/orderctl/v26/b', 'x'.repeat(5))
  const { report } = await desk.examine()
  const listed = new Map(report.paths.map(({ path: file, bytes }) => [path.relative(desk.home, file), bytes]))
  expect([...listed.keys()]).toEqual([
    '.config/orderctl/profiles.json',
    '.local/state/orderctl/journal.db',
    '.local/state/orderctl/machine.db',
    '.local/state/orderctl/machine.db-shm',
    '.local/state/orderctl/machine.db-wal',
    '.local/state/orderctl/sandbox.db',
    '.cache/orderctl',
    '.local/share/orderctl/_orderctl',
    '.zshrc',
  ])
  expect(listed.get('.cache/orderctl')).toBe(15)
  expect(listed.get('.local/state/orderctl/journal.db')).toBe(
    statSync(path.join(desk.state, 'journal.db')).size,
  )
})

test('nothing is left after completion uninstall and after the listed files are deleted', async () => {
  const { home, everything, put, run, config, state } = openDesk()
  put('.bashrc', '# mine\n')
  const must = async (words: readonly string[], input = ''): Promise<void> => {
    const { exit, stderr } = await run(words, { env: { SHELL: '/bin/bash' }, input })
    expect(exit, stderr).toBe(0)
  }
  await must([...order, '--confirm'])
  await must(['profile', 'add', 'shop', '--base-url', 'http://127.0.0.1:9', '--key-stdin'], secretKey)
  await must(['completion', 'install'])
  await must(['completion', 'install', 'fish'])
  execFileSync('sh', ['-e'], { input: (await run(['completion', 'uninstall'])).stdout })
  const { stdout } = await run(['doctor', '--json'])
  const { paths } = JSON.parse(stdout) as { paths: { path: string }[] }
  for (const { path: file } of paths) rmSync(file, { recursive: true })
  const left = everything().filter((name) => !statSync(path.join(home, name)).isDirectory())
  expect(left).toEqual(['.bashrc', '.bashrc.bak'])
  expect(readFileSync(path.join(home, '.bashrc'), 'utf8')).toBe('# mine\n')
  expect([readdirSync(config), readdirSync(state)]).toEqual([[], []])
})
