// The TAB key in real shells: what is offered is inserted whole, and nothing that is typed or stored is ever run.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isFullRun } from '../../support/cases.ts'
import { executable } from '../../support/orderctl.ts'
import { completed, homeWith, missing, type ShellUnderTest, shells } from './shells.ts'

const hostile = [
  '$(touch canary) `touch canary`',
  '; touch canary & | > canary <(touch canary)',
  `'$(touch canary)'`,
  `"$(touch canary)"`,
  '\\$(touch canary)\\',
  'a:b::c=d,e *?[a]{x,y}',
  'ü 日本 🎁 so!! !x!',
  '~u #c ^y %s -x $HOME',
].map((text, index) => `${String.fromCharCode(97 + index)}-${text}`)

const quotes = [
  ['without quotes', ''],
  ['behind an open "', '"'],
  ["behind an open '", "'"],
] as const

const behind = (quote: string) =>
  hostile.map((reference) => ({
    line: `orderctl get ${quote}ref:${reference.slice(0, 2)}`,
    words: ['get', `ref:${reference}`],
  }))

const plain = [
  ['recon', 'reconcile'],
  ['list --unf', 'list', '--unfinished'],
  ['list --state=reje', 'list', '--state=rejected'],
  ['list --state reje', 'list', '--state', 'rejected'],
  ['confirm @l', 'confirm', '@last'],
  ['get ref:sec', 'get', 'ref:second'],
  ['create --product COFFEE-U', 'create', '--product', 'COFFEE-US:'],
  ['get --fields state,cur', 'get', '--fields', 'state,currency'],
  ['create my', 'create', 'my order.json'],
  ['batch run gif', 'batch', 'run', 'gifts'],
  ['batch run my', 'batch', 'run', 'my order.json'],
  ['batch run wee', 'batch', 'run', 'weekly'],
  ['profile add x --key-file my', 'profile', 'add', 'x', '--key-file', 'my order.json'],
  ['profile add x --key-file=my', 'profile', 'add', 'x', '--key-file=my order.json'],
  ['nothing x', 'nothing', 'x'],
  ['serve-mock --exec -- mkfif', 'serve-mock', '--exec', '--', 'mkfifo'],
].map(([line, ...words]) => ({ line: `orderctl ${line}`, words }))

/** Never run by the Enter key, so that it could only be run by the TAB key. */
const typed = [
  'get "$(touch canary)" $(touch canary) @l',
  'list --batch=`touch canary` --st',
  "get '$(touch canary)",
].map((line) => ({ line: `orderctl ${line}`, runs: false, words: [] }))

const whole = [...quotes.flatMap(([, quote]) => behind(quote)), ...plain, ...typed]

type Seen = { readonly words: ReadonlyMap<string, readonly string[]>; readonly files: readonly string[] }

/** All of it in one shell; what each line became, and what lies about in the end. */
const tried = async (shell: ShellUnderTest): Promise<Seen> => {
  const home = mkdtempSync(path.join(tmpdir(), 'orderctl-test-'))
  homes.push(home)
  const there = await homeWith(home, [...hostile, 'first', 'second'])
  writeFileSync(path.join(home, 'my order.json'), '{}')
  const plan = ['batch', 'plan', '--product', 'GAME-US:25x30', '--wallet', 'USD', '--name', 'weekly']
  const [program = '', ...first] = executable
  const env = { PATH: process.env.PATH, HOME: home, ORDERCTL_STATE_DIR: there.state }
  execFileSync(program, [...first, ...plan], { env, stdio: 'pipe' })
  const words = await completed(shell, there, whole)
  return {
    words: new Map(whole.map(({ line }, at) => [line, (words[at] ?? []).slice(1)])),
    files: readdirSync(home, { recursive: true }).map(String),
  }
}

const homes: string[] = []
afterAll(() => {
  for (const home of homes) rmSync(home, { recursive: true, force: true })
})

/** A short run tries the first shell only. */
const tested = isFullRun ? shells : shells.slice(0, 1)
const present = tested.filter((shell) => missing(shell) === undefined)
const seen = new Map<string, Promise<Seen>>()

beforeAll(async () => {
  // At once: most of the time is waiting.
  for (const shell of present) seen.set(shell.name, tried(shell))
  await Promise.allSettled(seen.values())
}, 120_000)

describe.each(tested)('$name', ({ name, ...shell }) => {
  const why = missing({ name, ...shell } as ShellUnderTest)
  const inShell = test.skipIf(why !== undefined)
  const called = (text: string): string => (why === undefined ? text : `${text} (not tried: ${why})`)
  const become = async (lines: readonly { readonly line: string }[]) => {
    const { words } = (await seen.get(name)) as Seen
    return lines.map(({ line }) => ({ line, words: words.get(line) }))
  }

  inShell.for(quotes)(called('hostile references are inserted whole, %s'), async ([, quote]) => {
    expect(await become(behind(quote))).toEqual(behind(quote))
  })

  inShell(called('commands, flags, values, files and the commands behind -- are completed'), async () => {
    expect(await become(plain)).toEqual(plain)
  })

  inShell(called('what is typed, stored or inserted is run by nobody'), async () => {
    const { files } = (await seen.get(name)) as Seen
    expect(files).toContain('asked')
    expect(files.filter((each) => each.includes('canary'))).toEqual([])
  })
})
