// Suggested commands: they reach the same account, and a shell reads their values as they are.
import { describe, expect, test } from 'vitest'
import { createSuggest } from '../../src/text/suggest.ts'

const linux = { environment: {}, platform: 'linux' }
const powerShell = { environment: { PSModulePath: '/opt/modules' }, platform: 'linux' }

describe('the account', () => {
  test.each([
    [{}, {}, 'orderctl get ord_1'],
    [{ profile: 'b' }, {}, 'orderctl get ord_1 --profile b'],
    [{}, { ORDERCTL_PROFILE: 'c' }, 'orderctl get ord_1 --profile c'],
    [{ profile: 'b' }, { ORDERCTL_PROFILE: 'c' }, 'orderctl get ord_1 --profile b'],
    [{}, { ORDERCTL_PROFILE: '' }, 'orderctl get ord_1'],
    [{ profile: '-b', allowHttp: true }, {}, 'orderctl get ord_1 --profile=-b --allow-http'],
  ])('of the flags %j and the variables %j is written', (flags, environment, command) => {
    const suggest = createSuggest({ ...linux, environment })
    suggest.setFlags(flags)
    expect(suggest`get ${'ord_1'}`).toBe(command)
  })

  test('is written only if the command accepts it', () => {
    const suggest = createSuggest(linux)
    suggest.setFlags({ profile: 'b', allowHttp: true })
    expect(suggest`batch show ${'gifts'}`).toBe('orderctl batch show gifts --profile b')
    expect(suggest`batch run ${'gifts'}`).toBe('orderctl batch run gifts --profile b --allow-http')
    expect(suggest`profile use ${'shop'}`).toBe('orderctl profile use shop')
    expect(suggest`create --help`).toBe('orderctl create --help')
  })

  test('of a different profile is written instead', () => {
    const suggest = createSuggest(linux)
    suggest.setFlags({ profile: 'b' })
    expect(suggest.onProfile('c')`reconcile`).toBe('orderctl reconcile --profile c')
    expect(suggest`journal status --profile sandbox`).toBe('orderctl journal status --profile sandbox')
  })
})

describe('a value', () => {
  const suggest = createSuggest(linux)

  test.each([
    ['a b', "'a b'"],
    ["it's", `'it'\\''s'`],
    ["\\'; touch x #", `\\\\\\''; touch x #'`],
    ['=ls', "'=ls'"],
    ['%self', "'%self'"],
    ['~', "'~'"],
    ['Zürich', "'Zürich'"],
    ['❤️', "'❤️'"],
  ])('%s is quoted', (value, quoted) => {
    expect(suggest`get ${value}`).toBe(`orderctl get ${quoted}`)
    expect(suggest`list ${{ batch: value }}`).toBe(`orderctl list --batch ${quoted}`)
  })

  test.each([
    '',
    'a\nb',
    'a\tb',
    '\u001b[2K',
    '\u202eabc',
    'a\u200bb',
    'a\u00a0b',
    '\ud800',
    'x'.repeat(201),
  ])('%j becomes a placeholder', (value) => {
    expect(suggest`redeem ${value} --reveal`).toBe('orderctl redeem ORDER --reveal')
    expect(suggest`batch run ${value}`).toBe('orderctl batch run BATCH')
    expect(suggest`create ${{ reference: value }}`).toBe('orderctl create --reference REFERENCE')
  })

  test('that looks like a flag is none', () => {
    expect(suggest`redeem ${'--help'} --reveal`).toBe('orderctl redeem --reveal -- --help')
    expect(suggest`watch ${['a', '-b']}`).toBe('orderctl watch -- a -b')
    expect(suggest`list ${{ batch: '-x y' }}`).toBe("orderctl list '--batch=-x y'")
  })

  test.each([
    ['@last', "'@last'"],
    ['a,b', "'a,b'"],
    ["it's ‘so’", "'it''s ‘‘so’’'"],
    ['$(x)', "'$(x)'"],
    ['"', 'ORDER'],
    ['a\\', 'ORDER'],
    ['-x', "'--' '-x'"],
  ])('%s is quoted for PowerShell', (value, quoted) => {
    expect(createSuggest(powerShell)`get ${value}`).toBe(`orderctl get ${quoted}`)
    expect(createSuggest({ environment: {}, platform: 'win32' })`get ${value}`).toBe(`orderctl get ${quoted}`)
  })

  test('is quoted for Git Bash on Windows', () => {
    const environment = { MSYSTEM: 'MINGW64', PSModulePath: 'x' }
    const gitBash = createSuggest({ environment, platform: 'win32' })
    expect(gitBash`get ${'@last'}`).toBe('orderctl get @last')
  })
})

test('flags without a value are omitted, and lists are repeated', () => {
  const flags = { product: ['A:5', 'B:5'], wallet: undefined, yes: true, worker: false }
  expect(createSuggest(linux)`batch run ${flags}`).toBe(
    'orderctl batch run --product A:5 --product B:5 --yes',
  )
})
