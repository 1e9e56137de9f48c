// What a journal costs: calls that spend beside bare writes, and commands in a large journal beside a small one.
import { performance } from 'node:perf_hooks'
import type { Journal } from '../../src/journal/journal.ts'
import { setLimit } from '../../src/journal/limits/limits.ts'
import { accountAt, createOrderDesk, done } from '../journal/order-desk.ts'
import { compare, type Size, takeTurns, whole } from './measure.ts'
import { orderctl, run, time } from './processes.ts'

export const sizes = {
  smoke: { calls: 3, rounds: 1, orders: { few: 100, many: 300 } },
  normal: { calls: 300, rounds: 11, orders: { few: 1_000, many: 1_000_000 } },
}

type OpenedJournal = {
  readonly journal: Journal
  /** The environment of commands that use it. */
  readonly env: NodeJS.ProcessEnv
}

type Options = {
  readonly size: Size
  readonly few: OpenedJournal
  readonly many: OpenedJournal
  /** The base URL of the account. */
  readonly origin: string
  /** Two durable writes without a journal. */
  readonly bare: { readonly name: string; readonly write: () => Promise<void> | void }
}

const commands = [['list'], ['list', '--reference', 'the-last'], ['get', '@last']]

/** Two calls of a new order. Each records its intent and its outcome, and returns the milliseconds that this takes. */
const prepareCalls = (journal: Journal, origin: string) => {
  const { begin, toConfirm } = createOrderDesk(journal)
  let orders = 0
  const timed = async (work: () => Promise<unknown>): Promise<number> => {
    const start = performance.now()
    await work()
    return performance.now() - start
  }
  const fieldsOf = (reference: string) => {
    const at = Date.now()
    return { profile: 'shop', ...accountAt(origin), reference, at, until: at + 45_000 }
  }
  const create = (id: string) =>
    timed(async () => journal.calls.endCreate(await begin(fieldsOf(id)), done(id), Date.now()))
  const confirm = async (): Promise<number> => {
    const id = `call-${++orders}`
    await create(id)
    return timed(async () => {
      await journal.calls.endConfirm(await toConfirm(id, fieldsOf(id)), { outcome: 'done' }, Date.now())
    })
  }
  return { create: () => create(`call-${++orders}`), confirm }
}

export const columns = ['', 'ms', 'beside', 'ms', 'ratio']

export const measureJournalCosts = async ({
  size,
  few,
  many,
  origin,
  bare,
}: Options): Promise<string[][]> => {
  const { calls, rounds, orders } = sizes[size]
  const rowOf = (
    name: string,
    ours: readonly number[],
    beside: string,
    theirs: readonly number[],
  ): string[] => {
    const found = compare(ours, theirs)
    return [name, found.ours.toFixed(2), beside, found.theirs.toFixed(2), found.ratio.toFixed(2)]
  }
  const callsOfFew = prepareCalls(few.journal, origin)
  const callsOfMany = prepareCalls(many.journal, origin)
  const writeBare = async (): Promise<number> => {
    const start = performance.now()
    await bare.write()
    return performance.now() - start
  }
  const calling = await takeTurns(calls, { ...callsOfFew, bare: writeBare })
  const { account } = accountAt(origin)
  for (const { journal } of [few, many])
    await setLimit(journal, account, { kind: 'month', currency: 'USD', amount: '1000000000' })
  const budgeted = await takeTurns(calls, { few: callsOfFew.confirm, many: callsOfMany.confirm })

  const fewName = `${whole(orders.few)} orders`
  const manyName = `${whole(orders.many)} orders`
  const rows = [
    rowOf('create: intent and outcome', calling.create, bare.name, calling.bare),
    rowOf('confirm: intent and outcome', calling.confirm, bare.name, calling.bare),
    rowOf(`confirm with a budget per month, ${manyName}`, budgeted.many, fewName, budgeted.few),
  ]
  for (const { env } of [few, many])
    run({
      words: [...orderctl, 'create', '--product=GAME-US:25', '--wallet=USD', '--reference=the-last'],
      env,
    })
  for (const words of commands) {
    const found = await takeTurns(rounds, {
      few: () => time({ words: [...orderctl, ...words], env: few.env }),
      many: () => time({ words: [...orderctl, ...words], env: many.env }),
    })
    rows.push(rowOf(`\`${words.join(' ')}\`, ${manyName}`, found.many, fewName, found.few))
  }
  return rows
}
