// What each command loads, by name and by size: a change that adds to it says why in its commit.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { isAllRun, isFullRun, sampleEvenly } from './support/cases.ts'
import { executable } from './support/orderctl.ts'
import { type Import, parseSources } from './support/source-files.ts'
import { byExecutable, openerFor, type World } from './support/world.ts'

// Its own files of dist/, and the modules of Node that an empty file has not, in one line on stderr.
const hook = `
  const Module = require('node:module')
  const before = new Set(process.moduleLoadList)
  const filesLoaded = () => Object.keys(Module._cache).filter((file) => file.includes('/dist/'))
  process.on('exit', () => {
    const files = filesLoaded()
    const isPublic = (name) => /^NativeModule (?!internal)/.test(name) && !before.has(name)
    const modules = process.moduleLoadList.filter(isPublic).map((name) => 'node:' + name.slice(13))
    const named = files.map((file) => file.replace(/^.*\\/dist\\/|(?:-[\\w-]{8})?\\.cjs$/g, ''))
    const later = files.length - (loadedBefore ?? files.length)
    const { statSync, writeFileSync } = require('node:fs')
    const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0)
    writeFileSync(
      process.env.LOADED,
      [...named, ...modules].sort().join(' ') + '\\n' + named.slice(named.length - later).join(' ') + '\\n' + bytes,
    )
  })
  // When a request that spends leaves.
  let loadedBefore
  require('node:diagnostics_channel').subscribe('undici:client:sendHeaders', ({ request }) => {
    if (request.method !== 'GET') loadedBefore ??= filesLoaded().length
  })
`

const loadedBy = async (
  shop: World,
  prepare: readonly (readonly string[])[],
  words: readonly string[],
  { fault, colour = false }: { readonly fault?: string | undefined; readonly colour?: boolean } = {},
) => {
  for (const each of prepare) await shop.must(...each)
  if (fault !== undefined) await shop.calls.mock('POST', '/faults', { fault })
  const [hookFile, loaded] = ['hook.cjs', 'loaded.txt'].map((name) => path.join(shop.home, name)) as [
    string,
    string,
  ]
  writeFileSync(hookFile, hook)
  const env = {
    NODE_OPTIONS: `--require ${hookFile}`,
    LOADED: loaded,
    FORCE_COLOR: colour ? '1' : undefined,
  }
  // Into files: Node hands pipes of its own to a program, which are sockets, and written to as streams.
  const under = ['sh', '-c', 'exec "$@" > stdout.txt 2> stderr.txt', 'sh']
  const { exit } = await shop.run(words, { env, under })
  const stderr = readFileSync(path.join(shop.home, 'stderr.txt'), 'utf8')
  const [all = '', afterwards = '', bytes] = readFileSync(loaded, 'utf8').split('\n')
  return { exit, stderr, loaded: all.split(' '), afterwards, bytes: Number(bytes) }
}

const buy = ['create', '--product', 'GAME-US:25', '--wallet', 'USD', '-q']

// What is loaded together, by what asks for it first.
const always = 'main rolldown-runtime node:process'
const described = `${always} flags`
const tab = `${described} get-spec complete candidates node:sqlite`
const journaled = `${described} candidates node:sqlite get-run`
const called = `${journaled} node:timers/promises`
const network =
  'network credentials direct-pool pool util node:assert node:net node:stream node:stream/promises node:string_decoder'

describe.skipIf(executable.length === 1)('a command loads what it needs, and nothing else', () => {
  const open = { sandbox: openerFor({ executable: true }), network: openerFor(byExecutable) }
  /** The last two: what is loaded, and at most how many kilobytes of dist/. */
  type Case = [string, keyof typeof open, readonly (readonly string[])[], readonly string[], string, number]
  const cases: Case[] = [
    ['the version', 'sandbox', [], ['--version'], always, 72],
    ['the help', 'sandbox', [], ['--help'], always, 72],
    ['the help of a command', 'sandbox', [], ['create', '--help'], `${described} create-spec`, 98],
    ['TAB on a command', 'sandbox', [], ['__complete', '--', 'cre'], `${described} complete`, 99],
    ['TAB on an order', 'sandbox', [buy], ['__complete', '--', 'get', ''], tab, 249],
    [
      'get --json, sandbox',
      'sandbox',
      [buy],
      ['get', '@last', '--json'],
      `${called} node:os get-spec embedded`,
      440,
    ],
    [
      'get --json, network',
      'network',
      [buy],
      ['get', '@last', '--json'],
      `${called} node:os get-spec ${network}`,
      686,
    ],
    ['get', 'sandbox', [buy], ['get', '@last'], `${called} node:os get-spec embedded order cli-table3`, 467],
    [
      'list --json',
      'sandbox',
      [buy],
      ['list', '--json'],
      `${journaled} list-spec list-run read-moment csv listed-orders`,
      403,
    ],
    [
      'list',
      'sandbox',
      [buy],
      ['list'],
      `${journaled} list-spec list-run read-moment csv listed-orders cli-table3`,
      418,
    ],
    [
      // Not the first one: that one also starts a process, to see whether locks work where the journal is.
      'create --confirm -q',
      'network',
      [buy],
      [...buy, '--confirm'],
      `${called} ${network} create-spec create-run order-request read-for-confirm product-list failure node:os`,
      783,
    ],
  ]
  test.each<Case>(isAllRun ? cases : sampleEvenly(cases, 3))(
    '%s',
    { concurrent: true },
    async (_what, where, prepare, words, wanted, kilobytes) => {
      const { exit, loaded, bytes, stderr } = await loadedBy(await open[where](), prepare, words)
      expect({ exit, loaded, ...(exit === 0 ? {} : { stderr }) }).toEqual({
        exit: 0,
        loaded: wanted.split(' ').sort(),
      })
      expect(bytes / 1000).toBeLessThanOrEqual(kilobytes)
    },
  )
})

describe.skipIf(executable.length === 1)('nothing is loaded once money may be spent', () => {
  const open = openerFor(byExecutable)
  const created = ['create', '--product', 'GAME-US:25', '--wallet', 'USD']
  const bought = ['batch', 'run', '--product', 'GAME-US:25x2', '--wallet', 'USD', '--name', 'gifts']
  type Case = [string, readonly (readonly string[])[], readonly string[], number, string?]
  const cases: Case[] = [
    ['create', [], created, 0],
    ['create --json', [], [...created, '--json'], 0],
    ['create --confirm', [], [...created, '--confirm'], 0],
    ['create --watch', [], [...created, '--watch'], 0],
    ['create --watch --json --reveal', [], [...created, '--watch', '--json', '--reveal'], 0],
    ['create --watch --reveal', [], [...created, '--watch', '--reveal'], 0],
    ['create, refused', [], ['create', '--product', 'GAME-US:24', '--wallet', 'USD'], 3],
    ['create, its response lost', [], created, 5, 'create:reset-after'],
    ['create, its response garbled', [], created, 5, 'create:bad-json'],
    ['create --confirm, its response lost', [], [...created, '--confirm'], 0, 'confirm:reset-after'],
    ['confirm', [buy], ['confirm', '@last'], 0],
    ['confirm --watch', [buy], ['confirm', '@last', '--watch'], 0],
    ['confirm --json', [buy], ['confirm', '@last', '--json'], 0],
    ['confirm, refused', [buy], ['confirm', '@last'], 4, 'confirm:status=401'],
    ['batch run', [], [...bought, '--max-total', '100'], 0],
    ['batch run --json', [], [...bought, '--max-total', '100', '--json'], 0],
    ['batch run, over its cap', [], [...bought, '--max-total', '1'], 13],
  ]
  test.each<Case>(isFullRun ? cases : sampleEvenly(cases, isAllRun ? 4 : 2))(
    '%s',
    { concurrent: true },
    async (_what, prepare, words, wanted, fault) => {
      const { exit, afterwards, stderr } = await loadedBy(await open(), prepare, words, {
        fault,
        colour: true,
      })
      expect({ exit, afterwards, stderr }).toEqual({ exit: wanted, afterwards: '', stderr })
    },
  )
})

describe('what is loaded with a file holds of packages', () => {
  const sources = globSync('src/**/*.ts')
  const byPath = new Map(
    parseSources(Object.fromEntries(sources.map((file) => [file, readFileSync(file, 'utf8')]))).map(
      (file) => [file.path, file],
    ),
  )
  const atOnce = ({ typeOnly, isLater }: Import): boolean => !typeOnly && !isLater

  const packagesWith = (file: string, seen = new Set<string>()): string[] => {
    if (seen.has(file)) return []
    seen.add(file)
    return (byPath.get(file)?.imports ?? [])
      .filter(atOnce)
      .flatMap(({ from, isPackage }) => (isPackage ? [from] : packagesWith(from, seen)))
      .filter((name) => !name.startsWith('node:'))
  }

  test.each([
    ['main', 'commander'],
    ['commands/completion/complete', ''],
    ['commands/completion/candidates', 'big.js'],
    ['commands/get/run', 'big.js'],
    ['commands/list/run', 'big.js'],
    ['commands/confirm/run', 'big.js'],
    ['service/embedded', 'big.js'],
    ['journal/open-journal', ''],
    ['client/network', 'big.js'],
    ['ui/screens/order', 'big.js'],
  ])('%s: %s', (file, wanted) => {
    expect([...new Set(packagesWith(`src/${file}.ts`))].sort().join(' ')).toBe(wanted)
  })
})

test('the build puts function expressions in parentheses, so that V8 compiles them with their file', () => {
  const code = readFileSync('dist/main.cjs', 'utf8')
  expect(code.match(/=\((?:async)?\(?[\w,]*\)?=>/g)?.length).toBeGreaterThan(30)
})
