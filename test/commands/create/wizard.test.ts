// create's questions: narrow terminals, pipes, and the time of the expiry. wizard.session has the others.
import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { realClock, type Situation } from '../../support/in-process.ts'
import { openWorld, overSocket, type Way } from '../../support/world.ts'

const creating = async (answers: Situation['answers'], situation: Situation = {}, way: Way = {}) =>
  (await openWorld(way)).atTerminal(['create'], { answers, ...situation })

test('until when it can be confirmed is said by the clock of the service, an hour ahead of this machine', async () => {
  const answers = ['GAME-US', '25', 'fixed', '', false, 'EUR', 'ref-1', 'place', false]
  const now = () => Date.now() - 3_600_000
  const { stderr } = await creating(answers, { clock: { ...realClock, now } }, overSocket)
  const [, time = ''] = /Validity .*(\d{4}-\d\d-\d\d [\d:]{8} UTC)/.exec(stderr) ?? []
  expect(Date.parse(time)).toBeGreaterThan(Date.now())
  expect(stderr).toMatch(/expires in (9|10) min/)
})

test('the order that was created is the result where stdout is elsewhere', async () => {
  const answers = ['GAME-US', '2', false, 'EUR', 'ref-1', 'place', false]
  const { stdout } = await creating(answers, { terminals: ['stdin', 'stderr'] })
  expect(stdout).toMatch(/^Order .*\nReference {2}ref-1\n/)
})

test('on 60 columns no line is longer, but the command, which is one', async () => {
  const products = ['GAME-US', '', true, 'COFFEE-US', '12.50', '2', false]
  const answers = [...products, 'USD', 'ref-1', 'place', true]
  const { stderr, stdout } = await creating(answers, { env: { COLUMNS: '60' } })
  const long = `${stderr}${stdout}`.split('\n').filter((each) => each.length > 60)
  expect(long.filter((each) => !each.includes('orderctl'))).toEqual([])
})

test.skipIf(process.platform === 'win32')('an order file that is a pipe is read once', async () => {
  const { home, atTerminal, journal } = await openWorld()
  const productList = [{ sku: 'GAME-US', productType: 'fixed', quote: 25, quantity: 2 }]
  const order = { productList, wallet: 'EUR', reference: 'ref-9' }
  const pipe = path.join(home, 'pipe')
  execFileSync('mkfifo', [pipe])
  const written = writeFile(pipe, JSON.stringify(order))
  expect(await atTerminal(['create', pipe])).toMatchObject({ exit: 0, questions: [] })
  await written
  expect(journal('SELECT request FROM orders')).toEqual([{ request: JSON.stringify(order) }])
})
