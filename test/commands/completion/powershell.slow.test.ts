// The script for PowerShell, as far as it can be judged without one: it runs nothing that is typed or offered.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const script = readFileSync('completions/orderctl.ps1', 'utf8')
/** Without comments, and without strings in which PowerShell expands nothing. */
const code = script
  .replace(/^\s*#.*/gm, '')
  .replaceAll(`"'"`, '')
  .replaceAll(/'(?:[^'\n]|'')*'/g, "''")

test('no string is expanded, so nothing that is typed or offered could run in one', () => {
  expect(code.match(/"[^"]*"/g)).toEqual(['"`t"'])
})

test('nothing runs a text, and only orderctl is called, with each word as an argument of its own', () => {
  expect(code).not.toMatch(
    /Invoke-|\biex\b|\bicm\b|ScriptBlock\]|::Create|ExpandString|Add-Type|Start-Process|\.Invoke|New-Object|InvokeScript|InvokeCommand/i,
  )
  const calls = code.split('\n').filter((line) => /(?<!\d>)&|^\s*\.\s|[|;=({]\s*\.\s/.test(line))
  expect(calls.map((line) => line.trim())).toEqual(["$lines = @(& $program '' '' @words $word 2>$null)"])
  expect(code.match(/\$program\s*=.*/g)).toEqual([
    '$program = Get-Command -Name orderctl -CommandType Application, ExternalScript -ErrorAction SilentlyContinue |',
  ])
})

test('what is inserted is one literal: bare if no character has a meaning, else with each kind of quote doubled', () => {
  const [, bare = ''] = /\$value -match '([^']+)'/.exec(script) ?? []
  for (const special of [...'$`"\'(){}[];|&<>@#, \t\n\u2018\u2019\u201a\u201b'])
    expect(new RegExp(bare).test(`a${special}`)).toBe(false)
  expect(new RegExp(bare).test('ref:team-lunch')).toBe(true)
  expect(script).toContain(
    `else { "'" + ($value -replace '[''\\u2018\\u2019\\u201a\\u201b]', '$0$0') + "'" }`,
  )
})
