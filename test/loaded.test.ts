// What each command loads, by name and by size: a change that adds to it says why in its commit. Each case is a process,
// so `npm run test:all` runs them.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { renderWorkbook } from '../src/ui/cards/workbook.ts'
import { isAllRun, isFullRun, sampleEvenly } from './support/cases.ts'
import { executable } from './support/orderctl.ts'
import { rowsOf } from './support/rows.ts'
import { byExecutable, openerFor, type World } from './support/world.ts'

// A standalone executable is one file.
const isLeftOut = !isAllRun || executable.length === 1

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

// What is loaded together, by what asks for it first.
const always = 'main rolldown-runtime node:process'
const described = `${always} flags`
const tab = `${described} get-spec complete candidates node:sqlite`
const journaled = `${described} candidates node:sqlite get-run`
const called = `${journaled} node:timers/promises`
const listed = `${journaled} list-spec list-run read-moment listed-orders`
const network =
  'network credentials direct-pool pool util node:assert node:net node:stream node:stream/promises node:string_decoder'

/** BUY and BATCH are long commands, '' is an empty word, and `after buy: ` says that an order was placed before. */
const parseLine = (line: string) => {
  const wordsOf = (text: string): string[] =>
    text
      .replace('BUY', 'create --product GAME-US:25 --wallet USD')
      .replace('BATCH', 'batch run --product GAME-US:25x2 --wallet USD --name gifts')
      .split(' ')
      .map((word) => word.replace("''", ''))
  const [, after, text = ''] = /^(after buy: )?(.*)/.exec(line) ?? []
  return { prepare: after === undefined ? [] : [wordsOf('BUY -q')], words: wordsOf(text) }
}

describe.skipIf(isLeftOut)('a command loads what it needs, and nothing else', () => {
  const open = { sandbox: openerFor({ executable: true }), network: openerFor(byExecutable) }
  // Where, the command line, what is loaded, and at most how many kilobytes of dist/. The create is not the first one:
  // that one also starts a process, to see whether locks work where the journal is.
  const cases = rowsOf(`
    sandbox | --version | ${always} | 79
    sandbox | --help | ${always} | 79
    sandbox | create --help | ${described} create-spec | 113
    sandbox | __complete -- cre | ${described} complete | 114
    sandbox | after buy: __complete -- get '' | ${tab} | 279
    sandbox | after buy: get @last --json | ${called} node:os get-spec embedded | 498
    network | after buy: get @last --json | ${called} node:os get-spec ${network} | 742
    sandbox | after buy: get @last | ${called} node:os get-spec embedded order cli-table3 | 523
    sandbox | after buy: list --json | ${listed} | 450
    sandbox | after buy: list | ${listed} cli-table3 | 464
    network | after buy: BUY -q --confirm | ${called} ${network} create-spec create-run order-request \
      confirm product-list failure node:crypto node:os | 860
  `)
  test.each(cases)('%s: %s', { concurrent: true }, async (where, line = '', wanted = '', kilobytes) => {
    const { prepare, words } = parseLine(line)
    const world = await open[where as keyof typeof open]()
    const { exit, loaded, bytes, stderr } = await loadedBy(world, prepare, words)
    expect({ exit, loaded, ...(exit === 0 ? {} : { stderr }) }).toEqual({
      exit: 0,
      loaded: wanted.split(/ +/).sort(),
    })
    expect(bytes / 1000).toBeLessThanOrEqual(Number(kilobytes))
  })
})

test.skipIf(isLeftOut)('only a workbook loads what reads zip archives and XML', async () => {
  const world = await openerFor({ executable: true })()
  const loadedFor = async (name: string, content: string | Uint8Array): Promise<string[]> => {
    writeFileSync(path.join(world.home, name), content)
    const words = ['batch', 'plan', path.join(world.home, name), '--wallet', 'USD']
    return (await loadedBy(world, [], words)).loaded
  }
  const rows = Buffer.concat([
    ...renderWorkbook([
      ['sku', 'quote'],
      ['GAME-US', '25'],
    ]),
  ])
  // The second one contains fflate.
  const readers = ['read-workbook', 'workbook']
  const readersFor = async (name: string, content: string | Uint8Array) =>
    (await loadedFor(name, content)).filter((each) => readers.includes(each))
  expect(await readersFor('a.xlsx', rows)).toEqual(readers.toSorted())
  expect(await readersFor('b.csv', 'sku,quote\nGAME-US,25\n')).toEqual([])
})

describe.skipIf(isLeftOut)('nothing is loaded once money may be spent', () => {
  const open = openerFor(byExecutable)
  // The command line, its exit code, and a fault of the service.
  const cases = rowsOf(`
    BUY | 0
    BUY --json | 0
    BUY --confirm | 0
    BUY --confirm --watch | 0
    BUY --confirm --watch --json --reveal | 0
    BUY --confirm --watch --reveal | 0
    create --product GAME-US:24 --wallet USD | 3
    BUY | 5 | create:reset-after
    BUY | 5 | create:bad-json
    BUY --confirm | 0 | confirm:reset-after
    after buy: confirm @last | 0
    after buy: confirm @last --watch | 0
    after buy: confirm @last --json | 0
    after buy: confirm @last | 4 | confirm:status=401
    BATCH --max-total 100 | 0
    BATCH --max-total 100 --json | 0
    BATCH --max-total 1 | 13
  `)
  test.each(isFullRun ? cases : sampleEvenly(cases, 4))(
    '%s: exit %s %s',
    { concurrent: true },
    async (line = '', wanted, fault) => {
      const { prepare, words } = parseLine(line)
      const ran = await loadedBy(await open(), prepare, words, { fault, colour: true })
      const { exit, afterwards, stderr } = ran
      expect({ exit, afterwards, stderr }).toEqual({ exit: Number(wanted), afterwards: '', stderr })
    },
  )
})

test('the build puts function expressions in parentheses, so that V8 compiles them with their file', () => {
  const code = readFileSync('dist/main.cjs', 'utf8')
  expect(code.match(/=\((?:async)?\(?[\w,]*\)?=>/g)?.length).toBeGreaterThan(30)
})
