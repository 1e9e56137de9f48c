// Plays a history of a batch on one service, one network and one home, then resumes the batch until it is complete.
import { mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { spellings } from '../histories/steps.ts'
import type { Played } from '../play.ts'
import { openNetwork } from '../processes/network.ts'
import { type Launch, launch, type Machine, type Process } from '../processes/process.ts'
import type { Product } from '../processes/product.ts'
import { simulatedTime } from '../processes/time.ts'
import { openService, serviceKey } from '../service.ts'
import type { BatchHistory, BatchStep } from './batch-history.ts'
import { type Facts, findBrokenRules, findFinalErrors, findRunErrors, findSpent } from './batch-rules.ts'

const environment = { ORDERCTL_BASE_URL: spellings[0], ORDERCTL_API_KEY: serviceKey }
const minuteMs = 60_000
/** A run that takes longer never ends. */
const longestRunMs = 6 * 60 * minuteMs
const maxEvents = 100_000

type Given = {
  readonly history: BatchHistory
  readonly product: Product
  /** A folder that does not exist yet. */
  readonly home: string
  /** The cap of the runs of the history. */
  readonly cap: number
  /** The cap of the runs that complete the batch. */
  readonly lastCap: number
}

type PlayedBatch = Played & { readonly spent: number }

/** Time for a pending create, an expiry, and the two responses of a proof. */
const pausesMs = [0, 62_000, 17 * minuteMs, 62_000, 17 * minuteMs, 62_000, 62_000]

export const playBatch = async ({ history, product, home, cap, lastCap }: Given): Promise<PlayedBatch> => {
  const time = simulatedTime()
  const service = openService(history.seed, time.now)
  const network = openNetwork({ time, service, isDated: history.isDated })
  const clock = { wallMs: 0, sleptMs: 0 }
  const machine: Machine = { time, network, product, clock, home, number: 1 }
  mkdirSync(home, { recursive: true })
  const journalFile = path.join(home, '.local/state/orderctl/journal.db')
  const facts: Omit<Facts, 'cap'> = { history, service, journalFile }
  const input = JSON.stringify(history.rows)
  const first = ['batch', 'run', '-', '--name', 'gifts', '--wallet', 'USD', '--yes', '--json']
  const ran: Process[] = []
  const byHand = new Set<Process>()
  const problems: string[] = []

  const add = (given: Omit<Launch, 'id' | 'environment'>): Process => {
    const process = launch(machine, { id: ran.length + 1, environment, ...given })
    ran.push(process)
    return process
  }
  const start = (
    cap: number,
    { parallel, faults, kill }: Omit<Extract<BatchStep, { do: 'run' }>, 'do'>,
  ): void => {
    const words = [...first, '--max-total', `${cap}`, '--parallel', `${parallel}`]
    add({ words, input, faults, kill })
  }
  const confirm = (nth: number): void => {
    const ids = service.orders.map((order) => order.id)
    const id = ids[nth % ids.length]
    if (id === undefined) return
    byHand.add(add({ words: ['confirm', id, '--yes', '--json'], faults: [] }))
  }
  const waitForAll = async (): Promise<void> => {
    const isOver = (): boolean => ran.every((each) => each.isOver())
    await time.until(isOver, { deadline: time.now() + longestRunMs, maxEvents })
    if (!isOver()) throw new Error('never ends')
  }
  const check = async (limit: number): Promise<void> => {
    for (const each of ran)
      if (!each.isKilled && !byHand.has(each)) problems.push(...findRunErrors({ ...facts, cap: limit }, each))
    problems.push(...(await findBrokenRules({ ...facts, cap: limit })))
  }
  try {
    for (const step of history.steps) {
      const besideMs = step.do === 'pass' ? step.ms : step.besideMs
      if (besideMs === undefined) await waitForAll()
      else await time.pass(besideMs)
      if (step.do === 'wall') clock.wallMs += step.ms
      if (step.do === 'confirm') confirm(step.nth)
      if (step.do === 'run') start(cap, step)
    }
    await waitForAll()
    if (ran.length > 0) await check(cap)
    network.calm()
    let exit: number | undefined
    for (const pauseMs of pausesMs) {
      if (exit === 0) break
      await time.pass(pauseMs)
      start(lastCap, { parallel: 4, faults: [] })
      await waitForAll()
      exit = ran.at(-1)?.exit
    }
    await check(lastCap)
    if (exit === 0) problems.push(...(await findFinalErrors({ ...facts, cap: lastCap })))
    else if (exit !== 6 || !needsPerson(history))
      problems.push(`never complete: the last run ended with ${exit}: ${ran.at(-1)?.stderr}`)
  } catch (error) {
    const why = /^never (ends|waits)$/.test((error as Error).message)
      ? describeEndless(ran)
      : (error as Error).stack
    problems.push(`${why}`)
  } finally {
    service.close()
    rmSync(home, { recursive: true, force: true })
  }
  const confirms = service.effects.filter(({ operation }) => operation === 'confirm').length
  const kills = ran.filter(({ isKilled }) => isKilled).length
  const counts = { commands: ran.length, confirms, kills }
  return { problems: [...new Set(problems)], spent: findSpent(service), ...counts }
}

/** Without a Date, or after a different order's id in a response to create, only a person can settle an order. */
const needsPerson = ({ steps, isDated }: BatchHistory): boolean =>
  !isDated ||
  steps.some((step) => step.do === 'run' && step.faults.some(({ response }) => response === 'swapped'))

const describeEndless = (ran: readonly Process[]): string => {
  const { id, sent, stderr } = ran.find((each) => !each.isOver()) ?? (ran[0] as Process)
  const last = sent.slice(-5).map(({ operation, at, got }) => `${operation} at ${at}: ${got}`)
  return `never ends: run ${id}, last ${last.join(', ')}; ${stderr}`
}
