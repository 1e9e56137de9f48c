// Plays many histories in threads, and tests that they break no rule and that planted defects do.
import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { isFullRun } from '../support/cases.ts'
import type { Defect } from './planted.ts'
import type { Product } from './processes/product.ts'

export type Share = {
  readonly seeds: readonly number[]
  /** Planted into the source when it is loaded. */
  readonly defect?: Defect | undefined
  /** Ends the share. */
  readonly maxProblems: number
  /** The address of a module that exports `openPlayer`. */
  readonly player: string
}

export type Played = {
  /** A text for each problem, with its seed. */
  readonly problems: readonly string[]
  readonly commands: number
  readonly confirms: number
  readonly kills: number
}

/** A player's input. */
export type Given = Pick<Share, 'defect'> & { readonly folder: string; readonly product: Product }

/** Plays the history of a seed. */
export type Player = (seed: number) => Promise<Played>

const longestMs = 120_000

/** A loop without any wait stops its thread, so the history is watched from here. */
const playInThread = (share: Share): Promise<readonly Played[]> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL('share-worker.ts', import.meta.url), {
      workerData: share,
      execArgv: [],
    })
    let current = 0
    const spins = (): void => {
      void worker.terminate()
      reject(new Error(`seed ${current} never ends`))
    }
    let alarm = setTimeout(spins, longestMs)
    worker.on('error', reject)
    worker.on('message', ({ seed, played }) => {
      clearTimeout(alarm)
      if (played !== undefined) return resolve(played)
      current = seed
      alarm = setTimeout(spins, longestMs)
    })
  })

const playSeeds = async (seeds: readonly number[], share: Omit<Share, 'seeds'>, threads: number) => {
  const all = await Promise.all(
    Array.from({ length: threads }, (_, thread) =>
      playInThread({ ...share, seeds: seeds.filter((seed) => seed % threads === thread) }),
    ),
  )
  const histories = all.flat()
  const sum = (name: 'commands' | 'confirms' | 'kills'): number =>
    histories.reduce((total, each) => total + each[name], 0)
  return {
    problems: histories.flatMap(({ problems }) => problems).join('\n\n'),
    ...{ commands: sum('commands'), confirms: sum('confirms'), kills: sum('kills') },
  }
}

/** One history alone, for example `MODEL_SEED=7`, or several, `MODEL_SEED=1-1000`. */
const [first = 0, last = first] = process.env.MODEL_SEED?.split('-').map(Number) ?? []

type Suite = Pick<Share, 'player'> & {
  readonly count: number
  /** For each history. Histories without purchases and kills would prove nothing. */
  readonly least: Pick<Played, 'confirms' | 'kills'>
  readonly defects: readonly Defect[]
  /** How many histories find each defect. */
  readonly defectSeeds: number
}

export const testHistories = (title: string, { player, count, least, defects, defectSeeds }: Suite): void => {
  const countFrom = (start: number, length: number) => Array.from({ length }, (_, index) => start + index)

  test(title, { timeout: 7_200_000 }, async () => {
    const seeds = first === 0 ? countFrom(1, count) : countFrom(first, last - first + 1)
    const played = await playSeeds(seeds, { player, maxProblems: 5 }, isFullRun ? 2 : 1)
    expect(played.problems).toBe('')
    const { commands, confirms, kills } = played
    if (isFullRun || first !== last)
      console.info(`${seeds.length} histories, ${commands} commands, ${confirms} confirmed, ${kills} killed`)
    if (first !== 0) return
    expect(confirms).toBeGreaterThan(count * least.confirms)
    expect(kills).toBeGreaterThan(count * least.kills)
  })

  test.skipIf(first !== 0).each(defects)(
    'a planted defect is found: $name',
    { timeout: 1_200_000 },
    async (defect) => {
      const { problems } = await playSeeds(countFrom(1, defectSeeds), { player, defect, maxProblems: 1 }, 1)
      expect(problems).toContain(defect.found)
    },
  )
}
