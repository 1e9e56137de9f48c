// Plays a share of the histories. Reports each broken rule with the shortest history that breaks it.
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { historyFrom } from './histories/histories.ts'
import { historyText } from './histories/history-text.ts'
import { kindOf, shortenHistory } from './histories/shorten.ts'
import type { History } from './histories/steps.ts'
import type { Defect } from './planted.ts'
import { watchDatabases } from './processes/cut-off.ts'
import { loadProduct } from './processes/product.ts'
import { openReal } from './processes/real-process.ts'
import { findBrokenRules } from './rules/verdict.ts'
import { makeTemplate, openWorld } from './world.ts'

export type Share = {
  readonly seeds: readonly number[]
  /** Planted into the source when it is loaded. The first history that breaks a rule then ends the share. */
  readonly defect?: Defect | undefined
  /** Real processes, killed by SIGKILL, over a real socket. */
  readonly isReal: boolean
}

export type Failed = { readonly kind: string; readonly seed: number; readonly text: string }

export type Played = {
  readonly failed: readonly Failed[]
  readonly histories: number
  readonly commands: number
  readonly confirms: number
  readonly kills: number
}

/** Shortening takes as long as a hundred histories, so the number of failures is limited. */
const maxFailures = 5

/** A real disk would be slower at every step. */
const memoryDisk = (): string => (existsSync('/dev/shm') ? '/dev/shm' : tmpdir())

const openPlayer = async (isReal: boolean) => {
  watchDatabases()
  const folder = mkdtempSync(path.join(memoryDisk(), 'orderctl-model-'))
  const product = await loadProduct()
  const listener = isReal ? await openReal() : undefined
  const template = await makeTemplate(product, folder, listener?.begin())
  const counts = { histories: 0, commands: 0, confirms: 0, kills: 0 }
  return {
    counts,
    playHistory: async (history: History): Promise<readonly string[]> => {
      counts.histories += 1
      const home = path.join(folder, `${counts.histories}`)
      const world = await openWorld({ history, product, home, template, real: listener?.begin() })
      try {
        for (const step of history.steps) await world.take(step)
        const problems = await findBrokenRules(world, history)
        counts.commands += world.ran.length
        counts.confirms += world.service.effects.filter(({ operation }) => operation === 'confirm').length
        counts.kills += world.ran.filter(({ process }) => process.isKilled).length
        return problems
      } catch (error) {
        return [`the test itself failed: ${(error as Error).stack}`]
      } finally {
        world.close()
      }
    },
    close: async (): Promise<void> => {
      await listener?.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export const playShare = async ({ seeds, defect, isReal }: Share): Promise<Played> => {
  const { playHistory, counts, close } = await openPlayer(isReal)
  // A kill of a real process cannot be repeated exactly, so such a history is not shortened.
  const isShortened = !isReal && defect === undefined
  const failed: Failed[] = []
  const add = async (seed: number, found: readonly string[], kind: string): Promise<void> => {
    const history = isShortened
      ? await shortenHistory(historyFrom(seed), kind, playHistory)
      : historyFrom(seed)
    const problems = isShortened ? await playHistory(history) : found
    const text = [historyText(history), ...problems.map((wrong) => `  ! ${wrong}`)].join('\n')
    failed.push({ kind, seed, text })
  }
  try {
    for (const seed of seeds) {
      const found = await playHistory(historyFrom(seed))
      for (const kind of new Set(found.map(kindOf))) {
        const isNew = failed.every((known) => known.kind !== kind)
        if (isNew && failed.length < maxFailures) await add(seed, found, kind)
      }
      if (failed.length >= (defect === undefined ? maxFailures : 1)) break
    }
    return { failed, ...counts }
  } finally {
    await close()
  }
}
