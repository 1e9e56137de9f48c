// completion uninstall: undoes what completion install did, and leaves everything else.
import {
  chmodSync,
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
import { folder } from '../../support/orderctl.ts'

const run = async (home: string, words: readonly string[], { env, ...rest }: Situation = {}) => {
  const { exit, stdout, stderr, questions } = await inSituation(['completion', ...words], {
    ...{ cwd: home, platform: 'linux', terminals: ['stdin', 'stdout', 'stderr'] },
    env: { SHELL: '/bin/bash', NO_COLOR: '1', COLUMNS: '200', ...env },
    ...rest,
  })
  return { exit, stdout, stderr, questions }
}

const listFiles = (home: string): string[] =>
  readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((each) => !each.isDirectory())
    .map((each) => path.relative(home, path.join(each.parentPath, each.name)))
    .sort()
const put = (file: string, text: string | Buffer): void => {
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, text)
}

const closing = 'Open shells keep the completion until you close them.\n'
const nothing = { exit: 0, stdout: '', stderr: 'No completion is installed.\n', questions: [] }

describe.each([
  ['bash', '.local/share/orderctl/orderctl.bash', '.bashrc', 'linux'],
  ['bash', '.local/share/orderctl/orderctl.bash', '.bash_profile', 'darwin'],
  ['zsh', '.local/share/orderctl/_orderctl', '.zshrc', 'linux'],
  ['fish', '.config/fish/completions/orderctl.fish', undefined, 'linux'],
  ['powershell', '.local/share/orderctl/orderctl.ps1', '.config/powershell/profile.ps1', 'linux'],
  ['powershell', '.local/share/orderctl/orderctl.ps1', 'Documents/PowerShell/profile.ps1', 'win32'],
] as const)('%s: %s', (shell, script, profile, platform) => {
  test('removes what install wrote without a prompt, and does nothing the second time', async () => {
    const home = folder()
    await run(home, ['install', shell, '--yes'], { platform })
    expect(listFiles(home)).toEqual([script, ...(profile === undefined ? [] : [profile])].sort())
    const line =
      profile === undefined ? '' : `Removed the line of orderctl from ${path.join(home, profile)}\n`
    expect(await run(home, ['uninstall'], { platform })).toEqual({
      ...{ exit: 0, stdout: '', questions: [] },
      stderr: `${line}Removed ${path.join(home, script)}\n${closing}`,
    })
    expect(listFiles(home)).toEqual([])
    expect(await run(home, ['uninstall', shell], { platform })).toEqual(nothing)
  })

  test('leaves an edited script, and says so', async () => {
    const home = folder()
    await run(home, ['install', shell, '--yes'], { platform })
    const file = path.join(home, script)
    writeFileSync(file, `${readFileSync(file, 'utf8')}# mine\n`)
    const { exit, stderr } = await run(home, ['uninstall', shell], { platform })
    expect(exit).toBe(0)
    expect(stderr).toContain(`warning: ${file} differs from the script of this version: it was edited, or`)
    expect(listFiles(home)).toEqual([script])
    if (profile === undefined) return
    put(path.join(home, profile), `  [ -r ${file} ] && . ${file} # mine\n`)
    const edited = await run(home, ['uninstall', shell], { platform })
    expect(edited.stderr).toContain(
      `warning: ${path.join(home, profile)} mentions ${file} in a line that orderctl did not write: line 1. `,
    )
    expect(listFiles(home)).toEqual([script, profile].sort())
  })

  test('leaves a script that is not of orderctl', async () => {
    const home = folder()
    put(path.join(home, script), '# mine\n')
    const { exit, stderr } = await run(home, ['uninstall', shell], { platform })
    expect(exit).toBe(0)
    expect(stderr).toBe(
      `warning: ${path.join(home, script)} is not a completion script of orderctl. orderctl left it. To remove it: rm ${path.join(home, script)}\n`,
    )
  })
})

test('keeps the other lines of the startup file, its mode and its encoding', async () => {
  const home = folder()
  const file = path.join(home, '.bashrc')
  const mine = Buffer.from('# caf\xe9\r\nalias ll="ls -l"\r\n\n# last', 'latin1')
  put(file, mine)
  chmodSync(file, 0o640)
  await run(home, ['install', 'bash', '--yes'])
  await run(home, ['install', 'zsh', '--yes'])
  expect(readFileSync(file).length).toBeGreaterThan(mine.length)
  expect(await run(home, ['uninstall', 'bash'])).toMatchObject({ exit: 0 })
  expect(readFileSync(file)).toEqual(Buffer.concat([mine, Buffer.from('\n')]))
  expect(statSync(file).mode & 0o777).toBe(0o640)
  expect(listFiles(home)).toEqual(['.bashrc', '.local/share/orderctl/_orderctl', '.zshrc'])
})

test('follows a startup file that is a link, and keeps the link', async () => {
  const home = folder()
  put(path.join(home, 'dotfiles/bashrc'), '')
  symlinkSync('dotfiles/bashrc', path.join(home, '.bashrc'))
  await run(home, ['install', 'bash', '--yes'])
  expect(await run(home, ['uninstall'])).toMatchObject({ exit: 0 })
  expect(lstatSync(path.join(home, '.bashrc')).isSymbolicLink()).toBe(true)
  expect(readFileSync(path.join(home, 'dotfiles/bashrc'), 'utf8')).toBe('')
})

test('prints JSON', async () => {
  const home = folder()
  await run(home, ['install', 'bash', '--yes'])
  const script = path.join(home, '.local/share/orderctl/orderctl.bash')
  writeFileSync(script, '# orderctl: completion, edited\n')
  const { stdout, stderr } = await run(home, ['uninstall', '--json'])
  expect(stderr).toBe('')
  expect(JSON.parse(stdout)).toEqual({
    changes: [{ file: path.join(home, '.bashrc'), done: 'line removed' }],
    kept: [
      {
        file: script,
        reason: expect.stringContaining('differs from the script of this version'),
        fix: `To remove it: rm ${script}`,
      },
    ],
  })
})

test('a file that cannot be changed does not stop the work on the others', async ({ skip }) => {
  if (cannotMount) skip(cannotMount)
  const home = folder()
  await run(home, ['install', 'bash', '--yes'])
  await run(home, ['install', 'zsh', '--yes'])
  using _disk = readOnly(path.join(home, '.bashrc'))
  const { exit, stderr } = await run(home, ['uninstall'])
  expect(exit).toBe(9)
  expect(stderr).toContain(`error: cannot change ${path.join(home, '.bashrc')}: `)
  expect(listFiles(home)).toEqual(['.bashrc'])
})

test.each([
  [['uninstall', 'tcsh'], 2, "error: orderctl has no completion for 'tcsh'\n"],
  [['uninstall', 'bash', 'zsh'], 2, 'error: too many arguments'],
])('%j is wrong', async (words, exit, message) => {
  const ran = await run(folder(), words)
  expect(ran.exit).toBe(exit)
  expect(ran.stderr).toContain(message)
})

test('without a home folder, says so', async () => {
  const { exit, stderr } = await run(folder(), ['uninstall'], { env: { HOME: '' } })
  expect({ exit, stderr }).toEqual({
    exit: 9,
    stderr:
      'error: there is no home folder, so orderctl cannot find the completion\ntry: Set HOME to your home folder.\n',
  })
})
