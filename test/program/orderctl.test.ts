// What orderctl prints without a command: its version, its help, colour.
import {
  chmodSync,
  chownSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  symlinkSync,
} from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { listCommands } from '../../build/command-tree.ts'
import { guides } from '../../src/program/program.ts'
import { isAllRun } from '../support/cases.ts'
import { inProcess } from '../support/in-process.ts'
import { selfSigned } from '../support/network/client-certificate.ts'
import { openHttps } from '../support/network/client-servers.ts'
import { orderctl } from '../support/orderctl.ts'
import { openScratch } from '../support/scratch.ts'
import { openWorld } from '../support/world.ts'

test('alone prints the overview, as --help and help do', async () => {
  const alone = await inProcess([])
  expect(alone).toMatchObject({ exit: 0, stderr: '' })
  const [, tried = ''] = /\nTry: orderctl (.+)\n$/.exec(alone.stdout) ?? []
  // Typed unchanged, it spends nothing, whatever the account in use is.
  const real = { ORDERCTL_BASE_URL: 'https://orders.test', ORDERCTL_API_KEY: 'the-key' }
  const { run } = await openWorld()
  const { exit, stdout } = await run(tried.split(' '), { env: real })
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
        ...{
          code: 'usage',
          reason: 'usage',
          message: `${name} alone prints its help, which is not JSON`,
          field: '--json',
        },
        ...{ fix: `orderctl ${name} --help`, retryable: false },
      },
    ])
  },
)

test('help also lists the topics, and says where the guides are', async () => {
  const { stdout } = await inProcess([])
  const topics = 'Topics: exit-codes, environment, order-file, sandbox, json, safety\n'
  const guide = 'Guides, such as orderctl help --guide tasks: orderctl help --help lists them\n'
  expect(await inProcess(['help'])).toEqual({ exit: 0, stdout: `${stdout}${topics}${guide}`, stderr: '' })
})

test.each([
  ['ls --json', 'list --json'],
  ['ls --help', 'list --help'],
  ['version', '--version'],
  ['list --all --help', 'list --help --all'],
  ['--all list --help', 'list --help --all'],
  ['--json --help batch run', 'batch run --help'],
  ['help get --schema', 'help json get --schema'],
  ['version --json', '--version --json'],
])('%s is %s', async (typed, meant) => {
  const ran = await inProcess(typed.split(' '))
  expect(ran.exit).toBe(0)
  expect(ran).toEqual(await inProcess(meant.split(' ')))
})

const commands = listCommands().map(({ path, command }) => [path, command] as const)

test.each(commands)(
  'the help of %s fits on 40 lines of 80 columns, and --all adds the rest',
  async (path, command) => {
    const words = path.split(' ').slice(1)
    const help = (await inProcess([...words, '--help'])).stdout
    const whole = (await inProcess([...words, '--help', '--all'])).stdout
    const lines = help.trimEnd().split('\n')
    expect(lines.length).toBeLessThanOrEqual(40)
    expect(lines.filter((line) => line.length > 80)).toEqual([])
    expect(lines.at(-1)).toMatch(new RegExp(`^More .*: ${path} --help --all$`))
    const [, guide = 'tasks'] = /^Guide: orderctl help --guide (.*)$/m.exec(help) ?? []
    expect(guides).toContain(guide)
    const listed = (text: string) => [...text.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, flag]) => flag)
    const daily = command.options.filter(({ helpGroupHeading }) => helpGroupHeading !== 'Advanced flags:')
    expect(listed(help)).toEqual([...daily.map(({ long }) => long), '--help'])
    expect(listed(whole).sort()).toEqual([...command.options.map(({ long }) => long), '--help'].sort())
    const subcommands = command.commands.map((each) => each.name())
    expect(subcommands.filter((name) => !new RegExp(`^  ${name} `, 'm').test(whole))).toEqual([])
    expect((await inProcess(['help', ...words, '--all'])).stdout).toContain(whole)
  },
)

test.each(['create', 'redeem', 'list', 'find', 'batch run'])(
  '%s --help wraps at 60 columns',
  async (words) => {
    const { stdout } = await inProcess([...words.split(' '), '--help'], { env: { COLUMNS: '60' } })
    // A command to type is never broken.
    const isTooLong = (line: string) => line.length > 60 && !line.startsWith('  orderctl ')
    expect(stdout.split('\n').filter(isTooLong)).toEqual([])
  },
)

test.runIf(isAllRun).each([
  [{}, [], false],
  [{ FORCE_COLOR: '1' }, [], true],
  [{ FORCE_COLOR: '1', NO_COLOR: '1' }, [], true],
  [{ FORCE_COLOR: '0' }, [], false],
  [{ FORCE_COLOR: '1' }, ['--no-color'], false],
] as const)(
  'colour of the built executable in a pipe, with %j and %j: %s',
  async (env, flags, isColoured) => {
    const { stderr } = await orderctl(['serve-mok', ...flags], { env })
    expect(stderr.includes('\u001b[')).toBe(isColoured)
  },
)

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

/** Moves a folder, and makes a link to it in its place. */
const moveBehindLink = (place: string): string => {
  renameSync(place, `${place}.real`)
  symlinkSync(`${place}.real`, place)
  return place
}

type Cache = { readonly home: string; readonly cache: string; readonly own: string }

/** Only root can give a folder to a different user. */
const ofAnother: [string, boolean, (at: Cache) => void][] = [
  ['of a different user', false, ({ own }) => chownSync(own, 65_534, 65_534)],
  ['in a home of another user', false, ({ home }) => chownSync(home, 65_534, -1)],
  ['behind a link of another user', false, ({ own }) => lchownSync(moveBehindLink(own), 65_534, 65_534)],
]

test
  .runIf(isAllRun)
  .each<[string, boolean, (at: Cache) => void]>([
    ['that does not exist yet', true, ({ own }) => rmdirSync(own)],
    ['behind a link of this user', true, ({ cache }) => moveBehindLink(cache)],
    ['that others can write', false, ({ own }) => chmodSync(own, 0o722)],
    ['in a folder that others can write', false, ({ cache }) => chmodSync(cache, 0o777)],
    ['in a home with the sticky bit', true, ({ home }) => chmodSync(home, 0o1777)],
    ...(process.geteuid?.() === 0 ? ofAnother : []),
  ])('a compile cache %s is used: %s', async (_name, isUsed, prepare) => {
  using scratch = openScratch()
  const home = path.join(scratch.folder, 'home')
  const cache = path.join(home, '.cache')
  const own = path.join(cache, 'orderctl')
  mkdirSync(cache, { recursive: true, mode: 0o755 })
  mkdirSync(own, { mode: 0o700 })
  prepare({ home, cache, own })
  const { exit, stderr } = await orderctl(['--version'], { env: { XDG_CACHE_HOME: cache } })
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
  expect(readdirSync(own).length > 0).toBe(isUsed)
})

test.runIf(isAllRun).each([
  ['missing', {}],
  ['relative', { HOME: 'somewhere' }],
  ['not there', { HOME: '/proc/nothing' }],
  ['with a cache that is a file', { XDG_CACHE_HOME: '/dev/null' }],
])('the built executable starts if the home is %s', async (_name, env) => {
  expect(await orderctl(['--version'], { env })).toMatchObject({ exit: 0, stderr: '' })
})
