// An order with a damaged row: every other order is still there, and a warning says which order is damaged.
import path from 'node:path'
import { expect, test } from 'vitest'
import { damageFile } from '../support/without-triggers.ts'
import { openWorld, order } from '../support/world.ts'

test.each([
  ['a request that is cut off', `request = '{"productList":[{"sku"'`],
  ['a request without products', `request = '{}'`],
  ['a product without its quote', `request = '{"productList":[{"sku":"A"}]}'`],
  ['an integer above 2^53', 'changed_at = 1152921504606846976'],
  ['a time that no calendar has', 'placed_at = -9000000000000000'],
  ['a time that is text', `placed_at = 'yesterday'`],
  ['a time that is missing', 'placed_at = NULL'],
  ['a reference that is bytes', `reference = x'ff00'`],
  ['a standing that is missing', 'standing = NULL'],
  ['a charge that is no amount', `charged = '25.00 USD'`],
])('with %s', async (_name, change) => {
  const { home, calls, id, must, run } = await openWorld()
  const [first, damaged, last] = [
    await id(...order),
    await id(...order.with(6, 'po-2')),
    await id(...order.with(6, 'po-3')),
  ]
  damageFile(path.join(home, 'state', 'journal.db'), `UPDATE orders SET ${change} WHERE number = 2`)
  const warning = `${damaged} (entry 2) is damaged in the journal: cannot read ${change.split(' ')[0]}`
  // The TAB key offers the others, and prints nothing else.
  const tab = await run(['__complete', '--', 'get', ''])
  expect({ ...tab, stdout: [first, last].every((each) => tab.stdout.includes(each)) }).toEqual({
    ...{ exit: 0, stdout: true, stderr: '' },
  })
  expect(await must('get', '@last', '-q')).toBe(`${last}\n`)
  expect(await must('get', damaged, '-q')).toBe(`${damaged}\n`)
  for (const words of [['list'], ['list', '--json'], ['list', '--refresh']]) {
    const { exit, stdout, stderr } = await run(words)
    expect([exit, stderr.split(warning).length]).toEqual([0, 2])
    for (const each of [first, damaged, last]) expect(stdout).toContain(each)
  }
  for (const each of [first, last]) await calls.confirm(each)
  const settled = JSON.parse((await run(['reconcile', '--json'])).stdout)
  for (const each of [first, last])
    expect(settled).toContainEqual(
      expect.objectContaining({
        id: each,
        state: expect.stringMatching(/^(confirmed|processing|successful)$/),
      }),
    )
})
