// Runs the benchmarks one after the other: `npm run bench [-- NAME...] [--smoke] [--write]`.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { measureBatch } from './batch.ts'
import { measureJournal, measurePostgres } from './journal.ts'
import { median, renderTable, type Size, type Table } from './measure.ts'
import { measurePlan } from './plan.ts'
import { bareNode, time } from './processes.ts'
import { measureReference } from './reference.ts'
import { measureStartUp } from './start-up.ts'

export const benches: Readonly<Record<string, (size: Size) => Promise<Table>>> = {
  reference: measureReference,
  'start-up': measureStartUp,
  journal: measureJournal,
  plan: measurePlan,
  postgres: measurePostgres,
  batch: measureBatch,
}

/** The document that shows the tables. */
const page = 'docs/performance.md'

/** A machine whose bare Node varies more is too busy. */
const maxVariation = 0.3

/** How much longer the slowest of the samples took than the fastest. */
const variationOf = (samples: readonly number[]): number => Math.max(...samples) / Math.min(...samples) - 1

/** The fastest of many: a disturbance of a second says nothing about the minutes of a benchmark. */
const timeBareNode = (size: Size): number => {
  const command = { words: bareNode, env: { PATH: process.env.PATH } }
  return Math.min(...Array.from({ length: size === 'smoke' ? 3 : 25 }, () => time(command)))
}

const describeBaseline = (samples: readonly number[]): string =>
  `bare Node ${median(samples).toFixed(1)} ms, which varied by ${(variationOf(samples) * 100).toFixed(0)} %`

/** Marks changes that are not committed. */
const findCommit = (): string =>
  spawnSync('git', ['describe', '--always', '--dirty', '--exclude=*'], { encoding: 'utf8' }).stdout?.trim() ||
  'unknown'

const describeMachine = (): string =>
  `Node ${process.versions.node}, ${availableParallelism()} cores, ${cpus()[0]?.model ?? 'unknown processor'}`

const renderBench = (table: Table): string => `### ${table.title}\n\n${renderTable(table)}\n\n${table.note}\n`

/** Replaces the text between the two comments. */
const replaceGenerated = (document: string, generated: string): string => {
  const [before, between, ...rest] = document.split('<!-- bench: begin -->')
  const after = between?.split('<!-- bench: end -->')[1]
  if (after === undefined || rest.length > 0) throw new Error('the document has no part for the tables')
  return `${before}<!-- bench: begin -->\n\n${generated}\n<!-- bench: end -->${after}`
}

const usage = `usage: npm run bench [-- NAME...] [--smoke] [--write]

NAME     one of ${Object.keys(benches).join(', ')} (default: all)
--smoke  run each benchmark for a few seconds; its numbers mean nothing
--write  write the tables of all benchmarks to ${page}`

const fail = (message: string, code: number): never => {
  console.error(`error: ${message}`)
  return process.exit(code)
}

const readOptions = () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      smoke: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
    },
  })
  const { smoke, write } = values
  const names = positionals.length > 0 ? positionals : Object.keys(benches)
  const unknown = names.find((name) => benches[name] === undefined)
  if (unknown !== undefined) fail(`no benchmark '${unknown}'\n${usage}`, 2)
  if (write && (smoke || positionals.length > 0))
    fail('--write takes no other argument: it measures everything', 2)
  return { size: smoke ? 'smoke' : 'normal', names, write } as const
}

const run = async (): Promise<void> => {
  const { size, names, write } = readOptions()
  const commit = findCommit()
  const samples = [timeBareNode(size), timeBareNode(size), timeBareNode(size)]
  const isBusy = (): boolean => variationOf(samples) > maxVariation
  const refuseToWrite = (): never =>
    fail(`the machine is busy, so nothing was written: ${describeBaseline(samples)}`, 1)
  const texts: string[] = []
  for (const name of names) {
    if (write && isBusy()) refuseToWrite()
    const text = renderBench(await (benches[name] as (typeof benches)[string])(size))
    samples.push(timeBareNode(size))
    console.log(text)
    texts.push(text)
  }
  const date = new Date().toISOString().slice(0, 10)
  const source = `Commit ${commit}, ${date}. ${describeMachine()}; ${describeBaseline(samples)}.`
  console.log(source)
  if (isBusy()) {
    if (write) refuseToWrite()
    if (size === 'normal')
      console.error(`warning: the machine is busy: bare Node may vary by ${maxVariation * 100} %`)
  }
  if (!write) return
  writeFileSync(page, replaceGenerated(readFileSync(page, 'utf8'), `${source}\n\n${texts.join('\n')}`))
}

if (import.meta.main) await run()
