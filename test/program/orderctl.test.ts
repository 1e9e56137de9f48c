// What orderctl prints without a command: its version, its help, colour.
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  renameSync,
  symlinkSync,
} from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { listCommands } from '../../build/command-tree.ts'
import { inProcess } from '../support/in-process.ts'
import { selfSigned } from '../support/network/client-certificate.ts'
import { openHttps } from '../support/network/client-servers.ts'
import { orderctl } from '../support/orderctl.ts'
import { openScratch } from '../support/scratch.ts'

test('alone prints the overview, as --help and help do', async () => {
  const alone = await inProcess([])
  expect(alone).toMatchObject({ exit: 0, stderr: '' })
  const [, tried = ''] = /\nTry: orderctl (.+)\n$/.exec(alone.stdout) ?? []
  // Typed unchanged, it spends nothing, whatever the account in use is.
  const real = { ORDERCTL_BASE_URL: 'https://orders.test', ORDERCTL_API_KEY: 'the-key' }
  const { exit, stdout } = await inProcess(tried.split(' '), { env: real })
  expect([exit, stdout]).toEqual([0, expect.stringMatching(/^Order +sbx_/m)])
  expect(await inProcess(['--help'])).toEqual(alone)
})

test.each(['batch', 'completion', 'journal'])(
  '%s without a command prints its help, but not as JSON',
  async (name) => {
    expect(await inProcess([name])).toMatchObject({ exit: 0, stderr: '' })
    const { exit, stdout, stderr } = await inProcess([name, '--json'])
    expect([exit, stdout, JSON.parse(stderr).error]).toEqual([
      2,
      '',
      {
        ...{ code: 'usage', message: `${name} alone prints its help, which is not JSON`, field: '--json' },
        ...{ fix: `orderctl ${name} --help`, retryable: false },
      },
    ])
  },
)

test('help also lists the topics', async () => {
  const { stdout } = await inProcess([])
  const topics = 'Topics: exit-codes, environment, order-file, sandbox, json, safety\n'
  expect(await inProcess(['help'])).toEqual({ exit: 0, stdout: `${stdout}${topics}`, stderr: '' })
})

test.each([
  ['ls --json', 'list --json'],
  ['ls --help', 'list --help'],
  ['version', '--version'],
  ['version --json', '--version --json'],
])('%s is %s', async (typed, meant) => {
  const ran = await inProcess(typed.split(' '))
  expect(ran.exit).toBe(0)
  expect(ran).toEqual(await inProcess(meant.split(' ')))
})

test('its help fits on a terminal of 80 x 24, with the prompt below it', async () => {
  const lines = (await inProcess(['--help'])).stdout.trimEnd().split('\n')
  expect(lines.length).toBeLessThan(24)
  expect(lines.filter((line) => line.length > 80)).toEqual([])
})

test('the help of each command fits on 60 lines of 80 columns, and links to a page that exists', async () => {
  for (const { path } of listCommands()) {
    const { stdout } = await inProcess([...path.split(' ').slice(1), '--help'])
    const lines = stdout.trimEnd().split('\n')
    const [, guide = 'docs'] = /^Guide: (.*)$/m.exec(stdout) ?? []
    expect([path, lines.length <= 60, lines.filter((line) => line.length > 80), existsSync(guide)]).toEqual([
      path,
      true,
      [],
      true,
    ])
  }
})

test.each(['create', 'redeem', 'list', 'find', 'batch run'])(
  '%s --help wraps at 60 columns',
  async (words) => {
    const { stdout } = await inProcess([...words.split(' '), '--help'], { env: { COLUMNS: '60' } })
    // A command to type is never broken.
    const isTooLong = (line: string) => line.length > 60 && !line.startsWith('  orderctl ')
    expect(stdout.split('\n').filter(isTooLong)).toEqual([])
  },
)

describe('help', () => {
  test("on a command is what the command's own --help prints", async () => {
    expect(await inProcess(['help', 'serve-mock'])).toEqual(await inProcess(['serve-mock', '--help']))
  })

  test('on help lists the topics', async () => {
    const said = await inProcess(['help', '--help'])
    expect(said.stdout).toContain('a command, or one of exit-codes, environment')
    expect(await inProcess(['help', 'safety', '-h'])).toEqual(said)
    expect(await inProcess(['help', 'help'])).toEqual(said)
  })

  test('on a command opens with its usage, and ends with examples and the page that says more', async () => {
    const { stdout } = await inProcess(['serve-mock', '--help'])
    expect(stdout).toMatch(/^Usage: orderctl serve-mock /)
    expect(stdout).toMatch(/\nExamples:\n {2}orderctl serve-mock\n[\s\S]*\n\nGuide: docs\/serve-mock\.md\n$/)
  })
})

describe('colour, by the built executable', () => {
  const escapeSequence = '\u001b['
  test.each([
    [{}, false],
    [{ FORCE_COLOR: '1' }, true],
    [{ FORCE_COLOR: '1', NO_COLOR: '1' }, true],
    [{ FORCE_COLOR: '0' }, false],
  ] as const)('in a pipe with %j: %s', async (env, coloured) => {
    expect((await orderctl(['serve-mok'], { env })).stderr.includes(escapeSequence)).toBe(coloured)
  })

  test('is absent with --no-color, whatever the environment says', async () => {
    expect((await orderctl(['serve-mok', '--no-color'], { env: { FORCE_COLOR: '1' } })).stderr).not.toContain(
      escapeSequence,
    )
  })
})

test('an untrusted certificate is refused, whatever NODE_TLS_REJECT_UNAUTHORIZED says', async () => {
  await using server = await openHttps(selfSigned('localhost'), (_request, response) => response.end())
  const env = {
    ORDERCTL_BASE_URL: `https://localhost:${server.port}`,
    ORDERCTL_API_KEY: 'sk_test',
    NODE_TLS_REJECT_UNAUTHORIZED: '0',
  }
  const { exit, stderr } = await orderctl(['get', 'ord_1'], { env })
  expect(exit).toBe(5)
  expect(stderr).toMatch(/^error: .*certificate is self-signed \(NODE_TLS_REJECT_UNAUTHORIZED is ignored\)/)
})

describe('the compile cache', () => {
  /** Only root can give a folder to a different user. */
  const ofAnother: [string, (cache: string) => void, boolean][] = [
    ['of a different user is not used', (cache) => chownSync(planted(cache), 65_534, 65_534), false],
    [
      'in a home of another user is not used',
      (cache) => chownSync(homeOf(planted(cache)), 65_534, -1),
      false,
    ],
    [
      'behind a link of another user is not used',
      (cache) => {
        renameSync(planted(cache), path.join(homeOf(cache), 'real'))
        symlinkSync('../real', path.join(cache, 'orderctl'))
        lchownSync(path.join(cache, 'orderctl'), 65_534, 65_534)
      },
      false,
    ],
  ]

  test.each<[string, (cache: string) => void, boolean]>([
    ['that does not exist yet is used', () => {}, true],
    ['of this user is used', (cache) => mkdirSync(path.join(cache, 'orderctl'), { mode: 0o700 }), true],
    [
      'behind a link of this user is used',
      (cache) => {
        renameSync(cache, path.join(homeOf(cache), 'real'))
        symlinkSync('real', cache)
      },
      true,
    ],
    ['that others can write is not used', (cache) => chmodSync(planted(cache), 0o722), false],
    [
      'in a folder that others can write is not used',
      (cache) => chmodSync(path.dirname(planted(cache)), 0o777),
      false,
    ],
    [
      'in a home that every user can write is not used',
      (cache) => chmodSync(homeOf(planted(cache)), 0o777),
      false,
    ],
    ['in a home with the sticky bit is used', (cache) => chmodSync(homeOf(planted(cache)), 0o1777), true],
    ...(process.geteuid?.() === 0 ? ofAnother : []),
  ])('%s', async (_name, prepare, isUsed) => {
    using scratch = openScratch()
    const cache = path.join(scratch.folder, 'home', '.cache')
    mkdirSync(cache, { recursive: true, mode: 0o755 })
    prepare(cache)
    const { exit, stderr } = await orderctl(['--version'], { env: { XDG_CACHE_HOME: cache } })
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
    expect(readdirSync(path.join(cache, 'orderctl')).length > 0).toBe(isUsed)
  })

  const homeOf = (place: string): string => place.replace(/\/\.cache.*/, '')

  const planted = (cache: string): string => {
    const folder = path.join(cache, 'orderctl')
    mkdirSync(folder, { mode: 0o700 })
    return folder
  }
})

describe('a home that cannot be used', () => {
  test.each([
    ['missing', {}],
    ['relative', { HOME: 'somewhere' }],
    ['a file', { HOME: '/dev/null' }],
    ['not there', { HOME: '/proc/nothing' }],
    ['where nothing can be made', { HOME: '/proc' }],
    ['with a cache that is a file', { XDG_CACHE_HOME: '/dev/null' }],
  ])('%s: the built executable starts', async (_name, env) => {
    expect(await orderctl(['--version'], { env })).toMatchObject({ exit: 0, stderr: '' })
  })
})
