// The bench of `batch plan`: its time and peak memory for 100,000 rows, beside Node that only reads and splits the file.
// The processor time changes less than the time if the machine is busy. It judges nothing.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import { median, renderTable } from './table.ts'

const rows = 100_000
const rounds = 7

const executable = path.resolve('bin/orderctl.cjs')
const folder = mkdtempSync(path.join(tmpdir(), 'orderctl-bench-'))
const usageFile = path.join(folder, 'usage.json')
const hook = path.join(folder, 'hook.cjs')

type Run = { readonly ms: number; readonly cpuMs: number; readonly megabytes: number }

const skus = ['GAME-US', 'COFFEE-US', 'BOOK-US', 'FILM-US', 'MUSIC-US']

const people = Array.from({ length: rows }, (_, index) => ({
  sku: skus[index % skus.length],
  quote: 10 + (index % 4) * 5,
  quantity: 1 + (index % 3),
  name: `Person ${index}`,
  email: `person.${index}@example.com`,
}))

const writeCsv = (): string =>
  ['sku,quote,quantity,name,email', ...people.map((each) => Object.values(each).join(','))].join('\n')

const contents: readonly (readonly [name: string, content: () => string])[] = [
  ['orders.csv', writeCsv],
  ['orders.jsonl', () => people.map((each) => JSON.stringify(each)).join('\n')],
  ['orders.json', () => JSON.stringify(people)],
]

const splitFile = `require('node:fs').readFileSync(process.argv[1], 'utf8').split('\\n').map((line) => line.split(','))`

/** Each run begins with an empty journal. */
const measure = (words: readonly string[]): Run => {
  const home = mkdtempSync(path.join(folder, 'home-'))
  const start = performance.now()
  const { status, stderr } = spawnSync(process.execPath, ['--require', hook, ...words], {
    env: { ...process.env, ORDERCTL_STATE_DIR: home, XDG_CACHE_HOME: folder },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ms = performance.now() - start
  rmSync(home, { recursive: true })
  if (status !== 0) throw new Error(`${words.join(' ')} ended with ${status}: ${stderr}`)
  const { userCPUTime, systemCPUTime, maxRSS } = JSON.parse(readFileSync(usageFile, 'utf8'))
  return { ms, cpuMs: (userCPUTime + systemCPUTime) / 1000, megabytes: maxRSS / 1024 }
}

const measureFile = (name: string, content: string): string[] => {
  const file = path.join(folder, name)
  writeFileSync(file, content)
  const plan = () => measure([executable, 'batch', 'plan', file, '--wallet', 'USD', '--json'])
  const split = () => measure(['-e', splitFile, file])
  // The first runs also fill the compile cache.
  plan()
  split()
  const pairs = Array.from({ length: rounds }, () => ({ split: split(), plan: plan() }))
  const middle = (read: (pair: (typeof pairs)[number]) => number): number => median(pairs.map(read))
  return [
    name,
    middle(({ plan }) => plan.ms).toFixed(0),
    middle(({ split }) => split.ms).toFixed(0),
    middle(({ plan }) => plan.cpuMs).toFixed(0),
    middle(({ split }) => split.cpuMs).toFixed(0),
    middle(({ plan, split }) => plan.cpuMs / split.cpuMs).toFixed(1),
    middle(({ plan }) => plan.megabytes).toFixed(0),
    middle(({ split }) => split.megabytes).toFixed(0),
  ]
}

const heads = ['ms', 'split', 'CPU ms', 'split', 'ratio', 'peak MB', 'split']

try {
  writeFileSync(
    hook,
    `process.on('exit', () => {
      require('node:fs').writeFileSync(${JSON.stringify(usageFile)}, JSON.stringify(process.resourceUsage()))
    })`,
  )
  const title = `batch plan, ${rows.toLocaleString('en-US')} rows`
  const lines = contents.map(([name, content]) => measureFile(name, content()))
  process.stdout.write(`${renderTable([[title, ...heads], ...lines])}\n`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
