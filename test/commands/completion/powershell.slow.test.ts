// The script for PowerShell, as far as it can be judged without one: that it can be read, and that it runs nothing.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { codeOf, piecesOf } from './powershell.ts'

const script = readFileSync('completions/orderctl.ps1', 'utf8')
const pieces = piecesOf(script)
const code = codeOf(pieces)
const texts = (kind: string): string[] => pieces.filter((each) => each.kind === kind).map(({ text }) => text)

describe('the judge', () => {
  test.each(["'a", '"a', '(a', 'a}', '([)]', "'it's'", '"a`"'])('finds what is not closed in %s', (text) => {
    expect(() => piecesOf(text)).toThrow(/close/)
  })

  test('tells strings, comments and code apart', () => {
    expect(
      piecesOf(`a 'it''s (' "b \`" $(c)" # it's\n<# ' #>d`).filter(({ text }) => text.trim() !== ''),
    ).toEqual([
      { kind: 'code', text: 'a ' },
      { kind: 'literal', text: "it''s (" },
      { kind: 'expandable', text: 'b `" $(c)' },
      { kind: 'comment', text: "# it's" },
      { kind: 'comment', text: "<# ' #>" },
      { kind: 'code', text: 'd' },
    ])
  })
})

test('no string of it is expanded: nothing that is typed or offered could run in one', () => {
  expect(texts('expandable')).toEqual(['`t', "'", "'"])
})

test('nothing runs a text, and one program alone is called: orderctl, each word an argument of its own', () => {
  expect(code).not.toMatch(
    /Invoke-|\biex\b|\bicm\b|ScriptBlock\]|::Create|ExpandString|Add-Type|Start-Process|\.Invoke|New-Object|InvokeScript|InvokeCommand/i,
  )
  const calls = code.split('\n').filter((line) => /(?<!\d>)&|^\s*\.\s|[|;=({]\s*\.\s/.test(line))
  expect(calls.map((line) => line.trim())).toEqual(["$lines = @(& $program '' '' @words $word 2>$null)"])
  expect([...code.matchAll(/\$program\s*=.*/g)].map(([line]) => line)).toEqual([
    '$program = Get-Command -Name orderctl -CommandType Application, ExternalScript -ErrorAction SilentlyContinue |',
  ])
})

test('every name that it uses is one that it was given or made', () => {
  const given = 'wordToComplete commandAst cursorPosition _ null PSNativeCommandArgumentPassing'.split(' ')
  const made = [...code.matchAll(/\$(\w+)(?:, \$(\w+))*\s*=(?!=)/g)].flatMap(([line]) =>
    [...line.matchAll(/\$(\w+)/g)].map(([, name]) => name),
  )
  const used = [...code.matchAll(/\$(\w+)/g)].map(([, name]) => name)
  expect(used.filter((name) => ![...given, ...made].includes(name))).toEqual([])
})

test('what is inserted is one literal, whatever it holds', () => {
  // As the script has it: bare where nothing in it means anything, else quoted, each kind of quote doubled.
  const [, bare = ''] = /\$value -match '([^']+)'/.exec(script) ?? []
  const [, quote = ''] = /-replace '(\[''[^\]]+\])', '\$0\$0'/.exec(script) ?? []
  const inserted = (value: string): string =>
    new RegExp(bare).test(value)
      ? value
      : `'${value.replace(new RegExp(quote.replaceAll("''", "'"), 'gu'), '$&$&')}'`
  const quotes = ['\u2018x\u2019', '\u201ax\u201b', "'"]
  for (const value of ["it's", '$(x)', '`x', '"; x', ...quotes, '@last', 'ref:a b', '']) {
    expect(piecesOf(inserted(value)).filter(({ text, kind }) => text !== '' || kind === 'literal')).toEqual([
      { kind: 'literal', text: value.replace(/['\u2018\u2019\u201a\u201b]/g, '$&$&') },
    ])
  }
  expect(inserted('ref:team-lunch')).toBe('ref:team-lunch')
  for (const special of [...'$`"\'(){}[];|&<>@#, \t\n'])
    expect(new RegExp(bare).test(`a${special}`)).toBe(false)
})
