// completion install: says what it changes, asks, does it, and does it once.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { cannotMount, readOnly } from '../../support/disks.ts'
import { inSituation, type Situation } from '../../support/in-process.ts'
import { isInstalled } from '../../support/installed.ts'
import { folder } from '../../support/orderctl.ts'

const question = 'Continue?'

const install = async (home: string, words: readonly string[], situation: Situation = {}) => {
  const { env, ...rest } = situation
  const { exit, stdout, stderr, questions } = await inSituation(['completion', 'install', ...words], {
    cwd: home,
    platform: 'linux',
    env: { SHELL: '/bin/bash', NO_COLOR: '1', ...env },
    ...rest,
  })
  return { exit, stdout, stderr, questions }
}

const onTerminal = { terminals: ['stdin', 'stdout', 'stderr'] } as const
const everything = (home: string): string[] => readdirSync(home, { recursive: true }).map(String)
const put = (file: string, text: string): void => {
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, text)
}

const data = '.local/share/orderctl'

describe.each([
  { shell: 'bash', from: 'orderctl.bash', script: `${data}/orderctl.bash`, profile: '.bashrc' },
  {
    shell: 'bash',
    from: 'orderctl.bash',
    script: `${data}/orderctl.bash`,
    profile: '.bash_profile',
    platform: 'darwin',
  },
  { shell: 'zsh', from: '_orderctl', script: `${data}/_orderctl`, profile: '.zshrc' },
  { shell: 'fish', from: 'orderctl.fish', script: '.config/fish/completions/orderctl.fish' },
  {
    shell: 'powershell',
    from: 'orderctl.ps1',
    script: `${data}/orderctl.ps1`,
    profile: '.config/powershell/profile.ps1',
  },
  {
    shell: 'powershell',
    from: 'orderctl.ps1',
    script: `${data}/orderctl.ps1`,
    profile: 'Documents/PowerShell/profile.ps1',
    platform: 'win32',
  },
])('for $shell: $profile', ({ shell, from, script: below, profile, platform = 'linux' }) => {
  const linesFor = (home: string) => {
    const script = path.join(home, below)
    const source = shell === 'powershell' ? '.' : 'source'
    const line =
      shell === 'powershell'
        ? `if (Test-Path ${script}) { . ${script} }`
        : `[ ! -r ${script} ] || source ${script}`
    const adds =
      profile === undefined ? '' : `orderctl will add this line to ${path.join(home, profile)}: ${line}\n`
    return {
      line,
      will: `orderctl will write ${script}\n${adds}`,
      next: `Open a new ${shell}, or run: ${source} ${script}\n`,
    }
  }

  test('says what it changes, asks, does it, and does it once', async () => {
    const home = folder()
    const { line, will, next } = linesFor(home)
    // Whoever wrote it left out the end of its last line.
    if (profile !== undefined) put(path.join(home, profile), '# mine')
    const said = {
      exit: 0,
      stdout: '',
      questions: [question],
      stderr: `${will}Completion for ${shell} is installed.\n${next}`,
    }
    expect(await install(home, [shell], { ...onTerminal, platform, answers: [true] })).toEqual(said)
    const there = everything(home)
    expect(await install(home, [shell], { ...onTerminal, platform })).toEqual({
      ...said,
      questions: [],
      stderr: `Completion for ${shell} is already installed.\n${next}`,
    })
    expect(everything(home)).toEqual(there)
    expect(readFileSync(path.join(home, below), 'utf8')).toBe(readFileSync(`completions/${from}`, 'utf8'))
    if (profile !== undefined)
      expect(readFileSync(path.join(home, profile), 'utf8')).toBe(`# mine\n${line}\n`)
  })

  test.each([
    ['No', false],
    ['no answer', undefined],
  ])('%s changes nothing', async (_answer, answer) => {
    const home = folder()
    expect(await install(home, [shell], { ...onTerminal, platform, answers: [answer] })).toEqual({
      exit: 130,
      stdout: '',
      questions: [question],
      stderr: `${linesFor(home).will}error: cancelled; nothing was changed\n`,
    })
    expect(everything(home)).toEqual([])
  })

  test('an older script of ours is brought up to date, and nothing else is changed', async () => {
    const home = folder()
    await install(home, [shell], { platform })
    const rc = profile === undefined ? '' : readFileSync(path.join(home, profile), 'utf8')
    put(path.join(home, below), '# orderctl: completion of before\n')
    const { stderr } = await install(home, [shell], { platform })
    expect(stderr).toBe(
      `orderctl will write ${path.join(home, below)}\nCompletion for ${shell} is installed.\n${linesFor(home).next}`,
    )
    expect(readFileSync(path.join(home, below), 'utf8')).toBe(readFileSync(`completions/${from}`, 'utf8'))
    if (profile !== undefined) expect(readFileSync(path.join(home, profile), 'utf8')).toBe(rc)
  })

  test('a script that is not ours is left untouched', async () => {
    const home = folder()
    put(path.join(home, below), '# mine\n')
    expect(await install(home, [shell], { platform })).toMatchObject({ exit: 9, stdout: '' })
    expect(readFileSync(path.join(home, below), 'utf8')).toBe('# mine\n')
    if (profile !== undefined) expect(existsSync(path.join(home, profile))).toBe(false)
  })
})

describe('nobody is asked', () => {
  test.each<[string, string[], Situation]>([
    ['with --yes', ['--yes'], onTerminal],
    ['with --no-input', ['--no-input'], onTerminal],
    ['in CI', [], { ...onTerminal, env: { CI: '1' } }],
    ['without a terminal', [], {}],
  ])('%s', async (_where, flags, situation) => {
    const home = folder()
    expect(await install(home, flags, situation)).toMatchObject({ exit: 0, questions: [] })
    expect(existsSync(path.join(home, '.bashrc'))).toBe(true)
  })
})

describe('a file of the shell that takes nothing', () => {
  test('is said, with the line to add', async () => {
    const home = folder()
    mkdirSync(path.join(home, '.zshrc'))
    const { exit, stderr } = await install(home, ['zsh', '--json'])
    const script = path.join(home, data, '_orderctl')
    expect(exit).toBe(9)
    expect(JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
      error: { code: 'local-state', field: path.join(home, '.zshrc') },
    })
    expect(stderr).toContain(`cannot use ${path.join(home, '.zshrc')}: `)
    expect(existsSync(script)).toBe(false)
  })

  test('that can be read alone', async ({ skip }) => {
    if (cannotMount) skip(cannotMount)
    const home = folder()
    const rc = path.join(home, '.bashrc')
    put(rc, '# mine\n')
    using _disk = readOnly(rc)
    const { exit, stderr } = await install(home, [])
    expect(exit).toBe(9)
    expect(stderr).toContain(
      `\nerror: cannot use ${rc}: read-only file system\ntry: Add this line to the file yourself: `,
    )
    expect(readFileSync(rc, 'utf8')).toBe('# mine\n')
  })

  test('once the script is there, too', async () => {
    const home = folder()
    // A name in a folder where no file can be made.
    const { exit, stderr } = await install(home, ['zsh'], { env: { ZDOTDIR: '/proc' } })
    const script = path.join(home, data, '_orderctl')
    expect(exit).toBe(9)
    expect(stderr).toMatch(/\nerror: cannot use \/proc\/\.zshrc: .*\n/)
    expect(stderr).toContain(
      `\ntry: Add this line to the file yourself: [ ! -r ${script} ] || source ${script}\n`,
    )
    expect(existsSync(script)).toBe(true)
  })
})

describe('a home with an odd name is sourced as it stands, by', () => {
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
    expect((await install(home, [shell])).exit).toBe(0)
    const env = { PATH: process.env.PATH, HOME: home, TERM: 'dumb' }
    expect(execFileSync(shell, words, { cwd: home, env, encoding: 'utf8', stdio: 'pipe' })).toMatch(expected)
    expect(everything(path.dirname(home)).filter((each) => path.basename(each) === 'canary')).toEqual([])
  })

  test('PowerShell, as far as its quotes go', async () => {
    const home = odd()
    await install(home, ['powershell'])
    const file = `'${path.join(home, data, 'orderctl.ps1').replaceAll("'", "''")}'`
    expect(readFileSync(path.join(home, '.config/powershell/profile.ps1'), 'utf8')).toBe(
      `if (Test-Path ${file}) { . ${file} }\n`,
    )
  })
})
