// What is wrong with a world after its history. First everything expires and is reconciled, without any fault.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { buy } from '../histories/moves.ts'
import type { History } from '../histories/steps.ts'
import type { World } from '../world.ts'
import { findWrongTexts } from './claims.ts'
import { findWrongExits } from './exit-rules.ts'
import { normalised, purchasesOf } from './intentions.ts'
import { entriesOf, findBlockedReferences, findDifferences } from './journal-rules.ts'
import { findLeaks } from './leaks.ts'
import { findSpendingErrors } from './spending-rules.ts'

/** Everything that is held up has arrived by then, and what it created has expired. */
const longestMs = 1_320_000
/** So has an order whose expiry is not known, or far away. */
const longestOddMs = 3 * 24 * 3_600_000

/** The two reads that prove that an order was not confirmed are this far apart. */
const apartMs = 61_000

/** The response of an earlier create has an expiry that may be over when it arrives, so it is not believed. */
const knowsExpiry = ({ habits, steps }: History): boolean =>
  habits.expiry === undefined &&
  steps.every((step) => step.do !== 'foreign') &&
  steps.every((step) => step.do !== 'run' || step.faults.every(({ response }) => response !== 'swapped'))

/** Without a Date, and for an order that the service has forgotten, nothing can be proven. */
const canTell = ({ isDated, steps }: History): boolean =>
  isDated &&
  steps.every((step) => !['reset', 'forget'].includes(step.do)) &&
  // A response that arrives after the sleep has the Date of its arrival, so the order seems to be created after its expiry.
  steps.every((step) => step.do !== 'suspend' || step.besideMs === undefined) &&
  steps.every((step) => step.do !== 'run' || step.faults.every(({ response }) => response !== 'repeated'))

export const findBrokenRules = async (world: World, history: History): Promise<string[]> => {
  const { ran, service, network, clock, time, home, endless } = world
  await world.waitForAll()
  network.calm()
  clock.wallMs = 0
  await time.pass(knowsExpiry(history) ? longestMs : longestOddMs)
  await world.run({ name: 'reconcile' })
  // After a clock was set back, the two reads are further apart.
  await time.pass(history.steps.some(({ do: what }) => what === 'wall') ? longestOddMs : apartMs)
  await world.run({ name: 'reconcile' })
  const entries = entriesOf(await world.run({ name: 'list' }))
  const differences = canTell(history) ? await findDifferences(world, entries) : []
  const blocked = await findBlockedReferences(world, purchasesOf(ran, service), canTell(history))
  const purchases = purchasesOf(ran, service)
  const usesSandbox = existsSync(path.join(home, '.local/state/orderctl/sandbox.db'))
  const problems = [
    ...[...differences, ...blocked, ...endless],
    ...purchases.boughtTwice(),
    ...findSpendingErrors(world),
    ...findWrongTexts(world, purchases),
    ...findWrongExits(world, history, purchases),
    ...(await findLeaks(world, purchases)),
    ...(usesSandbox ? ['used the sandbox: unasked'] : []),
    ...(await findBoughtAgain(world)),
  ]
  return [...new Set(problems)]
}

const maxReferences = 3

/**
 * A backup of the journal is restored, and what was bought with it is ordered again. A confirm with a different journal is
 * unknown on this machine.
 */
const findBoughtAgain = async ({ restore, run, service, ownerOf, ran }: World): Promise<string[]> => {
  const listConfirmed = (): string[] =>
    service.effects
      .filter(({ operation, order, by }) => {
        const isHere = ownerOf(order) === 1 && (by === undefined || ran[by - 1]?.process.machine === 1)
        return operation === 'confirm' && isHere
      })
      .map(({ order }) => normalised(order.reference))
      .toSorted()
  if (!restore()) return []
  const before = listConfirmed()
  for (const reference of [...new Set(before)].slice(0, maxReferences)) await run(buy({ reference }))
  const after = listConfirmed()
  return after.length === before.length
    ? []
    : [`bought again after a restored backup: ${after.join(', ')}, before: ${before.join(', ')}`]
}
