// What is wrong with a world after its history. First everything expires and is reconciled, without any fault.
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { History } from '../histories/steps.ts'
import type { World } from '../world.ts'
import { findWrongExits } from './exit-rules.ts'
import { normalised, purchasesOf } from './intentions.ts'
import { entriesOf, findBlockedReferences, findDifferences, findWrongClaims } from './journal-rules.ts'
import { findLeaks } from './leaks.ts'
import { findSpendingErrors } from './spending-rules.ts'

/** Everything that is held up has arrived by then, and what it created has expired. */
const longestMs = 1_320_000

/** The two looks that prove that an order was not confirmed are so far apart. */
const apartMs = 61_000

/** Without a Date, and with a clock that was wrong, nobody can tell what has expired. */
const canTellTime = ({ isDated, steps }: History): boolean =>
  isDated || steps.every((step) => step.do !== 'wall')

export const findBrokenRules = async (world: World, history: History): Promise<string[]> => {
  const { ran, service, network, clock, time, home, endless } = world
  await world.waitForAll()
  network.calm()
  clock.wallMs = 0
  await time.pass(longestMs)
  await world.run({ name: 'reconcile' })
  await time.pass(apartMs)
  await world.run({ name: 'reconcile' })
  const entries = entriesOf(await world.run({ name: 'list' }))
  const problems = canTellTime(history)
    ? [
        ...(await findDifferences(world, entries)),
        ...(await findBlockedReferences(world, purchasesOf(ran, service))),
      ]
    : []
  const purchases = purchasesOf(ran, service)
  problems.push(
    ...endless,
    ...purchases.boughtTwice(),
    ...findSpendingErrors(world),
    ...findWrongClaims(world),
  )
  problems.push(...findWrongExits(world, purchases), ...(await findLeaks(world)))
  if (existsSync(path.join(home, '.local/state/orderctl/sandbox.db')))
    problems.push('used the sandbox: unasked')
  problems.push(...(await findBoughtAgain(world)))
  return [...new Set(problems)]
}

const maxReferences = 3

/** A backup of the journal is restored, and what was bought is ordered again. */
const findBoughtAgain = async ({ restore, run, service }: World): Promise<string[]> => {
  const listConfirmed = (): string[] =>
    service.effects
      .filter(({ operation }) => operation === 'confirm')
      .map(({ orderId }) => normalised(service.orders.get(orderId)?.reference ?? ''))
      .toSorted()
  if (!restore()) return []
  const before = listConfirmed()
  for (const reference of [...new Set(before)].slice(0, maxReferences))
    await run({
      ...{ name: 'create', reference, product: 'GAME-US:25', confirm: true },
      ...{ watch: false, idempotent: false, allowDuplicate: false },
    })
  const after = listConfirmed()
  return after.length === before.length
    ? []
    : [`bought again after a restored backup: ${after.join(', ')}, before: ${before.join(', ')}`]
}
