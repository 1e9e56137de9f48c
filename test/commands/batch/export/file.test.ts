// batch export: what it records before the file is in place, and Ctrl-C. export.session has the others.
import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { openBuyer } from './buyer.ts'

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

const failure = (exit: number, message: string, advice: string) => ({
  exit,
  stdout: '',
  stderr: `error: ${message}\n${advice}\n`,
})

describe('the journal', () => {
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
})
