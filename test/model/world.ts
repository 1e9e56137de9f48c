// Plays a history on one service and one network, with up to six processes at once, on one machine or two.
import { copyFileSync, cpSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { As, Command, History, Run, Step, Target } from './histories/steps.ts'
import { lineOf } from './histories/words.ts'
import { findPrinted, needsDecision } from './printed.ts'
import { openNetwork } from './processes/network.ts'
import { launch, type Machine, type Process } from './processes/process.ts'
import type { Product } from './processes/product.ts'
import { simulatedTime } from './processes/time.ts'
import { type Order, openService } from './service.ts'

/** A command that was run, and its result. */
export type Ran = {
  readonly run: Run
  readonly process: Process
  readonly words: readonly string[]
  readonly startedAt: number
}

export type World = Awaited<ReturnType<typeof openWorld>>

type Options = {
  readonly history: Pick<History, 'seed' | 'isDated' | 'habits'>
  readonly product: Product
  /** A folder that does not exist yet. */
  readonly home: string
  /** A home with the profiles that every history begins with. */
  readonly template?: string | undefined
}

const maxProcesses = 6

/** No process runs longer after the last order has expired. */
const longestRunMs = 2 * 3_600_000
const maxEvents = 20_000

/** The account of the environment, with the plainest spelling of its address. */
const account: As = { environment: 0 }

const isRunning = ({ process }: Ran): boolean => !process.isOver()

export const openWorld = async ({ history, product, home, template }: Options) => {
  const time = simulatedTime()
  const service = openService(history.seed, time.now, history.habits)
  const { isDated, habits } = history
  const network = openNetwork({ time, service, isDated, leapMs: habits.leapMs })
  const ran: Ran[] = []
  const endless: string[] = []
  const openMachine = (number: number): Machine => {
    const own = number === 1 ? home : path.join(home, 'second')
    mkdirSync(own, { recursive: true })
    if (template !== undefined) cpSync(template, own, { recursive: true })
    const clock = { wallMs: 0, sleptMs: 0 }
    return { time, network, product, clock, home: own, number }
  }
  const first = openMachine(1)
  const { clock } = first
  let second: Machine | undefined
  const findSecond = (): Machine => {
    second ??= openMachine(2)
    return second
  }
  /** The machine of the process that created an order. Undefined for a different program. */
  const ownerOf = ({ by }: Order): number | undefined => ran[by - 1]?.process.machine

  const journal = path.join(home, '.local/state/orderctl/journal.db')
  const backup = path.join(home, 'backup.db')

  const resolve = (target: Target): string => {
    if (target === 'last') return '@last'
    if ('id' in target) return target.id
    if ('reference' in target) return `ref:${target.reference}`
    const recorded = new Set(ran.flatMap(({ process }) => [...process.recorded]))
    const foreign = service.orders.filter(({ by }) => by === 0).map(({ id }) => id)
    const known = [...recorded.union(new Set(foreign))]
    return known[target.nth % known.length] ?? 'ord_unknown'
  }

  const listPrinted = (): string[][] => {
    const all = ran.filter((each) => !isRunning(each)).flatMap(({ process }) => findPrinted(process))
    const once = new Map(
      all.filter((words) => !needsDecision(words)).map((words) => [words.join('\0'), words]),
    )
    return [...once.values()].reverse()
  }

  /** Whether the order was paid. Undefined while a pending request may still change it. */
  const truthOf = (orderId: string, machine: number): string | undefined => {
    const own = (order: Order): boolean => order.id === orderId && ownerOf(order) === machine
    const order = service.orders.findLast(own) ?? service.orders.findLast(({ id }) => id === orderId)
    if (order === undefined) return undefined
    if (order.confirmedAt !== undefined) return 'spent'
    return time.now() > order.expiresAt || order.goneAt !== undefined ? 'not-spent' : undefined
  }

  const start = (run: Run): void => {
    const line = lineOf(run, { resolve, listPrinted })
    if (line === undefined) return
    const machine = run.isElsewhere ? findSecond() : first
    const { command } = run
    const truth = command.name === 'settle' ? truthOf(resolve(command.order), machine.number) : ''
    if (truth === undefined) return
    const words = line.words.map((word) => (word === 'TRUTH' ? truth : word))
    const { faults, kill } = run
    const isOnTerminal = run.output === 'terminal'
    const given = { id: ran.length + 1, ...line, words, faults, kill, isOnTerminal }
    ran.push({ run, words, startedAt: time.now(), process: launch(machine, given) })
  }

  const waitForAll = async (): Promise<void> => {
    const living = service.orders.filter(({ goneAt }) => goneAt === undefined)
    const deadline = Math.max(time.now(), ...living.map(({ expiresAt }) => expiresAt)) + longestRunMs
    await time.until(() => !ran.some(isRunning), { deadline, maxEvents })
    const rest = ran.filter(isRunning)
    // A process that waits for an order that may still be confirmed does not wait forever.
    if (time.now() > deadline) endless.push(...rest.map(({ words }) => `never ends: ${words.join(' ')}`))
    for (const { process } of rest) process.stop()
  }

  const takeAlone = async (step: Exclude<Step, Run>): Promise<void> => {
    switch (step.do) {
      case 'pass':
        return time.pass(step.ms)
      case 'expire': {
        const newest = service.orders.at(-1)
        return time.pass(Math.max(0, (newest?.expiresAt ?? time.now()) + step.offsetMs - time.now()))
      }
      case 'foreign':
        return service.orderElsewhere(step.order)
      case 'reset':
        return service.reset(step.orders)
      case 'forget': {
        const known = service.orders.filter(({ goneAt }) => goneAt === undefined)
        const order = known[step.nth % known.length]
        return order && service.forget(order)
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
    ...{ time, service, network, clock, ran, endless, home, waitForAll, ownerOf },
    take: async (step: Step): Promise<void> => {
      const besideMs = 'besideMs' in step ? step.besideMs : undefined
      if (besideMs === undefined || ran.filter(isRunning).length >= maxProcesses) await waitForAll()
      else await time.pass(besideMs)
      if (step.do === 'run') start(step)
      else await takeAlone(step)
    },
    /** Runs one more command in this thread, without faults. */
    run: async (command: Exclude<Command, { name: 'printed' }>, isElsewhere = false): Promise<Ran> => {
      start({ do: 'run', command, as: account, output: 'json', faults: [], isElsewhere })
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
      // One that never waits would go on in this thread.
      for (const { process } of ran.filter(isRunning)) process.stop()
      service.close()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** A home with two profiles of one account: `shop` is in use, `desk` spells the address differently. */
export const makeTemplate = async (product: Product, folder: string): Promise<string> => {
  const home = path.join(folder, 'template')
  const world = await openWorld({ history: { seed: 0, isDated: true, habits: {} }, product, home })
  await world.run({ name: 'change profile', profile: 'desk', spelling: 1, isNew: true })
  await world.run({ name: 'change profile', profile: 'shop', spelling: 0, isNew: true })
  const failed = world.ran.find(({ process }) => process.exit !== 0)
  if (failed !== undefined) throw new Error(`${failed.words.join(' ')}: ${failed.process.stderr}`)
  world.service.close()
  return home
}
