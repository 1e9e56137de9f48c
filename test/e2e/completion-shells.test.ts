// The TAB key in real shells: what is offered is inserted whole, and nothing that is typed or stored is ever run.
import { readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { completed, homeWith, missing, shells } from '../support/shells.ts'

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

describe.each(shells)('$name', { timeout: 120_000 }, (shell) => {
  const why = missing(shell)
  const inShell = test.skipIf(why !== undefined)
  const called = (name: string): string => (why === undefined ? name : `${name} (not tried: ${why})`)
  const everything = (home: string): string[] => readdirSync(home, { recursive: true }).map(String)

  inShell.for([
    ['without quotes', ''],
    ['behind an open "', '"'],
    ["behind an open '", "'"],
  ] as const)(called('hostile references are inserted whole, and run by nobody, %s'), async ([, quote]) => {
    const there = homeWith(hostile)
    const lines = hostile.map((reference) => `orderctl get ${quote}ref:${reference.slice(0, 2)}`)
    const words = await completed(shell, there, lines)
    expect(words).toEqual(hostile.map((reference) => ['orderctl', 'get', `ref:${reference}`]))
    expect(everything(there.home).filter((each) => each.includes('canary'))).toEqual([])
  })

  inShell(called('what is typed is run by nobody'), async () => {
    const there = homeWith([])
    const lines = [
      'get "$(touch canary)" $(touch canary) @l',
      'list --reference=`touch canary` --st',
      "get '$(touch canary)",
    ]
    await completed(
      shell,
      there,
      lines.map((line) => `orderctl ${line}`),
      { runs: false },
    )
    expect(everything(there.home).filter((each) => each.includes('canary'))).toEqual([])
  })

  inShell(called('commands, flags, values, files and the commands behind -- are completed'), async () => {
    const there = homeWith(['first', 'second'])
    writeFileSync(path.join(there.home, 'my order.json'), '{}')
    const words = await completed(shell, there, [
      'orderctl recon',
      'orderctl list --unf',
      'orderctl list --state=reje',
      'orderctl list --state reje',
      'orderctl confirm @l',
      'orderctl get ref:sec',
      'orderctl create --product COFFEE-U',
      'orderctl get --fields state,inv',
      'orderctl create my',
      'orderctl profile add x --key-file my',
      'orderctl profile add x --key-file=my',
      'orderctl nothing x',
      'orderctl serve-mock --exec -- mkfif',
    ])
    expect(words.map((each) => each.slice(1))).toEqual([
      ['reconcile'],
      ['list', '--unfinished'],
      ['list', '--state=rejected'],
      ['list', '--state', 'rejected'],
      ['confirm', '@last'],
      ['get', 'ref:second'],
      ['create', '--product', 'COFFEE-US:'],
      ['get', '--fields', 'state,invoice'],
      ['create', 'my order.json'],
      ['profile', 'add', 'x', '--key-file', 'my order.json'],
      ['profile', 'add', 'x', '--key-file=my order.json'],
      ['nothing', 'x'],
      ['serve-mock', '--exec', '--', 'mkfifo'],
    ])
  })
})
