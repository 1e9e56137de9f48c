// The bench of `report`: its time over 100,000 orders beside bare Node, by turns. The processor
// time changes less than the time if the machine is busy. It judges nothing.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import { createChargedJournal } from './charged-journal.ts'
import { median, renderTable, whole } from './table.ts'

const orders = 100_000
const rounds = 15
const goalMs = 300

const executable = path.resolve('bin/orderctl.cjs')
const folder = mkdtempSync(path.join(tmpdir(), 'orderctl-bench-'))
const usageFile = path.join(folder, 'usage.json')
const hook = path.join(folder, 'hook.cjs')

type Run = { readonly ms: number; readonly cpuMs: number }

const measure = (words: readonly string[]): Run => {
  const start = performance.now()
  const { status, stderr } = spawnSync(process.execPath, ['--require', hook, ...words], {
    env: { ...process.env, ORDERCTL_STATE_DIR: folder, XDG_CACHE_HOME: folder },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ms = performance.now() - start
  if (status !== 0) throw new Error(`${words.join(' ')} ended with ${status}: ${stderr}`)
  const { userCPUTime, systemCPUTime } = JSON.parse(readFileSync(usageFile, 'utf8'))
  return { ms, cpuMs: (userCPUTime + systemCPUTime) / 1000 }
}

const keys = ['month', 'day', 'wallet', 'person', 'profile', 'batch', 'reference-prefix', 'product']
const commands = [
  ['report'],
  ...keys.map((key) => ['report', '--since', '365d', '--by', key]),
  ['report', '--by', 'month', '--by', 'wallet', '--by', 'person'],
  ['report', '--json'],
]

const measureCommand = (words: readonly string[]): string[] => {
  const ours = () => measure([executable, ...words])
  const bare = () => measure(['-e', '0'])
  // The first run also fills the compile cache.
  ours()
  const pairs = Array.from({ length: rounds }, () => ({ bare: bare(), ours: ours() }))
  const middle = (read: (pair: (typeof pairs)[number]) => number): number => median(pairs.map(read))
  return [
    words.join(' '),
    whole(middle((pair) => pair.ours.ms)),
    whole(middle((pair) => pair.bare.ms)),
    whole(middle((pair) => pair.ours.ms - pair.bare.ms)),
    whole(middle((pair) => pair.ours.cpuMs - pair.bare.cpuMs)),
  ]
}

try {
  writeFileSync(
    hook,
    `process.on('exit', () => {
      require('node:fs').writeFileSync(${JSON.stringify(usageFile)}, JSON.stringify(process.resourceUsage()))
    })`,
  )
  await createChargedJournal(folder, { count: orders, days: 330, now: Date.now() })
  const heads = [`${orders.toLocaleString('en-US')} orders`, 'ms', 'bare Node', 'difference', 'CPU ms']
  console.log(renderTable([heads, ...commands.map(measureCommand)]))
  console.log(`\ngoal: a difference of at most ${goalMs} ms`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
