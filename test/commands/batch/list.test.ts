// batch list: the batches of the journal.
import { expect, test } from 'vitest'
import { openWorld } from '../../support/world.ts'
import { fillJournal, ownerAs, rowsOf } from './filled-journal.ts'

const filled = async () => {
  const shop = await openWorld()
  const { add, batches } = await fillJournal(shop.home)
  await add({ name: 'planned', rows: rowsOf(3) })
  const running = await add({ name: 'running', rows: rowsOf(3), maxTotal: '5000', id: 'bat_1' })
  await running.deliver(1)
  await running.buy(2, 'confirmed')
  const stopped = await add({ name: 'stopped', rows: rowsOf(2), maxTotal: '100' })
  await stopped.deliver(1)
  await batches.recordStop(stopped.batch.number, 'cap', Date.now())
  const unknown = await add({ name: 'unknown', rows: rowsOf(2), maxTotal: '500' })
  await unknown.deliver(1)
  await unknown.buy(2, 'unknown')
  return shop
}

test('shows the newest first, and those of the sandbox apart from the others', async () => {
  const shop = await filled()
  const { add } = await fillJournal(shop.home)
  const elsewhere = await add({ name: 'elsewhere', rows: rowsOf(2), maxTotal: '500', owner: ownerAs('shop') })
  await elsewhere.deliver(1, 2)
  const list = (env: Record<string, string>) =>
    shop.run(['batch', 'list'], { env: { COLUMNS: '100', ...env } })
  const { exit, stdout, stderr } = await list({ ORDERCTL_PROFILE: 'sandbox' })
  expect({ exit, stderr }).toEqual({
    exit: 0,
    stderr: 'Batches of shop are not listed. Show them: orderctl batch list --profile shop\n',
  })
  const real = await list({ ORDERCTL_BASE_URL: 'https://orders.example', ORDERCTL_API_KEY: 'key' })
  expect(real.stdout).toMatch(/^elsewhere .* shop$/m)
  expect(real.stdout).not.toMatch(/sandbox/)
  expect(await shop.must('batch', 'list', '-q', '--profile', 'shop')).toBe('elsewhere\n')
  expect(real.stderr).toMatch(
    /^Sandbox batches are not listed\. Show them: orderctl batch list --profile sandbox$/m,
  )
  expect(stdout.replace(/ +$/gm, '')).toBe(
    `BATCH    STATE           CARDS  ORDERS                   SPENT  WHEN     PROFILE
────────────────────────────────────────────────────────────────────────────────
unknown  ? unknown      1 of 2       2    200.00 of 500.00 USD  1 h ago  sandbox
stopped  ! stopped      1 of 2       2    100.00 of 100.00 USD  1 h ago  sandbox
running  … in-progress  1 of 3       3  200.00 of 5,000.00 USD  1 h ago  sandbox
planned  ○ planned      0 of 3       3                0.00 USD  1 h ago  sandbox
`,
  )
})

test.each([60, 80, 140])(
  'says who planned each batch if several people did, at %i columns',
  async (columns) => {
    const shop = await filled()
    const list = () => shop.run(['batch', 'list'], { env: { COLUMNS: String(columns) } })
    expect((await list()).stdout).not.toMatch(/\bBY\b|^by:/m)
    const { add } = await fillJournal(shop.home, 'ben')
    await add({ name: 'of-ben', rows: rowsOf(2) })
    const { stdout } = await list()
    const [first = ''] = columns === 60 ? stdout.split('\n\n') : stdout.split('\n').slice(2)
    expect(first).toMatch(/of-ben/)
    expect(first).toMatch(columns === 60 ? /^by: ben$/m : / ben( |$)/)
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(columns)
  },
)

test('leaves out the profile first, at 78 columns', async () => {
  const shop = await filled()
  const { stdout } = await shop.run(['batch', 'list'], { env: { COLUMNS: '78' } })
  expect(stdout).not.toContain('PROFILE')
  expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(78)
})

test('prints summaries with --json, and names with -q', async () => {
  const shop = await filled()
  const all = JSON.parse(await shop.must('batch', 'list', '--json'))
  expect(all.map(({ name, state }: { name: string; state: string }) => [name, state])).toEqual([
    ['unknown', 'unknown'],
    ['stopped', 'stopped'],
    ['running', 'in-progress'],
    ['planned', 'planned'],
  ])
  expect(all[2]).toEqual({
    ...{ id: 'bat_1', name: 'running', state: 'in-progress', stopped: null, rows: 3 },
    cards: { ordered: 3, delivered: 1, failed: 0, duplicate: 0, unknown: 0, cancelled: 0, open: 2 },
    ...{ orders: 3, spent: 200, wallet: 'USD', maxTotal: 5000 },
    ...{ plannedAt: expect.stringMatching(/Z$/), startedAt: expect.stringMatching(/Z$/), profile: 'sandbox' },
    by: { role: null, user: 'tester', host: 'desk', writtenBy: null },
    cancelledBy: null,
  })
  expect(all[3].maxTotal).toBe(null)
  expect(await shop.must('batch', 'list', '--json', '--fields', 'name,cards.delivered', '--limit', '1')).toBe(
    `[\n  {\n    "name": "unknown",\n    "cards": {\n      "delivered": 1\n    }\n  }\n]\n`,
  )
})

test('prints exact amounts', async () => {
  const shop = await openWorld()
  const { add } = await fillJournal(shop.home)
  await add({ maxTotal: '12345678901234567.10', wallet: 'KWD' })
  expect(await shop.must('batch', 'list', '--json')).toContain('"maxTotal": 12345678901234567.1,\n')
})

test('says that there are more than --limit', async () => {
  const shop = await filled()
  const quiet = await shop.run(['batch', 'list', '-q', '--limit', '2'])
  expect(quiet).toEqual({ exit: 0, stdout: 'unknown\nstopped\n', stderr: '' })
  const { stderr } = await shop.run(['batch', 'list', '--limit', '2'])
  expect(stderr).toBe('Showing the newest 2 batches. Use --limit to see more.\n')
  expect((await shop.run(['batch', 'list', '--limit', '1'])).stderr).toBe(
    'Showing the newest batch only. Use --limit to see more.\n',
  )
  expect((await shop.run(['batch', 'list', '--limit', '4'])).stderr).toBe('')
})

test('says that there are none, with and without a journal', async () => {
  const shop = await openWorld()
  const none = { exit: 0, stderr: 'No batches\n' }
  expect(await shop.run(['batch', 'list'])).toEqual({ ...none, stdout: '' })
  await fillJournal(shop.home)
  expect(await shop.run(['batch', 'list'])).toEqual({ ...none, stdout: '' })
  expect(await shop.run(['batch', 'list', '--json'])).toEqual({ exit: 0, stderr: '', stdout: '[]\n' })
})
