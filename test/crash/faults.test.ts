// Each access to the journal's files fails in turn. The error must correctly report what was sent.
import { execFileSync } from 'node:child_process'
import { describe, test } from 'vitest'
import { isFullRun, sampleEvenly } from '../support/cases.ts'
import { cannotMount, smallDisk } from '../support/disks.ts'
import { openScratch } from '../support/scratch.ts'
import { type Case, expectNoProblems, readJournalEntries } from './checks.ts'
import type { Harm } from './preload.ts'
import { createAndConfirm, pointsOf, type Scenario, scenarios } from './scenarios.ts'
import type { RunResult, World } from './world.ts'

const timeout = isFullRun ? 1_800_000 : 120_000

/** Compares what the run printed with what happened. */
const findFalseClaims = async (
  world: World,
  { before, becomes }: Scenario,
  { end, stdout, stderr }: RunResult,
): Promise<string[]> => {
  const problems: string[] = []
  const said = `; it said: ${stderr}`
  const sent = world.asked.slice(before.length).map(({ operation }) => operation)
  const [order] = await world.orders()
  if (end !== 0 && end !== 6 && end !== 9) problems.push(`it ended with ${end}${said}`)
  if (/^\s+at |a defect/m.test(stderr)) problems.push(`it broke${said}`)
  const isExplained =
    order !== undefined &&
    [
      `the order ${order.id} was not confirmed`,
      `the order ${order.id} was created, and is not confirmed`,
    ].some((words) => stderr.includes(words))
  if (end === 9 && (sent.includes('confirm') || (sent.length > 0 && !isExplained)))
    problems.push(`it says that nothing was sent, and ${sent.join(' and ')} were${said}`)
  if (end === 6 && order !== undefined && !stderr.includes(order.id)) problems.push(`it kept the id${said}`)
  if (end === 0) {
    if (order?.state !== becomes || !stdout.includes(order.id))
      problems.push(`it went well, and did not${said}`)
    const isTrue = (await readJournalEntries(world.journalFile)).some(({ state }) => state === becomes)
    if (!isTrue && !/warning: |"warnings": ?\[/.test(stdout + stderr))
      problems.push(`it did not say that the journal is behind${said}`)
  }
  return problems
}

const harms: readonly Harm[] = ['ENOSPC', 'EIO', 'EACCES', 'EROFS']

/** A case whose run may fail, but says the truth. */
const caseOf = (name: string, scenario: Scenario, options: Parameters<World['run']>[1]): Case => ({
  ...{ name, scenario },
  run: async (world) => findFalseClaims(world, scenario, await world.run(scenario.words, options)),
})

describe.each(scenarios)('$name', (scenario) => {
  test('reports what happened if any step fails', { timeout }, async () => {
    const names = (await pointsOf(scenario)).filter((name) => /^(fs|sqlite): /.test(name))
    const cases = names.flatMap((at, index) =>
      harms
        .filter((_, which) => isFullRun || which === index % harms.length)
        .map((how) => caseOf(`${how} at ${at}`, scenario, { injection: { at, how } })),
    )
    await expectNoProblems(isFullRun ? cases : sampleEvenly(cases, 2))
  })
})

/** Limits of the file size in blocks of 512 bytes. A longer write is cut off, as on a full disk. */
const sizes = isFullRun
  ? Array.from({ length: 134 }, (_, at) => 3 * at)
  : // The first write, the tables, and the writes after a response.
    [0, 150, 260]

const cannotLimit = process.platform === 'win32' ? 'there is no ulimit on Windows' : false

test('reports what happened if a write is cut off at any size', { timeout }, async ({ skip }) => {
  if (cannotLimit) skip(cannotLimit)
  // The limit would also damage the compile cache, which other tests share.
  const env = { NODE_DISABLE_COMPILE_CACHE: '1' }
  const cases = (isFullRun ? scenarios : [createAndConfirm]).flatMap((scenario) =>
    sizes.map((size) => {
      const under = ['sh', '-c', `ulimit -f ${size}; exec "$@"`, 'sh']
      return caseOf(`${scenario.name}: files of ${size} blocks`, scenario, { under, env })
    }),
  )
  await expectNoProblems(cases)
})

// From a disk that is too small for any write to one that is large enough.
const disks = isFullRun ? Array.from({ length: 65 }, (_, at) => 4 * (at + 1)) : [136]

test('reports what happened if the disk is full', { timeout }, async ({ skip }) => {
  if (cannotMount) skip(cannotMount)
  const chosen = scenarios.filter(({ name }) => isFullRun && name === 'create')
  const cases = [createAndConfirm, ...chosen].flatMap((scenario) =>
    disks.map(
      (size): Case => ({
        ...{ name: `${scenario.name}: a disk of ${size} KiB`, scenario },
        openFolder: (stack) => {
          const { folder } = stack.use(openScratch())
          stack.use(smallDisk(folder, `${size}k`))
          return folder
        },
        run: async (world) => {
          const ended = await world.run(scenario.words)
          execFileSync('mount', ['-o', 'remount,size=16m', world.state])
          return findFalseClaims(world, scenario, ended)
        },
      }),
    ),
  )
  await expectNoProblems(cases)
})
