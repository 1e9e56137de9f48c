// Compares how long commands take with those of another build of orderctl, for example of an older commit:
// `node test/bench/against.ts FOLDER`, where FOLDER has bin/ and dist/. By turns. It judges nothing.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import { executable, folder } from './servers.ts'
import { median, renderTable } from './table.ts'

const rounds = 40
/** Each build buys its own orders in the sandbox before it is measured. */
const orders = 30

const other = path.resolve(process.argv[2] ?? '', 'bin/orderctl.cjs')
if (process.argv[2] === undefined || !existsSync(other)) {
  console.error(`usage: node ${path.relative('.', import.meta.filename)} FOLDER, the folder of another build`)
  process.exit(2)
}

type Build = { readonly run: (words: readonly string[]) => number; readonly order: string }

const prepare = (name: string, file: string): Build => {
  const home = path.join(folder, name)
  mkdirSync(home)
  const env = { PATH: process.env.PATH, HOME: home, CI: 'true' }
  const spawn = (words: readonly string[]) => {
    const result = spawnSync(process.execPath, [file, ...words], { env, encoding: 'utf8' })
    if (result.status !== 0)
      throw new Error(`${words.join(' ')} ended with ${result.status}: ${result.stderr}`)
    return result.stdout
  }
  const fill = [`--product=GAME-US:25x${orders * 5}`, '--max-total=100000', '--name=fill', '--parallel=16']
  spawn(['batch', 'run', ...fill, '--wallet=USD', '--json'])
  const [order = ''] = spawn(['create', '--product=GAME-US:25', '--wallet=USD', '--confirm', '-q']).split(
    '\n',
  )
  return {
    order,
    run: (words) => {
      const start = performance.now()
      spawn(words)
      return performance.now() - start
    },
  }
}

const commands: readonly (readonly [name: string, words: (order: string) => readonly string[]])[] = [
  ['--version', () => ['--version']],
  ['--help', () => ['--help']],
  ['TAB after "get"', () => ['__complete', '--', 'get', '']],
  ['list', () => ['list']],
  ['get ORDER --json', (order) => ['get', order, '--json']],
  ['create --confirm', () => ['create', '--product=GAME-US:25', '--wallet=USD', '--confirm', '-q']],
]

const [before, now] = [prepare('other', other), prepare('this', executable)]
const rows = commands.map(([name, wordsFor]) => {
  const times = { before: [] as number[], now: [] as number[] }
  // The first run fills the caches.
  for (let round = 0; round <= rounds; round += 1) {
    const sides = [
      { times: times.before, build: before },
      { times: times.now, build: now },
    ]
    for (const { times, build } of round % 2 === 0 ? sides : sides.toReversed()) {
      const ms = build.run(wordsFor(build.order))
      if (round > 0) times.push(ms)
    }
  }
  const differences = times.now.map((ms, round) => ms - (times.before[round] ?? Number.NaN))
  return [
    name,
    median(times.before).toFixed(1),
    median(times.now).toFixed(1),
    median(differences).toFixed(1),
    (median(times.now) / median(times.before)).toFixed(2),
  ]
})
const title = `journal in a file, medians of ${rounds}`
console.log(renderTable([[title, 'other ms', 'this ms', 'difference', 'ratio'], ...rows]))
