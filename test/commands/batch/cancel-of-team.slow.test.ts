// batch cancel of a batch that a colleague buys. approve.slow.session has one that nobody buys.
import { expect, test } from 'vitest'
import { openTeamShop } from '../../support/postgres/team-shop.ts'
import { on } from '../../support/world.ts'

const terminals = ['stdin', 'stdout', 'stderr'] as const

/** Ana's batch has 40 orders. */
const openRunning = async () => {
  const shop = await openTeamShop('ben', 'carla')
  const { as, must } = shop
  shop.file(JSON.stringify([{ sku: 'GAME-US', quote: 25, quantity: 200 }]), 'gifts.json')
  const run = ['batch', 'run', 'gifts.json', '--wallet', 'USD', '--max-total', '5000', '--parallel', '1']
  return { ...shop, as, must, run }
}

test('the run ends, and says who cancelled it and when', async () => {
  const shop = await openRunning()
  const { as, must, run, name } = shop
  const cancelled = Promise.withResolvers<string[]>()
  shop.through(
    on('confirm', async (request, service) => {
      // The order is being bought until she has answered.
      if (shop.sent('confirm') === 1) {
        const asked = Promise.withResolvers<void>()
        const answer = (): boolean => {
          asked.resolve()
          return true
        }
        const words = ['batch', 'cancel', 'gifts']
        as('carla', words, { terminals, answers: [answer] })
          .then(({ questions }) => cancelled.resolve(questions), cancelled.reject)
          .finally(asked.resolve)
        await asked.promise
      }
      return service(request)
    }),
  )
  const { exit, stderr } = await as('ana', run)
  expect((await cancelled.promise).map((question) => question.replaceAll(`${name}_`, ''))).toEqual([
    expect.stringMatching(
      /^Cancel the batch gifts of ana\? It is being bought now: ana@desk\. \d+ of 200 cards /,
    ),
  ])
  expect(stderr).toMatch(
    /error: the batch gifts was cancelled by carla \(tester on desk\) at \d{4}-\S+Z while it ran; \S+ of \S+ USD spent, \d+ of 200 cards delivered\n/,
  )
  expect(exit).toBe(8)
  expect((await as('ben', ['batch', 'cancel', 'gifts'])).exit).toBe(0)
  expect(JSON.parse(await must('ana', 'batch', 'show', 'gifts', '--json'))).toMatchObject({
    state: 'cancelled',
    cancelledBy: { role: expect.stringMatching(/_carla$/) },
  })
})
