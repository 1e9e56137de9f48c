// Pastes suggested commands into real shells. A program instead of orderctl reports the arguments that arrive.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { createRandom } from '../../src/service/cards.ts'
import { createSuggest } from '../../src/text/suggest.ts'
import { isInstalled } from '../support/installed.ts'

/** bash and zsh expand `!` only if they are interactive. fish never does, and needs a terminal to be interactive. */
const shells: [string, string, ...string[]][] = [
  ['bash', 'set -o history -H', 'bash', '--norc', '--noprofile', '-i'],
  ['zsh', 'setopt rc_quotes extended_glob bang_hist magic_equal_subst', 'zsh', '-f', '-i', '-s'],
  ['fish', 'true', 'fish', '--no-config'],
  ['pwsh', '', 'pwsh', '-NoProfile', '-NonInteractive', '-Command', '-'],
]

const hostile = [
  ...'!! !touch a!b \\! * ? [a-z] {a,b} ~ ~root =ls %1 %self # ^a^b $HOME $x ${x} -x'.split(' '),
  ...'--help -- - --profile=x \\ \\\\ " a\\ Zürich 日本 ❤️ e\u0301 @last a,b 1e3 0x10 a=~'.split(' '),
  ...'a:b \\n \\x41 \\u0041 \\u{41} %PATH% 2>&1 $((1)) $[1] .. a{'.split(' '),
  ..."'!!' it's!1 ' '' \\'".split(' '),
  ...["\\'; touch x #", "'; touch x #", "'\\''; touch x; '", "\\\\'; touch x #"],
  ...['$(touch x)', '`touch x`', '(touch x)', '"; touch x; "', '"$(touch x)"', '| touch x', '& touch x'],
  ...[
    '> x',
    'a #b',
    'a b',
    '  a  b  ',
    ' ',
    '\u2018; touch x\u2019',
    '@(touch x)',
    '^& touch x',
    '<(touch x)',
  ],
]
const unpastable = [
  ...['a\ntouch x\n', '\rtouch x\r', '\u0003touch x', '\u001b[200~touch x', 'a\0b', '\u2028touch x'],
  ...['\u202e#', ''],
]

/** Random texts of the characters that shells treat specially. */
const createTexts = (count: number): string[] => {
  const random = createRandom('shells')
  const pick = (all: string): string => all[Math.floor(random() * all.length)] ?? ''
  return Array.from({ length: count }, () =>
    Array.from({ length: 1 + Math.floor(random() * 8) }, () =>
      pick("'''\\\\\\\"$`!*?~#(){}[]<>|&;=%^@,- ab1"),
    ).join(''),
  )
}

/** Each call is the number of its arguments, then the arguments. */
const readCalls = (text: string): string[][] => {
  const words = text.split('\0').slice(0, -1)
  const calls: string[][] = []
  while (words.length > 0) calls.push(words.splice(0, Number(words.shift())))
  return calls
}

/** Types the commands into one shell. Returns the arguments of each call, and the files that the commands created. */
const paste = ([program, ...options]: readonly string[], commands: readonly string[]) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'orderctl-paste-'))
  const stub = path.join(folder, 'orderctl')
  writeFileSync(stub, `#!/bin/sh\nprintf '%s\\0' "$#" "$@" >> "$CALLS"\n`)
  chmodSync(stub, 0o755)
  const calls = path.join(folder, 'calls')
  writeFileSync(calls, '')
  // fish reads no commands from a pipe of Node, which is a socket.
  const typed = path.join(folder, 'typed')
  writeFileSync(typed, [...commands, 'exit', ''].join('\n'))
  const { error } = spawnSync(program ?? '', options, {
    cwd: mkdtempSync(path.join(folder, 'work-')),
    env: { PATH: `${folder}:${process.env.PATH}`, HOME: folder, CALLS: calls, LANG: 'C.UTF-8', TERM: 'dumb' },
    stdio: [openSync(typed, 'r'), 'ignore', 'ignore'],
    timeout: 60_000,
  })
  if (error !== undefined) throw error
  return {
    calls: readCalls(readFileSync(calls, 'utf8')),
    created: readdirSync(folder, { recursive: true }).filter((file) => /(^|\/)x$/.test(String(file))),
  }
}

test.each(shells)('%s passes each value on unchanged', (name, before, ...shell) => {
  if (!isInstalled(name)) return
  const isPowerShell = name === 'pwsh'
  const suggest = createSuggest({ environment: isPowerShell ? { PSModulePath: 'x' } : {}, platform: 'linux' })
  const cases = [...hostile, ...createTexts(300)].flatMap((value): [string, string[]][] => {
    const isPlaceholder = isPowerShell && /"|\\$/.test(value)
    const shown = isPlaceholder ? 'ORDER' : value
    const isLast = value.startsWith('-')
    const separate = ['--batch', isPlaceholder ? 'BATCH' : value]
    const batch = isLast && !isPlaceholder ? [`--batch=${value}`] : separate
    return [
      [
        suggest`redeem ${value} --reveal`,
        ['redeem', ...(isLast ? ['--reveal', '--', shown] : [shown, '--reveal'])],
      ],
      [suggest`list ${{ batch: value }} --all`, ['list', ...batch, '--all']],
    ]
  })
  const commands = [...cases.map(([command]) => command), ...unpastable.map((value) => suggest`get ${value}`)]
  const { calls, created } = paste(shell, [before, ...commands])
  expect(created).toEqual([])
  expect(calls).toEqual([...cases.map(([, words]) => words), ...unpastable.map(() => ['get', 'ORDER'])])
})
