// Plays the history of each seed. Reports each broken rule with the first history that breaks it.
import path from 'node:path'
import { historyFrom } from './histories/histories.ts'
import { historyText } from './histories/history-text.ts'
import type { History } from './histories/steps.ts'
import type { Given, Played, Player } from './play.ts'
import { findBrokenRules } from './rules/verdict.ts'
import { makeTemplate, openWorld } from './world.ts'

/** The promise, without the details. */
const kindOf = (wrong: string): string => wrong.slice(0, wrong.indexOf(':'))

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
  const play = async (seed: number): Promise<void> => {
    const history = historyFrom(seed)
    const found = await playHistory(history)
    const { defect } = share
    if (defect !== undefined && !found.some((wrong) => wrong.includes(defect.found))) return
    for (const kind of new Set(found.map(kindOf))) {
      if (known.has(kind) || played.problems.length >= share.maxProblems) continue
      known.add(kind)
      played.problems.push([kind, historyText(history), ...found.map((wrong) => `  ! ${wrong}`)].join('\n'))
    }
  }
  return { played, play }
}
