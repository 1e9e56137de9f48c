// redeem: the cards of an order, hidden unless --reveal is set, and what it prints if there are none.
import { describe, expect, test } from 'vitest'
import { on, openWorld, order, overNetwork } from '../../support/world.ts'

const hidden = 'Codes are hidden. Show them with --reveal.\n'

const bought = async (...products: string[]) => {
  const shop = await openWorld(overNetwork)
  const lines = products.flatMap((product) => ['--product', product])
  const { stdout } = await shop.runIn(['create', ...lines, '--wallet', 'USD', '--watch', '-q'])
  return { shop, id: stdout.trim() }
}

describe('an order without cards', () => {
  test.each([
    [
      'that is not confirmed',
      'GAME-US:25',
      [],
      3,
      'no cards yet. It is created: not confirmed yet, nothing spent',
      'confirm ORDER',
      'If you do nothing, it expires and costs nothing.\n',
    ],
    [
      'in progress',
      'TEST-SLOW:10',
      ['--confirm'],
      124,
      'no cards yet. It is confirmed: paid, in progress',
      'watch ORDER',
      '',
    ],
    [
      'that failed',
      'TEST-FAIL:10',
      ['--watch'],
      7,
      'no cards, because its final state is failed',
      'get ORDER --explain',
      '',
    ],
    [
      'that was rejected',
      'TEST-REJECT:10',
      ['--watch'],
      7,
      'no cards, because its final state is rejected',
      'get ORDER --explain',
      '',
    ],
  ])('%s', async (_what, product, flags, exit, message, fix, advice) => {
    const shop = await openWorld(overNetwork)
    const id = (
      await shop.runIn(['create', '--product', product, '--wallet', 'USD', '-q', ...flags])
    ).stdout.trim()
    expect(await shop.runIn(['redeem', id])).toMatchObject({
      exit,
      stdout: '',
      stderr: `error: the order has ${message}\ntry: orderctl ${fix.replace('ORDER', id)}\n${advice}`,
    })
  })

  test('whose confirm may have spent money', async () => {
    const shop = await openWorld(overNetwork)
    const id = await shop.id(...order)
    shop.through(on('confirm', () => Promise.reject(new Error('connection reset'))))
    await shop.runIn(['confirm', id])
    const { exit, error } = await shop.asks(['redeem', id])
    expect([exit, error.code]).toEqual([6, 'unknown'])
    expect(error.advice).toContain('Do not order again.')
  })
})

const forms = [
  ['code', /^SANDBOX(-[\dA-Z]{4}){4}\n$/, /^••••[\dA-Z]{4}\n$/],
  ['pin', /^\d{4,}\n$/, /^••••\n$/],
  ['serial', /^\d{6,}\n$/, /^••••\w{4}\n$/],
  ['link', /^https:\/\/redeem\.example\/\S+\n$/, /^redeem\.example\/…\n$/],
] as const

test('codes, PINs, serial numbers and links are hidden in every format; --reveal shows them', async () => {
  const { shop, id } = await bought('GAME-US:25')
  const secrets: string[] = []
  for (const [only, form, masked] of forms) {
    const { stdout, ...ran } = await shop.runIn(['redeem', id, '--only', only, '--reveal'])
    expect([ran.exit, ran.stderr, stdout]).toEqual([0, '', expect.stringMatching(form)])
    secrets.push(stdout.trim())
    const without = await shop.runIn(['redeem', id, '--only', only])
    expect([without.exit, without.stderr, without.stdout]).toEqual([0, hidden, expect.stringMatching(masked)])
  }
  for (const words of [
    ...[['redeem'], ['redeem', '--json'], ['redeem', '--debug'], ['get'], ['get', '--json']],
    ...[['get', '--explain'], ['watch'], ['watch', '--json']],
  ]) {
    const { exit, stdout, stderr } = await shop.runIn([...words, id])
    const seen = secrets.filter((each) => (stdout + stderr).includes(each))
    expect({ words, exit, seen }).toEqual({ words, exit: 0, seen: [] })
    if (words.includes('--json')) expect({ words, stderr }).toEqual({ words, stderr: '' })
  }
  const [code = '', pin = '', serial = '', link = ''] = secrets
  const screen = await shop.must('redeem', id, '--reveal')
  expect([code, pin, serial].filter((each) => !screen.includes(each))).toEqual([])
  const { data } = await shop.asks(['redeem', id, '--reveal'])
  expect(data.redeem['GAME-US'].cards).toMatchObject([
    { redeemCardCode: code, redeemPin: pin, redeemSerialNumber: serial, redeemLink: link },
  ])
})

test('a partial order ends with exit code 8, unless --sku selects what was delivered', async () => {
  const { shop, id } = await bought('GAME-US:25', 'TEST-FAIL:10')
  const redeem = (...flags: string[]) => shop.runIn(['redeem', id, ...flags])
  expect(await redeem('--only', 'code')).toMatchObject({
    exit: 8,
    stdout: expect.stringMatching(/^••••[\dA-Z]{4}\n$/),
    stderr: `${hidden}missing: TEST-FAIL: 1 ordered, no card received\n`,
  })
  expect(await redeem('--sku', 'GAME-US', '--only', 'code')).toMatchObject({ exit: 0, stderr: hidden })
  expect(await redeem('--sku', 'TEST-FAIL')).toMatchObject({
    exit: 8,
    stderr: `error: the order has no cards for these products\ntry: orderctl get ${id} --explain\n`,
  })
  expect(await redeem('--sku', 'GAME-DE')).toMatchObject({
    exit: 2,
    stderr: 'error: the order does not contain GAME-DE\nUse a SKU of the order: GAME-US, TEST-FAIL\n',
  })
})
