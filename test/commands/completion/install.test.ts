// completion install and uninstall: what they change, what they leave, what they say, and when they ask.
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { cannotMount, readOnly } from '../../support/disks.ts'
import { inSituation, type Situation } from '../../support/in-process.ts'
import { isInstalled } from '../../support/installed.ts'
import { folder } from '../../support/orderctl.ts'

const run = async (home: string, words: readonly string[], { env, ...rest }: Situation = {}) => {
  const { exit, stdout, stderr, questions } = await inSituation(['completion', ...words], {
    ...{ cwd: home, platform: 'linux' },
    env: { SHELL: '/bin/bash', NO_COLOR: '1', COLUMNS: '200', ...env },
    ...rest,
  })
  return { exit, stdout, stderr, questions }
}

const onTerminal = { terminals: ['stdin', 'stdout', 'stderr'] } as const
const listFiles = (home: string): string[] =>
  readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((each) => !each.isDirectory())
    .map((each) => path.relative(home, path.join(each.parentPath, each.name)))
    .sort()
const put = (file: string, text: string | Buffer): void => {
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, text)
}
const read = (file: string): string => readFileSync(file, 'utf8')

const data = '.local/share/orderctl'
const closing = 'orderctl removed nothing. Type these commands, then open a new shell.\n'

describe.each([
  ['bash', `${data}/orderctl.bash`, '.bashrc', 'linux'],
  ['bash', `${data}/orderctl.bash`, '.bash_profile', 'darwin'],
  ['zsh', `${data}/_orderctl`, '.zshrc', 'linux'],
  ['fish', '.config/fish/completions/orderctl.fish', undefined, 'linux'],
  ['powershell', `${data}/orderctl.ps1`, '.config/powershell/profile.ps1', 'linux'],
  ['powershell', `${data}/orderctl.ps1`, 'Documents/PowerShell/profile.ps1', 'win32'],
] as const)('%s: %s', (shell, scriptBelow, profileBelow, platform) => {
  const open = () => {
    const home = folder()
    const script = path.join(home, scriptBelow)
    const profile = profileBelow === undefined ? undefined : path.join(home, profileBelow)
    const isPowershell = shell === 'powershell'
    const line = isPowershell
      ? `if (Test-Path ${script}) { . ${script} }`
      : `[ ! -r ${script} ] || source ${script}`
    const adds = profile === undefined ? '' : `orderctl will add this line to ${profile}: ${line}\n`
    return {
      ...{ home, script, profile, line, adds },
      will: `orderctl will write ${script}\n`,
      next: `Open a new ${shell}, or run: ${isPowershell ? '.' : 'source'} ${script}\n`,
      install: (situation: Situation = {}) => run(home, ['install', shell], { platform, ...situation }),
      uninstall: (...words: string[]) => run(home, ['uninstall', ...words], { platform, ...onTerminal }),
    }
  }
  const ours = read(`completions/${path.basename(scriptBelow)}`)

  test('install says what it changes, prompts, does it, and does it once', async () => {
    const { home, script, profile, line, will, adds, next, install } = open()
    // The last line of the startup file has no end.
    if (profile !== undefined) put(profile, '# mine')
    const said = {
      ...{ exit: 0, stdout: '', questions: ['Continue?'] },
      stderr: `${will}${adds}Completion for ${shell} is installed.\n${next}`,
    }
    expect(await install({ ...onTerminal, answers: [true] })).toEqual(said)
    const files = listFiles(home)
    expect(await install(onTerminal)).toEqual({
      ...{ ...said, questions: [] },
      stderr: `Completion for ${shell} is already installed.\n${next}`,
    })
    expect(listFiles(home)).toEqual(files)
    expect(read(script)).toBe(ours)
    if (profile !== undefined) expect(read(profile)).toBe(`# mine\n${line}\n`)
  })

  test.each([false, undefined])('install changes nothing after the answer %s', async (answer) => {
    const { home, will, adds, install } = open()
    expect(await install({ ...onTerminal, answers: [answer] })).toEqual({
      ...{ exit: 130, stdout: '', questions: ['Continue?'] },
      stderr: `${will}${adds}Cancelled; nothing was changed\n`,
    })
    expect(listFiles(home)).toEqual([])
  })

  test('install replaces an older script, and nothing else', async () => {
    const { script, profile, will, next, install } = open()
    await install()
    const before = profile === undefined ? '' : read(profile)
    put(script, '# orderctl: completion of before\n')
    expect((await install()).stderr).toBe(`${will}Completion for ${shell} is installed.\n${next}`)
    expect(read(script)).toBe(ours)
    if (profile !== undefined) expect(read(profile)).toBe(before)
  })

  test('install leaves a script that is not of orderctl', async () => {
    const { home, script, install } = open()
    put(script, '# mine\n')
    expect(await install()).toMatchObject({ exit: 9, stdout: '' })
    expect(read(script)).toBe('# mine\n')
    expect(listFiles(home)).toEqual([scriptBelow])
  })

  test('uninstall prints the commands that remove both files, and changes nothing', async () => {
    const { home, script, profile, install, uninstall } = open()
    expect((await uninstall()).stderr).toBe('No completion is installed.\n')
    await install()
    const files = listFiles(home)
    const { exit, stdout, stderr, questions } = await uninstall()
    expect({ exit, stderr, questions }).toEqual({ exit: 0, stderr: closing, questions: [] })
    expect(stdout.trimEnd().split('\n')).toHaveLength(profile === undefined ? 1 : 2)
    expect(stdout).toContain(`${shell === 'powershell' ? 'Remove-Item' : 'rm'} ${script}\n`)
    expect(listFiles(home)).toEqual(files)
  })

  test('with --json, stdout says what was done, and stderr nothing', async () => {
    const { home, script, profile } = open()
    const json = async (...words: string[]) => {
      const { exit, stdout, stderr } = await run(home, [...words, shell, '--json'], { platform })
      return { exit, stderr, data: JSON.parse(stdout) }
    }
    const ok = { exit: 0, stderr: '' }
    expect(await json('uninstall')).toEqual({ ...ok, data: { commands: [] } })
    for (const changed of [true, false]) {
      const data = { shell, script, profile: profile ?? null, changed }
      expect(await json('install', '--yes')).toEqual({ ...ok, data })
    }
    const { data } = await json('uninstall')
    expect(data.commands).toHaveLength(profile === undefined ? 1 : 2)
  })
})

test.each<[string, string[], Situation]>([
  ['with --yes', ['--yes'], onTerminal],
  ['with --no-input', ['--no-input'], onTerminal],
  ['in CI', [], { ...onTerminal, env: { CI: '1' } }],
  ['without a terminal', [], {}],
])('install does not prompt %s', async (_where, flags, situation) => {
  const home = folder()
  expect(await run(home, ['install', ...flags], situation)).toMatchObject({ exit: 0, questions: [] })
  expect(existsSync(path.join(home, '.bashrc'))).toBe(true)
})

describe('a startup file that cannot be changed', () => {
  test('is named, with the line to add', async () => {
    const home = folder()
    mkdirSync(path.join(home, '.zshrc'))
    const { exit, stderr } = await run(home, ['install', 'zsh', '--json'])
    expect(exit).toBe(9)
    expect(JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
      error: { code: 'local-state', field: path.join(home, '.zshrc') },
    })
    expect(stderr).toContain(`cannot use ${path.join(home, '.zshrc')}: `)
    expect(existsSync(path.join(home, data, '_orderctl'))).toBe(false)
  })

  test('stays on a read-only disk', async ({ skip }) => {
    if (cannotMount) skip(cannotMount)
    const home = folder()
    const rc = path.join(home, '.bashrc')
    put(rc, '# mine\n')
    using _disk = readOnly(rc)
    const { exit, stderr } = await run(home, ['install'])
    expect(exit).toBe(9)
    expect(stderr).toContain(
      `\nerror: cannot use ${rc}: read-only file system\nAdd this line to the file yourself: `,
    )
    expect(read(rc)).toBe('# mine\n')
  })

  test('is named if it cannot be created after the script was written', async () => {
    const home = folder()
    // A name in a folder where no file can be made.
    const { exit, stderr } = await run(home, ['install', 'zsh'], { env: { ZDOTDIR: '/proc' } })
    const script = path.join(home, data, '_orderctl')
    expect(exit).toBe(9)
    expect(stderr).toMatch(/\nerror: cannot use \/proc\/\.zshrc: .*\n/)
    expect(stderr).toContain(`\nAdd this line to the file yourself: [ ! -r ${script} ] || source ${script}\n`)
    expect(existsSync(script)).toBe(true)
  })
})

describe('a home with an odd name is sourced as it is, by', () => {
  const odd = (): string => {
    const home = path.join(folder(), `it's $(touch canary) "home" & more`)
    mkdirSync(home)
    return home
  }
  const known: Record<string, [string[], RegExp]> = {
    bash: [['--norc', '-c', '. "$HOME/.bashrc"; complete -p orderctl'], /-F _orderctl orderctl/],
    zsh: [['-f', '-c', 'source "$HOME/.zshrc"; print -r -- $_comps[orderctl]'], /^_orderctl$/m],
    fish: [
      ['-c', 'function orderctl; end; complete -C "orderctl "; complete -c orderctl'],
      /__orderctl_offer/,
    ],
  }
  test.for(Object.entries(known))('%s', async ([shell, [words, expected]], { skip }) => {
    if (!isInstalled(shell)) skip(`${shell} is not installed`)
    const home = odd()
    expect((await run(home, ['install', shell])).exit).toBe(0)
    const env = { PATH: process.env.PATH, HOME: home, TERM: 'dumb' }
    expect(execFileSync(shell, words, { cwd: home, env, encoding: 'utf8', stdio: 'pipe' })).toMatch(expected)
    expect(listFiles(path.dirname(home)).filter((each) => path.basename(each) === 'canary')).toEqual([])
  })

  test('PowerShell, as far as its quotes go', async () => {
    const home = odd()
    await run(home, ['install', 'powershell'])
    const file = `'${path.join(home, data, 'orderctl.ps1').replaceAll("'", "''")}'`
    expect(read(path.join(home, '.config/powershell/profile.ps1'))).toBe(
      `if (Test-Path ${file}) { . ${file} }\n`,
    )
  })
})

describe('the commands that uninstall prints', () => {
  test('remove the lines and scripts of every shell, and keep the other lines, the mode and the encoding', async () => {
    const home = path.join(folder(), `it's "home" & more`)
    const rc = path.join(home, 'dotfiles/bashrc')
    const mine = Buffer.from('# caf\xe9\r\nalias ll="ls -l"\r\n\n# last\n', 'latin1')
    put(rc, mine)
    chmodSync(rc, 0o640)
    symlinkSync('dotfiles/bashrc', path.join(home, '.bashrc'))
    for (const shell of ['bash', 'zsh', 'fish']) await run(home, ['install', shell])
    expect(readFileSync(rc).length).toBeGreaterThan(mine.length)
    const { exit, stdout } = await run(home, ['uninstall'])
    expect(exit).toBe(0)
    execFileSync('sh', ['-e'], { cwd: '/', env: { PATH: process.env.PATH, LC_ALL: 'C' }, input: stdout })
    expect(readFileSync(rc)).toEqual(mine)
    expect(statSync(rc).mode & 0o777).toBe(0o640)
    expect(lstatSync(path.join(home, '.bashrc')).isSymbolicLink()).toBe(true)
    expect(listFiles(home)).toEqual([
      '.bashrc',
      '.zshrc',
      '.zshrc.bak',
      'dotfiles/bashrc',
      'dotfiles/bashrc.bak',
    ])
    expect((await run(home, ['uninstall'])).stderr).toBe('No completion is installed.\n')
  })

  test.each([
    [['tcsh'], {}, 2, "error: orderctl has no completion for 'tcsh'\nShells: bash, zsh, fish, powershell\n"],
    [['fihs'], {}, 2, "error: orderctl has no completion for 'fihs'\nDid you mean fish? Shells: "],
    [['bash', 'zsh'], {}, 2, 'error: too many arguments'],
    [[], { HOME: '' }, 9, 'error: there is no home folder'],
  ])('%j with %j is an error', async (words, env, exit, message) => {
    const ran = await run(folder(), ['uninstall', ...words], { env })
    expect(ran).toMatchObject({ exit, stderr: expect.stringContaining(message) })
  })
})

test('install writes through no link that another user planted beside the script', async () => {
  const home = folder()
  const victim = path.join(home, 'victim')
  put(victim, 'mine')
  const beside = path.join(home, data)
  mkdirSync(beside, { recursive: true })
  for (const name of ['orderctl.bash.next', '.orderctl.bash.new', 'orderctl.bash']) {
    symlinkSync(victim, path.join(beside, name))
  }
  const { exit } = await run(home, ['install', 'bash'])
  expect(exit).toBe(9)
  writeFileSync(victim, '# orderctl: completion of before')
  expect(await run(home, ['install', 'bash'])).toMatchObject({ exit: 0 })
  expect(read(victim)).toBe('# orderctl: completion of before')
  expect(lstatSync(path.join(beside, 'orderctl.bash')).isSymbolicLink()).toBe(false)
})

test.skipIf(process.getuid?.() !== 0)('install refuses a home of another user', async () => {
  const home = folder()
  chownSync(home, 65534, 65534)
  const { exit, stderr } = await run(home, ['install', 'bash', '--yes'])
  expect([exit, listFiles(home)]).toEqual([9, []])
  expect(stderr).toBe(
    `error: ${home} belongs to another user (uid 65534)\n` +
      `Run orderctl as that user, without sudo. If root should own it, run: chown -R 0 ${home}\n`,
  )
})
