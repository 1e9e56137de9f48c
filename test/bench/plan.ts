// `batch plan` beside Node that only reads the file, and splits or unpacks it.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { renderWorkbook } from '../../src/ui/cards/workbook.ts'
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
    const [sku = '', quote] = (products[index % products.length] ?? '').split(':')
    const person = { name: `Person ${index}`, email: `person.${index}@example.com` }
    return { sku, quote: Number(quote), quantity: 1 + (index % 3), ...person }
  })

const header = ['sku', 'quote', 'quantity', 'name', 'email']

const splitFile = `require('node:fs').readFileSync(process.argv[1], 'utf8').split('\\n').map((line) => line.split(','))`
const unpackFile = `require('fflate').unzipSync(require('node:fs').readFileSync(process.argv[1]))`

type Kind = {
  readonly render: (rows: ReturnType<typeof createRows>) => string | Uint8Array
  /** A script that only reads the file. */
  readonly script: string
  /** The file has only this part of the rows. */
  readonly part: number
}

const kinds: Readonly<Record<string, Kind>> = {
  csv: {
    render: (rows) => [header.join(','), ...rows.map((row) => Object.values(row).join(','))].join('\n'),
    script: splitFile,
    part: 1,
  },
  json: { render: (rows) => JSON.stringify(rows), script: splitFile, part: 1 },
  xlsx: {
    render: (rows) =>
      Buffer.concat([...renderWorkbook([header, ...rows.map((row) => Object.values(row).map(String))])]),
    script: unpackFile,
    part: 0.1,
  },
}

export const measurePlan = async (size: Size): Promise<Table> => {
  const { rows, rounds } = sizes[size]
  using scratch = openScratch()
  const homeOf = (name: string): string => path.join(scratch.folder, name)
  const cache = { XDG_CACHE_HOME: homeOf('cache') }
  const bare = createHome(homeOf('bare'))
  let plans = 0
  const measureKind = async ([ending, { render, script, part }]: [string, Kind]): Promise<string[]> => {
    const file = homeOf(`orders.${ending}`)
    const count = rows * part
    writeFileSync(file, render(createRows(count)))
    const words = [...orderctl, 'batch', 'plan', file, '--wallet=USD', '--json']
    const found = await takeTurns(rounds, {
      plan: () => measureUsage({ words, env: createHome(homeOf(`plan-${++plans}`), cache) }),
      read: () => measureUsage({ words: [process.execPath, '-e', script, file], env: bare }),
    })
    const of = (read: (usage: Usage) => number) => compare(found.plan.map(read), found.read.map(read))
    const [ms, cpu, peak] = [of(({ ms }) => ms), of(({ cpuMs }) => cpuMs), of(({ megabytes }) => megabytes)]
    const cells = [ms.ours, ms.theirs, cpu.ours, cpu.theirs, peak.ours, peak.theirs].map(whole)
    return [`\`orders.${ending}\`, ${whole(count)} rows`, ...cells, cpu.ratio.toFixed(1)]
  }
  const measured: string[][] = []
  for (const kind of Object.entries(kinds)) measured.push(await measureKind(kind))
  return {
    title: 'batch plan',
    columns: ['', 'ms', 'read, ms', 'CPU ms', 'read, CPU ms', 'peak MB', 'read, peak MB', 'ratio of CPU'],
    rows: measured,
    note: `Medians of ${rounds} plans. 'Read' is Node that only reads the file, and splits it into cells or unpacks it.`,
  }
}
