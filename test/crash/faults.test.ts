// Each access to the journal's files fails in turn. The error must correctly report what was sent.
import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { collectFailures, isFullRun, sampleEvenly } from '../support/cases.ts'
import { cannotMount, smallDisk } from '../support/disks.ts'
import { openScratch } from '../support/scratch.ts'
import { checkAftermath, readJournalEntries } from './checks.ts'
import type { Harm } from './preload.ts'
import { callsOf, prepareWorld, type Scenario, scenarios } from './scenarios.ts'
import { cannotTrace, disturbCall } from './strace.ts'
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

describe.each(scenarios)('$name', (scenario) => {
  test('reports what happened if any step fails', { timeout }, async () => {
    const names = await (async () => {
      await using world = await prepareWorld(scenario)
      return (await world.pointsOf(scenario.words)).filter((name) => /^(fs|sqlite): /.test(name))
    })()
    const all = names.flatMap((at, index) =>
      harms
        .filter((_, which) => isFullRun || which === index % harms.length)
        .map((how) => ({ name: `${how} at ${at}`, injection: { at, how } })),
    )
    const cases = isFullRun ? all : sampleEvenly(all, 2)
    const lines = await collectFailures(cases, async ({ injection }) => {
      await using world = await prepareWorld(scenario)
      const ended = await world.run(scenario.words, { injection })
      return [
        ...(await findFalseClaims(world, scenario, ended)),
        ...(await checkAftermath(world, scenario.words)),
      ]
    })
    expect(lines).toEqual([])
    if (isFullRun) console.info(`${scenario.name}: ${cases.length} steps failed`)
  })
})

/** The result of a system call: an error, or fewer bytes than requested. */
const disturbances: Readonly<Record<string, readonly string[]>> = {
  pwrite64: ['error=ENOSPC', 'error=EIO', 'retval=0'],
  pread64: ['error=EIO'],
  openat: ['error=EACCES', 'error=EMFILE'],
  ftruncate: ['error=ENOSPC'],
  mkdir: ['error=EROFS'],
  mmap: ['error=ENOMEM'],
}

describe.runIf(isFullRun).each(scenarios)('$name', (scenario) => {
  test('reports what happened if any system call on its files fails', { timeout }, async ({ skip }) => {
    if (cannotTrace) skip(cannotTrace)
    const calls = await callsOf(scenario)
    const cases = calls.flatMap((call) =>
      (disturbances[call.call] ?? ['error=EIO']).map((how) => ({
        name: `${how} at ${call.call} #${call.nth}`,
        call,
        how,
      })),
    )
    const lines = await collectFailures(cases, async ({ call, how }) => {
      await using world = await prepareWorld(scenario)
      const ended = await world.run(scenario.words, { under: disturbCall(world.state, call, how) })
      return [
        ...(await findFalseClaims(world, scenario, ended)),
        ...(await checkAftermath(world, scenario.words)),
      ]
    })
    expect(lines).toEqual([])
    console.info(`${scenario.name}: ${cases.length} system calls failed`)
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
  const cases = scenarios
    .filter(({ name }) => isFullRun || name === 'create --confirm')
    .flatMap((scenario) =>
      sizes.map((size) => ({ name: `${scenario.name}: files of ${size} blocks`, size, scenario })),
    )
  const lines = await collectFailures(cases, async ({ size, scenario }) => {
    await using world = await prepareWorld(scenario)
    const under = ['sh', '-c', `ulimit -f ${size}; exec "$@"`, 'sh']
    // The limit would also damage the compile cache, which other tests share.
    const env = { NODE_DISABLE_COMPILE_CACHE: '1' }
    const ended = await world.run(scenario.words, { under, env })
    return [
      ...(await findFalseClaims(world, scenario, ended)),
      ...(await checkAftermath(world, scenario.words)),
    ]
  })
  expect(lines).toEqual([])
  if (isFullRun) console.info(`${cases.length} limits of the files' size`)
})

// From a disk that is too small for any write to one that is large enough.
const disks = isFullRun ? Array.from({ length: 65 }, (_, at) => 4 * (at + 1)) : [136]

test('reports what happened if the disk is full', { timeout }, async ({ skip }) => {
  if (cannotMount) skip(cannotMount)
  const cases = disks.map((size) => ({ name: `a disk of ${size} KiB`, size }))
  for (const scenario of scenarios.filter(
    ({ name }) => name === 'create --confirm' || (isFullRun && name === 'create'),
  )) {
    const lines = await collectFailures(cases, async ({ size }) => {
      using scratch = openScratch()
      using _disk = smallDisk(scratch.folder, `${size}k`)
      await using world = await prepareWorld(scenario, { stateFolder: scratch.folder })
      const ended = await world.run(scenario.words)
      execFileSync('mount', ['-o', 'remount,size=16m', scratch.folder])
      return [
        ...(await findFalseClaims(world, scenario, ended)),
        ...(await checkAftermath(world, scenario.words)),
      ]
    })
    expect(lines).toEqual([])
  }
  if (isFullRun) console.info(`${cases.length} small disks`)
})
