// Rules for what people decide: none is accepted while a confirm may still be sent, and a wrong one is reported, or can be
// decided again.
import { type Sent, sentBy } from '../calls.ts'
import type { Ran, World } from '../world.ts'
import { entriesOf } from './journal-rules.ts'

const decisionOf = ({ words, process }: Ran): string | undefined =>
  words.includes('--settle') && process.exit === 0 ? words[words.indexOf('--settle') + 1] : undefined

/** A person settled an order without a look at the wallet, so what was bought proves nothing about orderctl. */
export const isMisled = (all: readonly Ran[]): boolean =>
  all.some(
    ({ run: { command }, process }) =>
      command.name === 'settle' && command.as !== undefined && process.exit === 0,
  )

/** The order was settled by the id or `ref:`, so its confirms are found by what was printed. */
const isAbout = ({ process: { stdout } }: Ran, id: string): boolean => stdout.includes(id)

const confirmsOf = ({ ran: all }: World, id: string): (Sent & { readonly by: Ran })[] =>
  all.flatMap((by) =>
    sentBy(by.process, 'confirm')
      .filter(({ orderId }) => orderId === id)
      .map((sent) => ({ ...sent, by })),
  )

const timeoutMs = 45_000

/** `not-spent` was accepted while a confirm of the order was in progress. */
const findHasty = (world: World): string[] =>
  world.ran
    .filter((ran) => decisionOf(ran) === 'not-spent')
    .flatMap((ran) =>
      world.service.orders
        .filter(({ id }) => isAbout(ran, id))
        .filter(({ id }) =>
          confirmsOf(world, id).some(({ at, endedAt = at + timeoutMs, by }) => {
            const { isKilled, endedAt: overAt = Number.POSITIVE_INFINITY } = by.process
            const until = isKilled ? at + timeoutMs : Math.max(endedAt, overAt)
            return at < ran.startedAt && ran.startedAt < until
          }),
        )
        .map(({ id }) => `settled too early: ${id}, while its confirm was in progress`),
    )

/** After the history, when nothing is in progress. */
export const findWrongDecisions = async (world: World): Promise<string[]> => {
  const { ran, run, service } = world
  const problems = findHasty(world)
  for (const { id, confirmedAt, goneAt } of service.orders.filter(({ by }) => by !== 0)) {
    const last = ran.findLast((each) => decisionOf(each) !== undefined && isAbout(each, id))
    if (last === undefined || goneAt !== undefined) continue
    if (confirmsOf(world, id).some(({ at }) => at > last.startedAt)) continue
    await run({ name: 'get', order: { id } })
    await run({ name: 'reconcile' })
    const listed = async () => entriesOf(await run({ name: 'list' })).find((entry) => entry.id === id)
    const entry = await listed()
    if (confirmedAt === undefined) {
      if (entry?.decision !== 'spent') continue
      const { process } = await run({ name: 'settle', order: { id }, as: 'not-spent' })
      if (process.exit !== 0) problems.push(`cannot be decided again: ${id}: ${process.stderr}`)
    } else if (decisionOf(last) === 'not-spent') {
      const isReported = ran.some(
        ({ process: { exit, stderr } }) =>
          exit === 6 && /settled as not spent/.test(stderr) && stderr.includes(id),
      )
      if (entry?.decision !== 'refuted') problems.push(`a wrong decision is not shown: ${id}`)
      if (!isReported) problems.push(`a wrong decision is not reported: ${id}`)
    }
  }
  return problems
}
