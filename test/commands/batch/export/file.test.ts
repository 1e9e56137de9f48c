// batch export: the file is complete or absent, private, and overwrites nothing; the journal knows who has the codes.
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type Buyer, codesOf, openBuyer } from './buyer.ts'

const oneEach = {
  rows: [
    { sku: 'GAME-US', quote: '25', quantity: 2 },
    { sku: 'COFFEE-US', quote: '5' },
  ],
  slots: [1, 2, 2],
}

const bought = async () => {
  const buyer = await openBuyer(oneEach)
  await buyer.start()
  const orders = [await buyer.buy(1), await buyer.buy(2)] as const
  buyer.settle()
  return { ...buyer, orders }
}

const secretsOf = async (buyer: Buyer & { orders: readonly string[] }): Promise<string[]> => {
  const codes = await Promise.all(buyer.orders.map((order) => codesOf(buyer, order)))
  return codes.flatMap((each) => Object.values(each).flat())
}

const failure = (exit: number, message: string, advice: string) => ({
  exit,
  stdout: '',
  stderr: `error: ${message}\n${advice}\n`,
})

describe('the file', () => {
  test.each(['codes.csv', 'codes.JSONL', 'cards.html'])(
    '%s has every code, and no output has one',
    async (name) => {
      const buyer = await bought()
      const { exit, stdout, stderr } = await buyer.exports(name)
      expect({ exit, stdout, stderr }).toEqual({
        ...{ exit: 0, stdout: '' },
        stderr: `Wrote 3 cards with codes to ${buyer.pathOf(name)}, readable only by you (mode 0600)\n`,
      })
      const secrets = await secretsOf(buyer)
      expect(secrets).toHaveLength(3)
      expect(secrets.filter((secret) => !buyer.read(name).includes(secret))).toEqual([])
      expect(statSync(buyer.pathOf(name)).mode & 0o777).toBe(0o600)
      expect(buyer.files()).toEqual([name])
    },
  )

  test('is described without its mode on Windows', async () => {
    const buyer = await bought()
    const words = ['batch', 'export', 'orders', buyer.pathOf('codes.csv')]
    const { stderr } = await buyer.run(words, { platform: 'win32' })
    expect(stderr).toBe(`Wrote 3 cards with codes to ${buyer.pathOf('codes.csv')}\n`)
  })

  test('is described on stdout by --json, and by nothing with -q', async () => {
    const buyer = await bought()
    const { stdout, stderr } = await buyer.exports('codes.csv', '--json')
    expect(JSON.parse(stdout)).toEqual({
      ...{ file: buyer.pathOf('codes.csv'), cards: 3, delivered: 3, duplicate: 0 },
      ...{ failed: 0, open: 0, unknown: 0, cancelled: 0 },
    })
    const secrets = await secretsOf(buyer)
    expect(secrets.filter((secret) => `${stdout}${stderr}`.includes(secret))).toEqual([])
    expect(await buyer.exports('quiet.csv', '-q')).toMatchObject({ exit: 0, stdout: '', stderr: '' })
    expect(buyer.files()).toEqual(['codes.csv', 'quiet.csv'])
  })

  test('is not overwritten without --force', async () => {
    const { exports, pathOf, read, asked, files } = await bought()
    writeFileSync(pathOf('codes.csv'), 'mine', { mode: 0o644 })
    expect(await exports('codes.csv')).toMatchObject(
      failure(
        2,
        `${pathOf('codes.csv')} already exists`,
        'Use --force to overwrite it, or choose another file.',
      ),
    )
    expect([read('codes.csv'), asked]).toEqual(['mine', []])
    expect((await exports('codes.csv', '--force')).exit).toBe(0)
    expect(read('codes.csv')).toMatch(/^"sku",/)
    expect([statSync(pathOf('codes.csv')).mode & 0o777, files()]).toEqual([0o600, ['codes.csv']])
  })
})

describe('the journal', () => {
  test('records a reveal of each order whose codes are written', async () => {
    const { exports, listReveals, orders } = await bought()
    await exports('codes.csv')
    expect(await listReveals()).toMatchObject([
      { orderId: orders[1], skus: ['GAME-US', 'COFFEE-US'], how: 'export', who: 'tester' },
      { orderId: orders[0], skus: ['GAME-US'], how: 'export', who: 'tester' },
    ])
  })

  test('records them before the file is in place', async () => {
    const { exports, listReveals, pathOf, files, changeOrders } = await bought()
    // The file appears while the orders are read, so it cannot be put in place.
    changeOrders(() => writeFileSync(pathOf('codes.csv'), 'mine'))
    expect(await exports('codes.csv')).toMatchObject(
      failure(
        74,
        `cannot write ${pathOf('codes.csv')}: file already exists`,
        'Free some disk space, or choose another file. No partial file was left.',
      ),
    )
    expect([(await listReveals()).length, files(), readFileSync(pathOf('codes.csv'), 'utf8')]).toEqual([
      2,
      ['codes.csv'],
      'mine',
    ])
  })

  test('records nothing if no code is written', async () => {
    const buyer = await openBuyer(oneEach)
    await buyer.start()
    const [row] = await buyer.exported('codes.csv')
    expect(row).toMatchObject({ state: 'open', order_id: '', code: '' })
    expect(await buyer.listReveals()).toEqual([])
  })
})

describe('nothing is written', () => {
  test.each([
    [{ status: 404, headers: {}, body: '{"message":"Order not found."}' }, 6, /the service refused: /],
    [{ status: 401, headers: {}, body: '{}' }, 4, /the service rejected the credentials/],
    [{ status: 200, headers: {}, body: 'oops' }, 5, /no usable response: /],
  ])('if an order cannot be read: %j', async (response, code, reason) => {
    const { exports, refuse, orders, files, listReveals } = await bought()
    refuse(response, orders[1])
    const { exit, stdout, stderr } = await exports('codes.csv', '--json')
    expect([exit, stdout, files(), await listReveals()]).toEqual([code, '', [], []])
    expect(JSON.parse(stderr).error).toMatchObject({
      message: expect.stringMatching(/^cannot read the order orders-0002: /),
      orderId: orders[1],
    })
    expect(stderr).toMatch(reason)
    refuse(response)
    expect((await exports('codes.csv')).exit).toBe(0)
  })

  test('if the service shows another order under the id', async () => {
    const { exports, changeOrders, files, orders } = await bought()
    changeOrders((order) => {
      if (order.uid === orders[0]) order.reference = 'another'
    })
    expect(await exports('codes.csv')).toMatchObject({
      exit: 6,
      stderr: `error: cannot read the order orders-0001: the service shows a different order under the id ${orders[0]}: its reference is not orders-0001\n`,
    })
    expect(files()).toEqual([])
  })

  test.each([
    ['before the first response', 0, /^Interrupted\ntry: orderctl get \S+\n$/],
    ['with the last response', 2, /^Interrupted; no file was written\n$/],
  ])('after Ctrl-C %s', async (_when, responses, message) => {
    const { run, pathOf, changeOrders, files, listReveals } = await bought()
    const stop = new AbortController()
    let left = responses
    const response = (): void => {
      if (left === 0) stop.abort('SIGINT')
      left -= 1
    }
    response()
    changeOrders(response)
    const { exit, stderr } = await run(['batch', 'export', 'orders', pathOf('codes.csv')], {
      interrupted: stop.signal,
    })
    expect({ exit, stderr }).toEqual({ exit: 130, stderr: expect.stringMatching(message) })
    expect([files(), await listReveals()]).toEqual([[], []])
  })

  test('if the batch is not known, was never started, or was cancelled before', async () => {
    const { batch, batches, exports, files, pathOf, run, clock } = await openBuyer(oneEach)
    expect((await run(['batch', 'export', 'other', pathOf('codes.csv')])).exit).toBe(2)
    expect(await exports('codes.csv')).toMatchObject(
      failure(
        3,
        'the batch orders has no codes yet, because it was not started',
        'try: orderctl batch run orders',
      ),
    )
    await batches.recordCancel(batch.number, clock.now())
    expect(await exports('codes.csv')).toMatchObject({
      exit: 3,
      stderr: 'error: the batch orders has no codes, because it was cancelled before it was started\n',
    })
    expect(files()).toEqual([])
  })
})
