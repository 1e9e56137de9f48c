// Commands without their order: on a terminal, a list of recent orders; elsewhere, the usage error.

import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeAll, describe, expect, test } from 'vitest'
import { isAllRun } from '../support/cases.ts'
import { inProcess, type Situation } from '../support/in-process.ts'
import { folder } from '../support/orderctl.ts'
import { noTerminal, typedInto } from '../support/pseudo-terminal.ts'
import { runWithoutTriggers } from '../support/without-triggers.ts'
import { openerFor, openWorld, overSocket, type World } from '../support/world.ts'

const product = ['--product', 'GAME-US:25x2', '--wallet', 'USD']

const place = async (shop: World, reference: string, ...flags: string[]): Promise<string> =>
  (await shop.must('create', ...product, '--reference', reference, '-q', ...flags)).trim()

const openSandbox = openerFor({})
const openService = openerFor(overSocket)

/** An order of each kind, the last one on another account. */
const open = async () => {
  const shop = await openSandbox()
  const delivered = await place(shop, 'delivered', '--confirm', '--watch')
  const open = await place(shop, 'open')
  const expired = await place(shop, 'too-late')
  const file = path.join(shop.home, 'state', 'journal.db')
  const anHourAgo = ['placed_at', 'created_at', 'expires_at'].map((time) => `${time} = ${time} - 3600000`)
  using journal = new DatabaseSync(file)
  runWithoutTriggers(journal, `UPDATE orders SET ${anHourAgo} WHERE order_id = '${expired}'`)
  await shop.run(['create', '--product', 'TEST-OUT-OF-STOCK:10', '--wallet', 'USD', '--reference', 'refused'])
  const other = await openService()
  const env = { ORDERCTL_STATE_DIR: path.join(shop.home, 'state') }
  expect(await other.run(['create', ...product, '--reference', 'elsewhere'], { env })).toMatchObject({
    exit: 0,
  })
  return { shop, delivered, open, expired }
}

/** The lines of the list, without what varies. */
const listed = (lines: readonly string[]): string[] =>
  lines.map((line) => line.replace(/(now|\d+ \w+ ago) */, 'AGE ').replace(/ +/g, ' '))

const pick = async (shop: World, words: readonly string[], answer: string | undefined) => {
  const ran = await shop.atTerminal([...words, '--profile', 'sandbox'], { answers: [answer, false] })
  return { ...ran, lines: listed(ran.choices[0] ?? []) }
}

describe('on a terminal, the recent orders that fit the command are listed', () => {
  // No test changes an order, so they share one world.
  let opened: Awaited<ReturnType<typeof open>>
  beforeAll(async () => {
    opened = await open()
  })

  test.each<[string, string[]]>([
    ['get', ['open', 'delivered', 'too-late']],
    ['watch', ['open', 'too-late']],
    ['redeem', ['delivered']],
    ['confirm', ['open']],
  ])('%s', async (command, references) => {
    const { shop, ...ids } = opened
    const { lines, questions, exit } = await pick(shop, [command], undefined)
    expect({ exit, first: questions[0] }).toEqual({ exit: 130, first: 'Order' })
    const states: Record<string, string> = { delivered: '✓ successful' }
    const byReference: Record<string, string> = { 'too-late': ids.expired, ...ids }
    expect(lines).toEqual(
      references.map((each) => `${each} ${states[each] ?? '○ created'} AGE GAME-US x2 ${byReference[each]}`),
    )
  })

  test('the picked order is shown, also by a part of its reference, or by another id', async () => {
    const { shop, delivered, open: created } = opened
    expect((await pick(shop, ['get'], 'deliv')).stdout).toContain(delivered)
    expect((await pick(shop, ['redeem'], '')).stdout).toMatch(/GAME-US .*••••/)
    expect((await pick(shop, ['get'], created)).stdout).toContain(created)
    expect(await pick(shop, ['get'], 'sbx_none')).toMatchObject({ exit: 3 })
  })

  test('the order to confirm is still confirmed by its own question', async () => {
    const { shop, open: created } = opened
    const ran = await pick(shop, ['confirm'], '')
    expect(ran.questions.at(-1)).toMatch(/ spend 50.00 USD\?/)
    expect(ran.exit).toBe(130)
    expect(ran.stderr).toContain('This run did not confirm the order')
    expect(await shop.must('get', created, '--profile', 'sandbox')).toContain('created')
  })

  test('without an order that fits, it is an error', async () => {
    const shop = await openWorld()
    const none = { exit: 2, questions: [] as string[], stdout: '' }
    const error =
      "error: missing required argument 'order', and no recent order fits\ntry: orderctl list --profile sandbox\n"
    for (const command of ['get', 'redeem', 'watch']) {
      const { lines: _, ...ran } = await pick(shop, [command], undefined)
      expect(ran).toMatchObject({ ...none, stderr: error })
    }
  })
})

test.each<[string, string[], Situation]>([
  ['without a terminal', [], { terminals: [] }],
  ['if stdin is not a terminal', [], { terminals: ['stdout', 'stderr'] }],
  ['with -q', ['-q'], {}],
  ['with --no-input', ['--no-input'], {}],
  ['if CI is set', [], { env: { CI: 'true' } }],
  ['with --json', ['--json'], {}],
])('nothing is listed %s', async (_what, flags, situation) => {
  const shop = await openWorld()
  const commands = ['get', 'watch', 'confirm', ...(flags.includes('-q') ? [] : ['redeem'])]
  for (const command of commands) {
    const ran = await shop.atTerminal([command, ...flags], situation)
    expect(ran).toMatchObject({ exit: 2, stdout: '', questions: [] })
    expect(ran.stderr).toContain("missing required argument 'order'")
    expect(ran.stderr).toContain(`orderctl ${command} --help`)
  }
})

describe.runIf(isAllRun && noTerminal() === undefined)('on a terminal', () => {
  test.each([
    [60, {}],
    [120, {}],
  ])('of %i columns, each order has one line: %j', async (width, env) => {
    const home = folder()
    for (const reference of ['team-lunch', `a-long-reference-${'that-goes-on-'.repeat(4)}`]) {
      const words = ['create', ...product, '--reference', reference, '-q']
      expect(await inProcess(words, { cwd: home })).toMatchObject({ exit: 0 })
    }
    const at = { HOME: home, COLUMNS: String(width), ...env }
    const { exit, text } = await typedInto(['get'], at, ['❯ a-long', 'lunch'], ['❯ team', '\r'])
    expect(exit).toBe(0)
    const rows = text.split('\n').filter((row) => row.includes('○ created  '))
    expect(rows.length).toBeGreaterThan(1)
    for (const row of rows) expect(row.trimEnd().length).toBeLessThanOrEqual(width)
    expect(text).toMatch(/✔ Order sbx_\w+\n/)
  })
})
