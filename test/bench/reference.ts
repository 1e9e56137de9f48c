// The source of today beside that of a fixed commit, in pairs: small losses of many changes add up unseen otherwise.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { openScratch } from '../support/scratch.ts'
import { compare, type Size, type Table, takeTurns } from './measure.ts'
import { accountAt, type Command, createHome, measureUsage, orderctl, startServiceOf } from './processes.ts'
import { kinds, prepareLoads } from './serve-mock.ts'

/** The last commit of the round before. */
const referenceCommit = 'a9c6413a'

const sizes = {
  smoke: { rounds: 1, requestRounds: 1, requests: 50, orders: 5 },
  normal: { rounds: 50, requestRounds: 6, requests: 4_000, orders: 100 },
}

/** Builds the commit once, with the packages of today, so that only the source differs. Returns its folder. */
const buildReference = (): string => {
  // Not in node_modules, where Node does not strip types.
  const caches = process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache')
  const folder = path.join(caches, 'orderctl-bench', referenceCommit)
  if (existsSync(folder)) return folder
  const unfinished = `${folder}-${process.pid}`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { recursive: true })
  const archive = execFileSync('git', ['archive', referenceCommit], { maxBuffer: 2 ** 30 })
  execFileSync('tar', ['-x', '-C', unfinished], { input: archive })
  symlinkSync(path.resolve('node_modules'), path.join(unfinished, 'node_modules'))
  execFileSync(process.execPath, ['build/bundle.ts'], {
    cwd: unfinished,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  renameSync(unfinished, folder)
  return folder
}

type Sample = { readonly ms: number; readonly cpuMs: number }

const create = ['create', '--product=GAME-US:25', '--wallet=USD', '-q']

/** In this order: `get` reads the newest order, and `create` places new ones. */
const commands: readonly (readonly string[])[] = [
  ['--version'],
  ['--help'],
  ['__complete', '--', 'get', ''],
  ['get', '@last', '--json'],
  ['get', '@last'],
  ['list', '--json'],
  create,
  [...create, '--confirm'],
]

const rowOf = (name: string, ours: readonly Sample[], theirs: readonly Sample[]): string[] => {
  const compareBy = (read: (sample: Sample) => number): string[] => {
    const found = compare(ours.map(read), theirs.map(read))
    return [found.ours, found.theirs, found.ratio].map((number) => number.toFixed(2))
  }
  return [name, ...compareBy(({ cpuMs }) => cpuMs), ...compareBy(({ ms }) => ms)]
}

export const measureReference = async (size: Size): Promise<Table> => {
  const { rounds, requestRounds, requests, orders } = sizes[size]
  using scratch = openScratch()
  const reference = [process.execPath, path.join(buildReference(), 'bin/orderctl.cjs')]
  const sideOf = async (name: string, program: readonly string[]) => {
    const env = createHome(path.join(scratch.folder, name))
    const inSandbox = (words: readonly string[]): Command => ({ words: [...program, ...words], env })
    measureUsage(inSandbox([...create, '--confirm', '--watch']))
    const service = await startServiceOf(program, path.join(scratch.folder, `${name}-service`))
    let batches = 0
    const buyBatch = (): Sample => {
      batches += 1
      const flags = [`--product=GAME-US:25x${orders * 20}`, '--wallet=USD', `--name=batch-${batches}`]
      const words = [...program, 'batch', 'run', ...flags, '--max-total=100000000', '--json']
      return measureUsage({ words, env: { ...env, ...accountAt(service.origin) } })
    }
    return { inSandbox, service, load: prepareLoads(service, requests), buyBatch }
  }
  const ours = await sideOf('ours', orderctl)
  await using _ours = ours.service
  const theirs = await sideOf('theirs', reference)
  await using _theirs = theirs.service

  const rows: string[][] = []
  for (const words of commands) {
    const found = await takeTurns(rounds, {
      ours: () => measureUsage(ours.inSandbox(words)),
      theirs: () => measureUsage(theirs.inSandbox(words)),
    })
    rows.push(rowOf(`\`${words.join(' ')}\``, found.ours, found.theirs))
  }
  for (const kind of kinds) {
    const measure = async ({ load }: typeof ours): Promise<Sample> => {
      const { perSecond, cpuMicroseconds } = await load(kind)
      return { ms: 1000 / perSecond, cpuMs: cpuMicroseconds / 1000 }
    }
    const found = await takeTurns(requestRounds, { ours: () => measure(ours), theirs: () => measure(theirs) })
    rows.push(rowOf(`serve-mock, ${kind}`, found.ours, found.theirs))
  }
  const found = await takeTurns(requestRounds, { ours: ours.buyBatch, theirs: theirs.buyBatch })
  rows.push(rowOf('`batch run`, loopback', found.ours, found.theirs))
  return {
    title: `Beside ${referenceCommit}`,
    columns: ['', 'CPU ms', 'CPU ms, reference', 'ratio', 'ms', 'ms, reference', 'ratio of ms'],
    rows,
    note: `Medians of ${rounds} pairs of runs in the sandbox, of ${requestRounds} pairs of ${requests} requests, and of ${requestRounds} pairs of batches of ${orders} orders. A ratio is the median of the ratios of the pairs.`,
  }
}
