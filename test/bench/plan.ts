// `batch plan` beside Node that only reads and splits the file.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { openScratch } from '../support/scratch.ts'
import { compare, type Size, type Table, takeTurns, whole } from './measure.ts'
import { createHome, measureUsage, orderctl, type Usage } from './processes.ts'

const sizes = {
  smoke: { rows: 100, rounds: 1 },
  normal: { rows: 100_000, rounds: 5 },
}

const products = ['GAME-US:25', 'MUSIC-US:9.99', 'GAME-DE:20', 'COFFEE-US:50', 'COFFEE-US:75']

const createRows = (count: number) =>
  Array.from({ length: count }, (_, index) => {
    const [sku, quote] = (products[index % products.length] ?? '').split(':')
    const person = { name: `Person ${index}`, email: `person.${index}@example.com` }
    return { sku, quote: Number(quote), quantity: 1 + (index % 3), ...person }
  })

const files: Readonly<Record<string, (rows: ReturnType<typeof createRows>) => string>> = {
  'orders.csv': (rows) =>
    ['sku,quote,quantity,name,email', ...rows.map((row) => Object.values(row).join(','))].join('\n'),
  'orders.json': (rows) => JSON.stringify(rows),
}

const splitFile = `require('node:fs').readFileSync(process.argv[1], 'utf8').split('\\n').map((line) => line.split(','))`

export const measurePlan = async (size: Size): Promise<Table> => {
  const { rows, rounds } = sizes[size]
  using scratch = openScratch()
  const content = createRows(rows)
  const homeOf = (name: string): string => path.join(scratch.folder, name)
  const cache = { XDG_CACHE_HOME: homeOf('cache') }
  const split = createHome(homeOf('split'))
  let plans = 0
  const measureFile = async (name: string): Promise<string[]> => {
    const file = homeOf(name)
    writeFileSync(file, files[name]?.(content) ?? '')
    const words = [...orderctl, 'batch', 'plan', file, '--wallet=USD', '--json']
    const found = await takeTurns(rounds, {
      plan: () => measureUsage({ words, env: createHome(homeOf(`plan-${++plans}`), cache) }),
      split: () => measureUsage({ words: [process.execPath, '-e', splitFile, file], env: split }),
    })
    const of = (read: (usage: Usage) => number) => compare(found.plan.map(read), found.split.map(read))
    const [ms, cpu, peak] = [of(({ ms }) => ms), of(({ cpuMs }) => cpuMs), of(({ megabytes }) => megabytes)]
    const cells = [ms.ours, ms.theirs, cpu.ours, cpu.theirs, peak.ours, peak.theirs].map(whole)
    return [`\`${name}\``, ...cells, cpu.ratio.toFixed(1)]
  }
  const measured: string[][] = []
  for (const name of Object.keys(files)) measured.push(await measureFile(name))
  return {
    title: 'batch plan',
    columns: ['', 'ms', 'split, ms', 'CPU ms', 'split, CPU ms', 'peak MB', 'split, peak MB', 'ratio of CPU'],
    rows: measured,
    note: `Medians of ${rounds} plans of ${whole(rows)} rows. 'Split' is Node that only reads the file and splits it into cells.`,
  }
}
