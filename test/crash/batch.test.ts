// Kills the built executable at every step of a batch of 60 rows, with faults of the service, and resumes the batch
// until it is complete. Each card is bought once.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { isPastPending } from '../../src/contract/states.ts'
import { createRandom } from '../../src/service/cards.ts'
import { collectFailures, isFullRun, sampleEvenly } from '../support/cases.ts'
import { findBrokenPromises, stages } from './checks.ts'
import { type Injection, openWorld, type RunResult, type World } from './world.ts'

const timeout = isFullRun ? 7_200_000 : 300_000

const rows = Array.from({ length: 60 }, (_, index) => ({
  ...(index % 4 === 0 ? { sku: 'FILM-AU', quote: 20 } : { sku: 'GAME-US', quote: 25 }),
  quantity: index % 7 === 0 ? 2 : 1,
  name: `Person ${index}`,
}))
const cardCount = rows.reduce((sum, { quantity }) => sum + quantity, 0)
const words = ['batch', 'run', 'gifts.json', '--wallet', 'USD', '--max-total', '5000', '--yes', '--json']

/** A run waits for a lost create until its deadline. */
const env = { ORDERCTL_TIMEOUT: '5s' }

const prepareBatch = async (): Promise<World> => {
  const world = await openWorld({ processingMs: 0 })
  writeFileSync(path.join(world.home, 'gifts.json'), JSON.stringify(rows))
  return world
}

const faults = [
  'create:status=429,retry-after=1',
  'create:status=503',
  'create:reset-after',
  'create:reset-before',
  'confirm:reset-after',
  'confirm:empty',
  'get:status=503',
  'get:reset-before',
] as const

type Case = { readonly name: string; readonly seed: number; readonly at: readonly string[] }

/** How far the clock is advanced before the batch runs again. */
const laterMs = [stages.quiet, stages.over, stages.proven, stages.proven + stages.over, stages.proven * 2]

const findProblems = async ({ seed, at }: Case): Promise<string[]> => {
  await using world = await prepareBatch()
  const random = createRandom(`batch ${seed}`)
  for (const fault of faults) if (random() < 0.3) await world.addFault(fault)
  const parallel = ['1', '4', '16'][Math.floor(random() * 3)] ?? '4'
  const runs = at.map((step): Promise<RunResult> => {
    const injection: Injection = { at: step, how: 'SIGKILL' }
    return world.run([...words, '--parallel', parallel], { injection, env })
  })
  const ended = await Promise.all(runs)
  const problems = [
    ...ended.flatMap(({ end, stderr }) => (end === 1 ? [`a defect: ${stderr}`] : [])),
    ...(await findBrokenPromises(world)),
  ]
  await world.removeFaults()
  // A run that was not killed may have completed the batch.
  const resume = ['batch', 'run', 'gifts', '--json']
  let last: RunResult = { end: 'nothing', stdout: '', stderr: '' }
  for (const ms of laterMs) {
    world.putAhead(ms)
    const isStarted = !/no batch|--max-total is missing/.test(last.stderr)
    last = isStarted ? await world.runHere(...resume) : await world.run(words)
    if (last.end === 0) break
  }
  return [...problems, ...(await findBrokenPromises(world)), ...(await findIncomplete(world, last))]
}

const findIncomplete = async (world: World, { end, stdout, stderr }: RunResult): Promise<string[]> => {
  if (end !== 0) return [`the last run ended with ${end}: ${stderr}`]
  const { state, cards, orders } = JSON.parse(stdout)
  const bought = (await world.orders()).filter((order) => isPastPending(order.state))
  // An order that replaces a lost one has the reference of its slot and a number.
  const slots = new Set(bought.map(({ reference }) => reference.slice(0, 'gifts-0001'.length)))
  return [
    ...(state === 'successful' && cards.delivered === cardCount ? [] : [`in the end it is ${stdout}`]),
    ...(bought.length === orders && slots.size === orders
      ? []
      : [`the service has ${bought.length} paid orders of ${slots.size} slots, the batch has ${orders}`]),
  ]
}

/** A batch mostly waits for the service. */
const atOnce = 8

const listSteps = async (): Promise<string[]> => {
  await using world = await prepareBatch()
  return await world.pointsOf([...words, '--parallel', '4'])
}

test('a batch that is killed at any step buys each card once', { timeout }, async () => {
  const steps = await listSteps()
  const picked = sampleEvenly(steps, isFullRun ? 2_000 : 30)
  const cases = picked.map((step, seed): Case => ({ name: `${step}, seed ${seed}`, seed, at: [step] }))
  expect(await collectFailures(cases, findProblems, atOnce)).toEqual([])
  if (isFullRun) console.info(`a batch killed at ${cases.length} of ${steps.length} steps`)
})

test('two runs of one batch, both killed, buy each card once', { timeout }, async () => {
  const steps = await listSteps()
  const picked = sampleEvenly(steps, isFullRun ? 500 : 6)
  const cases = picked.map((step, seed): Case => {
    const other = steps[(seed * 7919 + 13) % steps.length] ?? ''
    return { name: `${step} and ${other}, seed ${seed}`, seed, at: [step, other] }
  })
  expect(await collectFailures(cases, findProblems, atOnce)).toEqual([])
})
