// orderctl, the built executable: its way in, its help, its errors.
import { describe, expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { exitCodes } from '../../src/exit-codes.ts'
import { faultKinds } from '../../src/service/faults/faults.ts'
import { isFullRun, sampleEvenly } from '../support/cases.ts'
import { orderctl } from '../support/orderctl.ts'

test('says its version', async () => {
  expect(await orderctl(['--version'])).toEqual({ exit: 0, stdout: `${packageJson.version}\n`, stderr: '' })
})

test('alone shows the way in, as --help and help do', async () => {
  const alone = await orderctl([])
  expect(alone).toMatchObject({ exit: 0, stderr: '' })
  expect(alone.stdout).toContain('\nTry it: orderctl create ')
  expect(await orderctl(['--help'])).toEqual(alone)
  expect(await orderctl(['help'])).toEqual(alone)
})

test('its help fits on a terminal of 80 x 24, with the prompt below it', async () => {
  const lines = (await orderctl(['--help'])).stdout.trimEnd().split('\n')
  expect(lines.length).toBeLessThan(24)
  expect(lines.filter((line) => line.length > 80)).toEqual([])
})

describe('help', () => {
  test('on a command is what the command says itself', async () => {
    expect(await orderctl(['help', 'serve-mock'])).toEqual(await orderctl(['serve-mock', '--help']))
  })

  test('on help says what there is help on', async () => {
    const said = await orderctl(['help', '--help'])
    expect(said.stdout).toContain('a command, or one of exit-codes, environment')
    expect(await orderctl(['help', 'safety', '-h'])).toEqual(said)
    expect(await orderctl(['help', 'help'])).toEqual(said)
  })

  test('on serve-mock opens with examples and names every fault', async () => {
    const { stdout } = await orderctl(['serve-mock', '--help'])
    expect(stdout).toMatch(/^Examples:\n {2}orderctl serve-mock\n/)
    for (const kind of Object.keys(faultKinds)) expect(stdout).toMatch(new RegExp(`\\b${kind}\\b`))
  })

  test('on exit-codes is the table of exit codes', async () => {
    const { stdout } = await orderctl(['help', 'exit-codes'], { env: { COLUMNS: '120' } })
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((row) => row.trim().split(/ {2,}/))
    expect(rows).toEqual(
      Object.entries(exitCodes).map(([name, { code, meaning }]) => [String(code), name, meaning]),
    )
  })
})

test('help on what nobody knows names what there is', async () => {
  expect(await orderctl(['help', 'nothing'])).toEqual({
    exit: 2,
    stdout: '',
    stderr:
      "error: no help topic 'nothing'\n" +
      'try: orderctl help create|confirm|get|redeem|watch|list|find|report|reconcile|batch|listen|profile|journal|sandbox|serve-mock|completion|doctor|exit-codes|environment|order-file|json|safety\n',
  })
})

describe('what it does not know', () => {
  const cases: [words: string[], message: string, fix: string][] = [
    [['serve-mok'], "unknown command 'serve-mok'", 'serve-mock, or orderctl --help'],
    [['creat'], "unknown command 'creat'", 'create, or orderctl --help'],
    [['cofirm', 'x'], "unknown command 'cofirm'", 'confirm, or orderctl --help'],
    [['config'], "unknown command 'config'", 'orderctl --help'],
    [['update', '--reveal'], "unknown command 'update'", 'orderctl --help'],
    [['serve-mock', '--prot', '1'], "unknown option '--prot'", '--port, or orderctl serve-mock --help'],
    [['serve-mock', '--port'], "option '--port <number>' argument missing", 'orderctl serve-mock --help'],
    [
      ['serve-mock', 'word'],
      '"word" is not expected here; put the command to run after --exec --',
      'orderctl serve-mock --help',
    ],
    [['--verbose'], "unknown option '--verbose'", 'orderctl --help'],
    [['sandbox', 'rest'], "unknown command 'sandbox rest'", 'reset, or orderctl sandbox --help'],
    [['profile', 'lst'], "unknown command 'profile lst'", 'list, or orderctl profile --help'],
    [['profile', 'x', 'y'], "unknown command 'profile x'", 'orderctl profile --help'],
    [
      ['profile', '--no-color', 'list', 'shop'],
      "too many arguments for 'list'. Expected 0 arguments but got 1: shop.",
      'orderctl profile list --help',
    ],
    [
      ['completion', 'instal'],
      "orderctl has no completion for 'instal'",
      'install, or orderctl completion bash|zsh|fish|powershell',
    ],
    [
      ['completion', 'instal', 'zsh'],
      "too many arguments for 'completion'. Expected 1 argument but got 2: instal, zsh.",
      'install, or orderctl completion --help',
    ],
    [
      ['completion', 'install', 'fsih'],
      "orderctl has no completion for 'fsih'",
      'fish, or orderctl completion install bash|zsh|fish|powershell',
    ],
    [
      ['profile', 'add', 'x', '--bas-url', 'y'],
      "unknown option '--bas-url'",
      '--base-url, or orderctl profile add --help',
    ],
    [
      ['sandbox', 'advance', '5m', '--jso'],
      "unknown option '--jso'",
      '--json, or orderctl sandbox advance --help',
    ],
    [['profile', '--jsn'], "unknown option '--jsn'", '--json, or orderctl profile --help'],
  ]
  test.each(isFullRun ? cases : sampleEvenly(cases, 7))(
    'is named with what to type instead: %j',
    async (words, message, fix) => {
      expect(await orderctl(words)).toEqual({
        exit: 2,
        stdout: '',
        stderr: `error: ${message}\ntry: ${fix}\n`,
      })
      const { exit, stdout, stderr } = await orderctl([...words.slice(0, 1), '--json', ...words.slice(1)])
      expect({ exit, stdout, ...JSON.parse(stderr) }).toEqual({
        exit: 2,
        stdout: '',
        error: { code: 'usage', message, fix, retryable: false },
      })
    },
  )
})

test.each([
  ['--profile', 'sandbox', 'list'],
  ['--profile=sandbox', 'list'],
  ['--json', 'list', '--jso'],
])('a flag of a command in front of it is told where it belongs: %s', async (...words) => {
  expect((await orderctl(words)).stderr).toContain('put flags after the command: orderctl --help')
})

test('a flag in front of a command is no command', async () => {
  expect((await orderctl(['--no-color', 'profile', 'lst'])).stderr).toBe(
    "error: unknown command 'profile lst'\ntry: list, or orderctl profile --help\n",
  )
})

describe('help on what was meant', () => {
  const all =
    'create|confirm|get|redeem|watch|list|find|report|reconcile|batch|listen|profile|journal|sandbox|serve-mock|completion|doctor|exit-codes|environment|order-file|json|safety'
  test.each([
    [['safty'], `safety, or orderctl help ${all}`],
    [['profil'], `profile, or orderctl help ${all}`],
    [['profile', 'lst'], 'list, or orderctl help profile add|list|show|use|remove|limits|test'],
    [['create', 'x'], 'orderctl help create'],
    [[''], `orderctl help ${all}`],
  ])('%j', async (words, fix) => {
    const message = `no help topic '${words.join(' ')}'`
    expect(await orderctl(['help', ...words])).toEqual({
      exit: 2,
      stdout: '',
      stderr: `error: ${message}\ntry: ${fix}\n`,
    })
    const { stderr } = await orderctl(['help', ...words], { env: { ORDERCTL_JSON: '1' } })
    expect(JSON.parse(stderr)).toEqual({ error: { code: 'usage', message, fix, retryable: false } })
  })

  test('takes no flag, and does not send anybody to one', async () => {
    expect((await orderctl(['help', '--jsn'])).stderr).toBe(
      "error: unknown option '--jsn'\ntry: orderctl help\n",
    )
  })
})

describe('colour', () => {
  const escapeSequence = '\u001b['
  test.each([
    [{}, false],
    [{ FORCE_COLOR: '1' }, true],
    [{ FORCE_COLOR: '1', NO_COLOR: '1' }, true],
    [{ FORCE_COLOR: '0' }, false],
  ] as const)('in a pipe with %j: %s', async (env, coloured) => {
    expect((await orderctl(['serve-mok'], { env })).stderr.includes(escapeSequence)).toBe(coloured)
  })

  test('is not there with --no-color, whatever the environment wants', async () => {
    expect((await orderctl(['serve-mok', '--no-color'], { env: { FORCE_COLOR: '1' } })).stderr).not.toContain(
      escapeSequence,
    )
  })
})

describe('a home that is no help', () => {
  test.each([
    ['missing', {}],
    ['relative', { HOME: 'somewhere' }],
    ['a file', { HOME: '/dev/null' }],
    ['not there', { HOME: '/proc/nothing' }],
    ['where nothing can be made', { HOME: '/proc' }],
    ['with a cache that is a file', { XDG_CACHE_HOME: '/dev/null' }],
  ])('%s does not keep it from starting', async (_name, env) => {
    expect(await orderctl(['--version'], { env })).toMatchObject({ exit: 0, stderr: '' })
  })
})
