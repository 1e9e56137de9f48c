// Plays a history on one service, one network and one home, with up to six processes at once.
import { copyFileSync, cpSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { As, Command, History, Run, Step, Target } from './histories/steps.ts'
import { lineOf } from './histories/words.ts'
import { openNetwork } from './processes/network.ts'
import { launch, type Machine, type Process } from './processes/process.ts'
import type { Product } from './processes/product.ts'
import { simulatedTime } from './processes/time.ts'
import { openService } from './service.ts'

/** A command that was run, and what came of it. */
export type Ran = {
  readonly run: Run
  readonly process: Process
  readonly words: readonly string[]
  readonly startedAt: number
}

export type World = Awaited<ReturnType<typeof openWorld>>

type Options = {
  readonly history: Pick<History, 'seed' | 'isDated'>
  readonly product: Product
  /** A folder that does not exist yet. */
  readonly home: string
  /** A home with the profiles that every history begins with. */
  readonly template?: string | undefined
}

const maxProcesses = 6

/** The account of the environment, with the plainest spelling of its address. */
const account: As = { environment: 0 }

const isRunning = ({ process }: Ran): boolean => !process.isOver()

export const openWorld = async ({ history, product, home, template }: Options) => {
  const time = simulatedTime()
  const service = openService(history.seed, time.now)
  const network = openNetwork({ time, service, isDated: history.isDated })
  const clock = { wallMs: 0, sleptMs: 0 }
  const machine: Machine = { time, network, product, clock, home }
  const ran: Ran[] = []
  const endless: string[] = []
  mkdirSync(home, { recursive: true })
  if (template !== undefined) cpSync(template, home, { recursive: true })

  const journal = path.join(home, '.local/state/orderctl/journal.db')
  const backup = path.join(home, 'backup.db')

  const resolve = (target: Target): string => {
    if (target === 'last') return '@last'
    if ('reference' in target) return `ref:${target.reference}`
    const known = [...new Set(ran.flatMap(({ process }) => [...process.recorded]))]
    return known[target.nth % known.length] ?? 'ord_unknown'
  }

  /** Whether the order was paid. Undefined while a request under way may still change it. */
  const truthOf = (orderId: string): string | undefined => {
    const order = service.orders.get(orderId)
    if (order === undefined) return undefined
    if (service.confirmedAt(orderId) !== undefined) return 'spent'
    return time.now() > order.expiresAt ? 'not-spent' : undefined
  }

  const start = (run: Run): void => {
    const line = lineOf(run, resolve)
    const truth = run.command.name === 'settle' ? truthOf(resolve(run.command.order)) : ''
    if (truth === undefined) return
    const words = line.words.map((word) => (word === 'TRUTH' ? truth : word))
    const given = { id: ran.length + 1, ...line, words, faults: run.faults, kill: run.kill }
    ran.push({ run, words, startedAt: time.now(), process: launch(machine, given) })
  }

  const waitForAll = async (): Promise<void> => {
    if (await time.until(() => !ran.some(isRunning))) return
    endless.push(...ran.filter(isRunning).map(({ words }) => `never ends: ${words.join(' ')}`))
  }

  const takeAlone = async (step: Exclude<Step, Run>): Promise<void> => {
    switch (step.do) {
      case 'pass':
        return time.pass(step.ms)
      case 'expire': {
        const newest = [...service.orders.values()].at(-1)
        return time.pass(Math.max(0, (newest?.expiresAt ?? time.now()) + step.offsetMs - time.now()))
      }
      case 'wall':
        clock.wallMs += step.ms
        return
      case 'suspend':
        await time.sleep(step.ms)
        clock.sleptMs += step.ms
    }
  }

  return {
    ...{ time, service, network, clock, ran, endless, home, waitForAll },
    take: async (step: Step): Promise<void> => {
      const besideMs = 'besideMs' in step ? step.besideMs : undefined
      if (besideMs === undefined || ran.filter(isRunning).length >= maxProcesses) await waitForAll()
      else await time.pass(besideMs)
      if (step.do === 'run') start(step)
      else await takeAlone(step)
    },
    /** Runs one more command in this thread, without faults. */
    run: async (command: Exclude<Command, { name: 'settle' }>): Promise<Ran> => {
      start({ do: 'run', command, as: account, output: 'json', faults: [] })
      await waitForAll()
      return ran.at(-1) as Ran
    },
    backUp: (): void => {
      if (!existsSync(journal)) return
      using database = new DatabaseSync(journal)
      database.prepare('VACUUM INTO ?').run(backup)
    },
    /** Returns false if there is no backup. */
    restore: (): boolean => {
      if (!existsSync(backup)) return false
      // A new file: a process that was killed in this thread may still lock the old one.
      for (const ending of ['', '-wal', '-shm']) rmSync(`${journal}${ending}`, { force: true })
      copyFileSync(backup, journal)
      return true
    },
    close: (): void => {
      service.close()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** A home with two profiles of one account: `shop` is in use, `desk` spells the address differently. */
export const makeTemplate = async (product: Product, folder: string): Promise<string> => {
  const home = path.join(folder, 'template')
  const world = await openWorld({ history: { seed: 0, isDated: true }, product, home })
  await world.run({ name: 'replace profile', profile: 'desk', spelling: 1 })
  await world.run({ name: 'replace profile', profile: 'shop', spelling: 0 })
  const failed = world.ran.find(({ process }) => process.exit !== 0)
  if (failed !== undefined) throw new Error(`${failed.words.join(' ')}: ${failed.process.stderr}`)
  world.service.close()
  return home
}
