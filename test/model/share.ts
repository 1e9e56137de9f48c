// Plays the history of a seed, and tells which rules it breaks.
import path from 'node:path'
import { historyFrom } from './histories/histories.ts'
import type { History } from './histories/steps.ts'
import type { Given, Played, Player } from './play.ts'
import { findBrokenRules } from './rules/verdict.ts'
import { makeTemplate, openWorld, type World } from './world.ts'

/** One step a line. */
const describeHistory = ({ steps, ...history }: History): string =>
  [history, ...steps].map((each) => JSON.stringify(each)).join('\n  ')

/** The promise, without the details. */
const kindOf = (wrong: string): string => wrong.slice(0, wrong.indexOf(':'))

const takeAll = async (world: World, history: History): Promise<readonly string[]> => {
  try {
    const backedUpAt = history.seed % history.steps.length
    for (const [index, step] of history.steps.entries()) {
      if (index === backedUpAt) world.backUp()
      await world.take(step)
    }
    return await findBrokenRules(world, history)
  } catch (error) {
    const { message, stack } = error as Error
    return [message === 'never waits' ? `never ends: ${message}` : `the test itself failed: ${stack}`]
  } finally {
    world.close()
  }
}

export const openPlayer = async ({ folder, product, defect }: Given): Promise<Player> => {
  const template = await makeTemplate(product, folder)
  const known = new Set<string>()
  return async (seed): Promise<Played> => {
    const history = historyFrom(seed)
    const world = await openWorld({ history, product, home: path.join(folder, `${seed}`), template })
    const found = await takeAll(world, history)
    const isFound = defect === undefined || found.some((wrong) => wrong.includes(defect.found))
    // Each broken rule is reported with the first history that breaks it.
    const kinds = isFound ? new Set(found.map(kindOf)).difference(known) : []
    for (const kind of kinds) known.add(kind)
    return {
      problems: [...kinds].map((kind) =>
        [kind, describeHistory(history), ...found.map((wrong) => `  ! ${wrong}`)].join('\n'),
      ),
      commands: world.ran.length,
      confirms: world.service.effects.filter(({ operation }) => operation === 'confirm').length,
      kills: world.ran.filter(({ process }) => process.isKilled).length,
    }
  }
}
