// What each command loads, by name: whoever adds an import sees here what pays for it at every start.
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { byExecutable, customer, type Way } from './support/customer.ts'
import { houseOf, type Import } from './support/house.ts'
import { executable, orderctl } from './support/orderctl.ts'

// Its own files of dist/, and the modules of Node that an empty file has not, in one line on stderr.
const hook = `
  const Module = require('node:module')
  const before = new Set(process.moduleLoadList)
  process.on('exit', () => {
    const files = Object.keys(Module._cache).filter((file) => file.includes('/dist/'))
    const isPublic = (name) => /^NativeModule (?!internal)/.test(name) && !before.has(name)
    const modules = process.moduleLoadList.filter(isPublic).map((name) => 'node:' + name.slice(13))
    const named = files.map((file) => file.replace(/^.*\\/dist\\/|(?:-[\\w-]{8})?\\.cjs$/g, ''))
    require('node:fs').writeFileSync(process.env.LOADED, [...named, ...modules].sort().join(' '))
  })
`

const loadedBy = async (way: Way, prepare: readonly (readonly string[])[], words: readonly string[]) => {
  const shop = await customer(way)
  for (const each of prepare) await shop.must(...each)
  const [hookFile, loaded] = ['hook.cjs', 'loaded.txt'].map((name) => path.join(shop.home, name)) as [
    string,
    string,
  ]
  writeFileSync(hookFile, hook)
  const env = { NODE_OPTIONS: `--require ${hookFile}`, LOADED: loaded }
  const { exit, stderr } = await shop.run(words, { env })
  return { exit, stderr, loaded: readFileSync(loaded, 'utf8').split(' ') }
}

const inSandbox: Way = { program: orderctl }

const buy = ['create', '--product', 'GAME-US:25', '--wallet', 'USD', '-q']

// What is loaded together, by what asks for it first.
const always = 'main rolldown-runtime node:process'
const tab = `${always} complete word-sources look node:sqlite`
const journaled = `${tab} get journal`
const called = `${journaled} node:timers/promises`
const network =
  'network credentials agent pool util node:net node:stream node:stream/promises node:string_decoder'
const drawn = 'view-of table text-width'
const order = 'order-screen order fields cards money'

describe.skipIf(executable.length === 1)('a command loads what it needs, and nothing else', () => {
  test.each<[string, Way, readonly (readonly string[])[], readonly string[], string]>([
    ['the version', inSandbox, [], ['--version'], always],
    ['the help', inSandbox, [], ['--help'], always],
    ['the help of a command', inSandbox, [], ['create', '--help'], always],
    ['TAB on a command', inSandbox, [], ['__complete', '--', 'cre'], `${always} complete`],
    ['TAB on an order', inSandbox, [buy], ['__complete', '--', 'get', ''], tab],
    ['get --json, sandbox', inSandbox, [buy], ['get', '@last', '--json'], `${called} embedded limits`],
    ['get --json, network', byExecutable, [buy], ['get', '@last', '--json'], `${called} ${network}`],
    ['get', inSandbox, [buy], ['get', '@last'], `${called} embedded limits ${drawn} ${order}`],
    ['list --json', inSandbox, [buy], ['list', '--json'], `${journaled} list entry-data requested`],
    ['list', inSandbox, [buy], ['list'], `${journaled} list entry-data requested list-screen ${drawn} money`],
    [
      'create --confirm -q',
      byExecutable,
      [],
      [...buy, '--confirm'],
      `${called} ${network} create order-input order-request limits read-input reconcile lapse patiently show-order view-of money node:crypto`,
    ],
  ])('%s', { concurrent: true }, async (_what, way, prepare, words, wanted) => {
    const { exit, loaded, stderr } = await loadedBy(way, prepare, words)
    expect({ exit, loaded, ...(exit === 0 ? {} : { stderr }) }).toEqual({
      exit: 0,
      loaded: wanted.split(' ').sort(),
    })
  })
})

describe('what is loaded with a file holds of packages', () => {
  const sources = globSync('src/**/*.ts')
  const house = new Map(
    houseOf(Object.fromEntries(sources.map((file) => [file, readFileSync(file, 'utf8')]))).map((file) => [
      file.path,
      file,
    ]),
  )
  const atOnce = ({ typeOnly, isLater }: Import): boolean => !typeOnly && !isLater

  const packagesWith = (file: string, seen = new Set<string>()): string[] => {
    if (seen.has(file)) return []
    seen.add(file)
    return (house.get(file)?.imports ?? [])
      .filter(atOnce)
      .flatMap(({ from, isPackage }) => (isPackage ? [from] : packagesWith(from, seen)))
      .filter((name) => !name.startsWith('node:'))
  }

  test.each([
    ['main', 'commander'],
    ['commands/complete', ''],
    ['commands/word-sources', 'big.js'],
    ['commands/get', 'big.js'],
    ['commands/list', 'big.js'],
    ['commands/confirm', 'big.js'],
    ['service/embedded', 'big.js'],
    ['journal/journal', ''],
    ['client/network', 'big.js'],
    ['commands/order-screen', 'big.js cli-table3'],
  ])('%s: %s', (file, wanted) => {
    expect([...new Set(packagesWith(`src/${file}.ts`))].sort().join(' ')).toBe(wanted)
  })
})
