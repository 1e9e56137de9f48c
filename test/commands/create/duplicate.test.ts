import { describe, expect, test } from 'vitest'
import { never, on, openWorld, overNetwork } from '../../support/world.ts'

const unnamed = ['create', '--product', 'GAME-US:25x2', '--wallet', 'USD', '--confirm']
const terminals = ['stdin', 'stdout', 'stderr'] as const

/** Killed after the confirm was sent; nobody knows whether it took effect. */
const killed = async () => {
  const shop = await openWorld(overNetwork)
  shop.through(
    on('confirm', async (request, service) => {
      await service(request)
      return never()
    }),
  )
  void shop.runIn(unnamed)
  while (shop.bought().length === 0) await new Promise(setImmediate)
  shop.through()
  const [id = ''] = shop.bought()
  return { shop, id }
}

describe('after a confirm whose process was killed, the same order', () => {
  test('is not placed in a script: exit 11 names the first', async () => {
    const { shop, id } = await killed()
    const { exit, error } = await shop.asks(unnamed)
    expect({ exit, error }).toEqual({
      exit: 11,
      error: {
        code: 'duplicate',
        message: `the order ${id} (unknown) has the same products, and its confirm may have spent money; nothing was sent`,
        orderId: id,
        fix: `orderctl reconcile ${id}`,
        advice: 'To order again anyway, add --allow-duplicate.',
        retryable: false,
      },
    })
    expect(shop.sent('create')).toBe(1)
    expect(shop.bought()).toEqual([id])
  })

  test.each([
    ['no', false, 130, 1],
    ['yes', true, 0, 2],
  ])('is asked about on a terminal: %s', async (_word, says, exit, count) => {
    const { shop, id } = await killed()
    const ran = await shop.runIn(unnamed, { terminals, answers: [says] })
    expect(ran).toMatchObject({ exit, questions: ['Order the same products again?'] })
    expect(ran.stderr).toContain(`The order ${id} has the same products, and its confirm may have spent.\n`)
    expect(shop.bought()).toHaveLength(count)
  })

  test.each([
    ['--json', ['--json']],
    ['-q', ['-q']],
    ['--no-input', ['--no-input']],
  ])('is not asked about with %s', async (_flag, flags) => {
    const { shop } = await killed()
    expect(await shop.runIn([...unnamed, ...flags], { terminals })).toMatchObject({ exit: 11, questions: [] })
    expect(shop.bought()).toHaveLength(1)
  })

  test('is placed with --allow-duplicate', async () => {
    const { shop } = await killed()
    expect((await shop.asks([...unnamed, '--allow-duplicate'])).exit).toBe(0)
    expect(shop.bought()).toHaveLength(2)
  })

  test('is placed once the first is settled: an order that was completed is no obstacle', async () => {
    const { shop, id } = await killed()
    expect((await shop.asks(['reconcile'])).exit).toBe(0)
    const { exit, data } = await shop.asks(unnamed)
    expect({ exit, bought: shop.bought() }).toEqual({ exit: 0, bought: [id, data.uid] })
  })

  test.each([
    ['of another quantity', [...unnamed.slice(0, 2), 'GAME-US:25x3', ...unnamed.slice(3)]],
    ['from another wallet', [...unnamed.slice(0, 4), 'EUR', '--confirm']],
    ['with a reference of its own', [...unnamed, '--reference', 'po-2']],
  ])('%s is another order', async (_what, words) => {
    const { shop } = await killed()
    expect((await shop.asks(words)).exit).toBe(0)
    expect(shop.bought()).toHaveLength(2)
  })

  test('is not placed by the wizard either, if its reference was made up', async () => {
    const { shop } = await killed()
    const answers = ['GAME-US', '25', '2', false]
    const ran = await shop.runIn(['create'], { terminals, answers: [...answers, '', 'Enter', false] })
    expect(ran.questions).toContain('Order the same products again?')
    expect(ran.exit).toBe(130)
    expect(shop.bought()).toHaveLength(1)
  })
})
