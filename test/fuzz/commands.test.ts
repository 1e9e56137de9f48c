// Each command on random responses: a documented exit code, no unwanted code, no lost card.
import { existsSync, readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { confirmedExample, orderExample } from '../../src/contract/openapi/examples.ts'
import type { Operation } from '../../src/contract/refusals.ts'
import type { Clock } from '../../src/contract/time.ts'
import { findOperation } from '../../src/contract/transport.ts'
import { exitCodes } from '../../src/errors.ts'
import { lookEveryMs } from '../../src/operations/observe.ts'
import { isAllRun, isFullRun } from '../support/cases.ts'
import { inProcess, neverLate, realClock, untilAborted } from '../support/in-process.ts'
import { openHttp } from '../support/network/client-servers.ts'
import { openScratch } from '../support/scratch.ts'
import { findShownValues } from './find-cards.ts'
import { createdAnswer, gotAnswer, type Response, withErrors } from './responses.ts'
import { checkAsyncProperty } from './runs.ts'
import { forbiddenIn } from './texts.ts'
import { answersTime, type RunResult, type Way, ways } from './ways.ts'

const timeout = 1_800_000

type Answers = {
  readonly created?: unknown
  readonly confirmed?: unknown
  readonly got: unknown
}

/** The order before its confirm, if the command confirms it. */
const pending = { ...orderExample, data: { ...orderExample.data, state: 'created', redeem: {} } }

/** A service that gives these responses, and records the requests. */
const openFakeService = async (way: Way, { created = {}, confirmed = confirmedExample, got }: Answers) => {
  const asked: (Operation | undefined)[] = []
  const server = await openHttp((request, response) => {
    const operation = findOperation(request.method ?? '', request.url ?? '')
    const isPending = way.confirms && !asked.includes('confirm')
    const answer = { create: created, confirm: confirmed, get: isPending ? pending : got }[operation ?? 'get']
    asked.push(operation)
    const headers = { 'content-type': 'application/json', date: new Date(answersTime).toUTCString() }
    request.resume().once('end', () => response.writeHead(200, headers).end(JSON.stringify(answer) ?? ''))
  })
  return { ...server, asked }
}

/** Waits end at once. After a number of them the command is interrupted. Only the clipboard has a deadline. */
const patience = 40

/** The deadlines of get, and of create and confirm. */
const deadlinesMs = [30_000, 45_000]
const watchTimeoutMs = 120_000

const clockOf = (isCopy: boolean, interrupt: () => void): Clock => {
  let now = answersTime
  let waits = 0
  let endWatch = { at: Number.POSITIVE_INFINITY, end: (): void => {} }
  return neverLate({
    ...realClock,
    now: () => now,
    monotonic: () => now,
    sleep: async (ms, signal) => {
      if (deadlinesMs.includes(ms) && !(isCopy && ms === 45_000)) return await untilAborted(signal)
      // No other process changes the journal.
      if (ms === lookEveryMs) return await untilAborted(signal)
      if (ms === watchTimeoutMs) {
        const { promise, resolve: end } = Promise.withResolvers<void>()
        endWatch = { at: now + ms, end }
        return await Promise.race([promise, untilAborted(signal)])
      }
      now += ms
      if (now >= endWatch.at) endWatch.end()
      waits += 1
      if (waits > patience) interrupt()
    },
  })
}

const runWay = async (way: Way, answers: Answers) => {
  await using service = await openFakeService(way, answers)
  using scratch = openScratch()
  const home = scratch.folder
  const copied: string[] = []
  const interrupter = new AbortController()
  const clock = clockOf(way.words.includes('--copy'), () => interrupter.abort('SIGINT'))
  const situation = {
    ...{ cwd: home, clock, interrupted: interrupter.signal, platform: 'linux' },
    ...(way.env.COLUMNS === '20' ? { terminals: ['stdout', 'stderr'] as const } : {}),
    env: { ...way.env, ORDERCTL_STATE_DIR: home, ORDERCTL_BASE_URL: service.origin },
    pipe: async (_command: readonly string[], text?: string): Promise<string> => {
      if (text !== undefined) copied.push(text)
      return copied.at(-1) ?? ''
    },
  }
  if (way.after !== undefined) await inProcess(way.after.split(' '), situation)
  const words = way.words.split(' ').map((word) => word.replace('HOME', home))
  const ran = await inProcess(words, situation)
  const file = words[words.indexOf('--export') + 1] ?? ''
  const exported = existsSync(file) ? readFileSync(file, 'utf8') : ''
  return { ...ran, copied, file: exported, asked: service.asked }
}

type Ran = RunResult & { readonly exit: number | undefined; readonly asked: readonly unknown[] }

/** Checks the rules that hold for every response. */
const breachesOf = (way: Way, { exit, stdout, stderr, asked }: Ran): string[] => {
  const isJson = way.words.includes('--json')
  const name = Object.entries(exitCodes).find(([, { code }]) => code === exit)?.[0]
  const said = stderr.trimEnd().split('\n').at(-1) ?? ''
  // Exit codes that promise that nothing was done, or that nothing was spent.
  const undone = [1, 2, 9, 11]
  const unspent = [...undone, 5]
  const isRead = (text: string): boolean => {
    try {
      JSON.parse(text)
      return true
    } catch {
      return false
    }
  }
  const lines = way.words.startsWith('watch') ? stdout.split('\n').slice(0, -1) : [stdout]
  const rules: readonly (readonly [string, boolean])[] = [
    ['the exit code stands in the table', name !== undefined],
    [
      'there is no defect',
      !/a defect|^\s+at .*[./:][cm]?[jt]s|\bundefined\b|\bNaN\b|Invalid Date|\[object/m.test(stdout + stderr),
    ],
    ['nothing forbidden is on the terminal', forbiddenIn(stdout + stderr) === undefined],
    ['JSON is JSON', !isJson || stdout === '' || lines.every(isRead)],
    [
      'an error in JSON says its code',
      !isJson || stdout !== '' || (isRead(said) && JSON.parse(said).error.code === name),
    ],
    [
      'what was sent is not called undone',
      !asked.includes('create') || way.after !== undefined || !undone.includes(exit ?? 1),
    ],
    ['what was confirmed is not called unspent', !asked.includes('confirm') || !unspent.includes(exit ?? 1)],
    ['what spends is sent once', asked.indexOf('confirm') === asked.lastIndexOf('confirm')],
  ]
  return rules
    .filter(([, checkProperty]) => !checkProperty)
    .map(([rule]) => `${rule}: exit ${exit}\n${stdout}${stderr}`)
}

const answers = fc.record({ got: gotAnswer, created: createdAnswer })

describe.each(ways)('$name', ({ name, way, exit, hands }) => {
  const walk = ways.findIndex((each) => each.name === name)

  // A short run tests each command with one of both.
  test.runIf(isAllRun || walk % 2 === 0)('handles documented responses', { timeout }, async () => {
    await checkAsyncProperty(
      fc.asyncProperty(answers, async ({ got, created }) => {
        const ran = await runWay(way, { got: got.document, created })
        expect(breachesOf(way, ran)).toEqual([])
        expect({ exit: ran.exit, stderr: ran.stderr }).toEqual({ exit: exit(got), stderr: ran.stderr })
        if (!way.reveals) expect(findShownValues(ran.stdout + ran.stderr, got.cards)).toEqual([])
        const { ok, partial, usage, unknown, interrupted } = exitCodes
        const isHanded = way.words.startsWith('redeem')
          ? [ok.code, partial.code].includes(ran.exit as never)
          : ![usage.code, unknown.code, interrupted.code].includes(ran.exit as never)
        if (isHanded && got.cards.length > 0) hands?.(ran, got.cards)
      }),
      { quick: 1, full: 150, walk },
    )
  })

  // A short run tests every other command.
  test.runIf(isFullRun || walk % 2 === 1)('handles responses with errors', { timeout }, async () => {
    const wrong = answers.chain(({ got, created }) =>
      fc.record({
        got: fc.constant(got),
        document: withErrors<unknown>(got.document),
        created: withErrors<unknown>(created),
        confirmed: withErrors<unknown>(confirmedExample),
      }),
    )
    await checkAsyncProperty(
      fc.asyncProperty(wrong, async ({ got, document, created, confirmed }) => {
        const ran = await runWay(way, { got: document, created, confirmed })
        expect(breachesOf(way, ran)).toEqual([])
        if (!way.reveals) expect(findShownValues(ran.stdout + ran.stderr, stillIn(document, got))).toEqual([])
      }),
      { quick: 1, full: 150, walk },
    )
  })
})

/** The cards that are complete in the redeem data. */
const stillIn = (document: unknown, { cards }: Response): Response['cards'] => {
  const text = JSON.stringify((document as { data?: { redeem?: unknown } | null } | null)?.data?.redeem ?? '')
  return cards.filter(({ sku: _sku, ...card }) =>
    Object.values(card).every((value) => text.includes(JSON.stringify(value))),
  )
}
