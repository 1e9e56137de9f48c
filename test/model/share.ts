// Plays the history of each seed. Reports each broken rule with the shortest history that breaks it.
import path from 'node:path'
import { historyFrom } from './histories/histories.ts'
import { historyText } from './histories/history-text.ts'
import { kindOf, shortenHistory } from './histories/shorten.ts'
import type { History } from './histories/steps.ts'
import type { Given, Played, Player } from './play.ts'
import { findBrokenRules } from './rules/verdict.ts'
import { makeTemplate, openWorld } from './world.ts'

export const openPlayer = async ({ folder, product, share }: Given): Promise<Player> => {
  const template = await makeTemplate(product, folder)
  const played: Played = { problems: [], commands: 0, confirms: 0, kills: 0 }
  const known = new Set<string>()
  let homes = 0

  const playHistory = async (history: History): Promise<readonly string[]> => {
    homes += 1
    const world = await openWorld({ history, product, home: path.join(folder, `${homes}`), template })
    try {
      const backedUpAt = history.seed % history.steps.length
      for (const [index, step] of history.steps.entries()) {
        if (index === backedUpAt) world.backUp()
        await world.take(step)
      }
      const problems = await findBrokenRules(world, history)
      played.commands += world.ran.length
      played.confirms += world.service.effects.filter(({ operation }) => operation === 'confirm').length
      played.kills += world.ran.filter(({ process }) => process.isKilled).length
      return problems
    } catch (error) {
      const { message, stack } = error as Error
      return [message === 'never waits' ? `never ends: ${message}` : `the test itself failed: ${stack}`]
    } finally {
      world.close()
    }
  }
  const report = async (seed: number, found: readonly string[], kind: string): Promise<void> => {
    const isShortened = share.defect === undefined
    const whole = historyFrom(seed)
    const history = isShortened ? await shortenHistory(whole, kind, playHistory) : whole
    const problems = isShortened ? await playHistory(history) : found
    played.problems.push([kind, historyText(history), ...problems.map((wrong) => `  ! ${wrong}`)].join('\n'))
  }
  const play = async (seed: number): Promise<void> => {
    const found = await playHistory(historyFrom(seed))
    const { defect } = share
    if (defect !== undefined && !found.some((wrong) => wrong.includes(defect.found))) return
    for (const kind of new Set(found.map(kindOf))) {
      if (known.has(kind) || played.problems.length >= share.maxProblems) continue
      known.add(kind)
      await report(seed, found, kind)
    }
  }
  return { played, play }
}
