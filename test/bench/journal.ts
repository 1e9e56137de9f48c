// The bench of the journal: what it costs a call that spends, beside a bare append that is as durable; and what a
// million orders cost the commands that read it, beside an empty journal. It judges nothing.
import { spawnSync } from 'node:child_process'
import { fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import { openJournal } from '../../src/journal/journal.ts'
import { filledJournal } from './filled-journal.ts'
import { median, renderTable } from './table.ts'

const calls = 500
const rounds = 15
const orders = 1_000_000

const executable = path.resolve('bin/orderctl.cjs')
const folder = mkdtempSync(path.join(tmpdir(), 'orderctl-bench-'))
const owner = { profile: 'sandbox', origin: 'sandbox:', account: { address: 'sandbox:' } }

const timed = async (work: () => unknown): Promise<number> => {
  const start = performance.now()
  await work()
  return performance.now() - start
}

const p99 = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? Number.NaN
const ms = (value: number): string => value.toFixed(2)

/** Intent and outcome of a create and of its confirm: two durable writes each. */
const costOfCalls = async () => {
  const journal = await openJournal(path.join(folder, 'calls.db'))
  const log = openSync(path.join(folder, 'bare.log'), 'a', 0o600)
  const line = Buffer.alloc(300, 'x')
  const append = (): void => {
    writeSync(log, line)
    fdatasyncSync(log)
  }
  const ours: number[] = []
  const bare: number[] = []
  for (let call = 0; call < calls; call += 1) {
    bare.push(
      await timed(() => {
        append()
        append()
      }),
    )
    const intent = {
      ...owner,
      reference: `r${call}`,
      request: '{"productList":[]}',
      wallet: 'USD',
      at: call,
      allowDuplicate: false,
      until: call,
    }
    ours.push(
      await timed(async () => {
        const begun = await journal.beginCreate(intent)
        if (begun.kind === 'started') {
          await journal.endCreate(
            begun,
            { outcome: 'done', orderId: `o${call}`, total: '25', createdAt: call, expiresAt: call },
            call,
          )
        }
      }),
    )
    ours.push(
      await timed(async () => {
        const begun = await journal.beginConfirm({
          ...{ ...intent, orderId: `o${call}`, total: '25' },
          isWithinCap: () => true,
          isWithinBudget: () => true,
        })
        if (begun.kind === 'started') await journal.endConfirm(begun, { outcome: 'done' }, call)
      }),
    )
  }
  await journal.close()
  return { ours, bare }
}

const run = (home: string, words: readonly string[]): Promise<number> =>
  timed(() => {
    const { status } = spawnSync(process.execPath, [executable, ...words], {
      env: { ...process.env, ORDERCTL_STATE_DIR: home, XDG_CACHE_HOME: folder },
      stdio: 'ignore',
    })
    // The sandbox has no such order: @last was found, and that is what is timed.
    if (status !== 0 && status !== 3) throw new Error(`${words.join(' ')} ended with ${status}`)
  })

const commands: readonly (readonly string[])[] = [
  ['list'],
  ['list', '--unfinished'],
  ['list', '--state', 'failed'],
  ['list', '--since', '2h'],
  ['list', '--reference', 'the-last'],
  ['get', '@last'],
  ['get', 'ref:the-last'],
]

try {
  const { ours, bare } = await costOfCalls()
  process.stdout.write(
    `${renderTable([
      [`a call that spends, of ${calls * 2}`, 'ms, median', 'ms, p99'],
      ['the journal: begin and end', ms(median(ours)), ms(p99(ours))],
      ['two bare appends with fdatasync', ms(median(bare)), ms(p99(bare))],
      ['ratio', (median(ours) / median(bare)).toFixed(2), (p99(ours) / p99(bare)).toFixed(2)],
    ])}\n\n`,
  )
  const empty = await filledJournal(path.join(folder, 'empty'), 0)
  const full = await filledJournal(path.join(folder, 'full'), orders)
  const rows: string[][] = []
  for (const words of commands) {
    for (const home of [empty, full]) await run(home, words)
    const [few, many]: [number[], number[]] = [[], []]
    for (let round = 0; round < rounds; round += 1) {
      few.push(await run(empty, words))
      many.push(await run(full, words))
    }
    const ratio = (median(many) / median(few)).toFixed(2)
    rows.push([words.join(' '), ms(median(few)), ms(median(many)), ratio])
  }
  process.stdout.write(
    `${renderTable([[`medians of ${rounds} by turns`, 'ms, 1 order', `ms, ${orders.toLocaleString('en-US')}`, 'ratio'], ...rows])}\n`,
  )
} finally {
  rmSync(folder, { recursive: true, force: true })
}
