// The main path three ways, in process, over a socket, by the built executable: create, confirm, get, redeem, watch.
import { describe, expect, test } from 'vitest'
import { openerFor, scrubbed, ways } from '../../support/customer.ts'

const id = 'sbx_1234567890abcdef'
const where = 'where it acts\n'
const placed = `created ${id} (reference ref-1): 25.00 USD from the USD wallet, expires in 9 min\n`
const masked = `Codes are hidden. Show them: orderctl redeem ${id} --reveal\n`
const line = { sku: 'GAME-US', productType: 'fixed', quote: 25, quantity: 2 }
const order = { productList: [line], wallet: 'USD', reference: 'from-the-file' }
const epoch = { _seconds: 0, _nanoseconds: 0 }

const ok = (stdout: string, stderr = '') => ({ exit: 0, stdout, stderr })
const error = (exit: number, message: string, fix: string, before = '') => ({
  exit,
  stdout: '',
  stderr: `${before}error: ${message}\ntry: ${fix}\n`,
})
const parsed = ({ exit, stdout, stderr }: { exit: number | undefined; stdout: string; stderr: string }) => ({
  exit,
  stderr,
  document: JSON.parse(stdout),
})

const invoice = (quantity: number, status: string) => ({
  total: 25 * quantity,
  wallet: 'USD',
  records: [
    {
      total: { USD: 25 * quantity },
      sku: 'GAME-US',
      items: [
        {
          type: 'main-product',
          description: `${quantity} x Quorvane Games 25 USD`,
          effect: { amount: 25 * quantity, currency: 'USD' },
          metaData: { quantity, quote: 25 },
        },
      ],
    },
  ],
  paymentMethod: 'balance',
  status,
})

const product = (quantity: number) => ({
  sku: 'GAME-US',
  request: { quote: 25, quantity },
  customerDeal: {
    dealState: 'ACTIVE',
    fee: { amount: 0, adjustmentMode: 'percentage' },
    discount: { amount: 0, adjustmentMode: 'percentage' },
  },
  shopItem: {
    country: 'US',
    quote: 25,
    name: 'Quorvane Games 25 USD',
    region: 'local',
    productType: 'fixed',
    baseCurrency: 'USD',
  },
})

describe.each(ways)('%s', { concurrent: true, timeout: 30_000 }, (_name, way) => {
  const open = openerFor(way)

  describe('create', () => {
    const created = {
      id,
      exchangeRates: [],
      invoice: invoice(2, 'unpaid'),
      retailInvoice: invoice(2, 'unpaid'),
      expiresAt: 0,
    }

    test('from flags answers the documented data and the reference, and says where it acts', async () => {
      const { does, flags } = await open()
      expect(parsed(await does('create', ...flags(['GAME-US:25x2']), '--json'))).toEqual({
        exit: 0,
        stderr: where,
        document: { ...created, reference: 'ref-1' },
      })
    })

    test('from a file is the same order', async () => {
      const { does, file } = await open()
      expect(parsed(await does('create', file(JSON.stringify(order)), '--json'))).toEqual({
        exit: 0,
        stderr: where,
        document: { ...created, reference: 'from-the-file' },
      })
    })

    test('from standard input is the same order', async () => {
      const { run } = await open()
      const ran = await run(['create', '-', '--json'], { input: JSON.stringify(order) })
      expect(parsed(scrubbed(ran))).toEqual({
        exit: 0,
        stderr: where,
        document: { ...created, reference: 'from-the-file' },
      })
    })

    test('makes a reference up where flags name none', async () => {
      const { run } = await open()
      const { stdout } = await run(['create', '--product', 'GAME-US:25', '--wallet', 'USD', '--json'])
      expect(JSON.parse(stdout).reference).toMatch(/^orderctl-\d{4}-\d\d-\d\d-[\da-f]{12}$/)
    })

    test('with -q prints the id alone', async () => {
      const { does, flags } = await open()
      expect(await does('create', ...flags(['GAME-US:25']), '-q')).toEqual(ok(`${id}\n`))
    })

    test('with --fields prints those alone', async () => {
      const { does, flags } = await open()
      const ran = await does('create', ...flags(['GAME-US:25']), '--json', '--fields', 'id,invoice.total')
      expect(parsed(ran)).toEqual({ exit: 0, stderr: where, document: { id, invoice: { total: 25 } } })
    })

    test('--confirm prints the confirmed order, and says on the way which it is', async () => {
      const { does, flags } = await open()
      const ran = await does(
        ...[
          'create',
          ...flags(['GAME-US:25']),
          '--confirm',
          '--json',
          '--fields',
          'uid,state,invoice.status',
        ],
      )
      expect(parsed(ran)).toEqual({
        exit: 0,
        stderr: `${where}${placed}`,
        // It moves on by itself, and on a busy machine before it is looked at.
        document: {
          uid: id,
          state: expect.stringMatching(/^(confirmed|processing)$/),
          invoice: { status: 'paid' },
        },
      })
    })

    test('--watch confirms too, waits, and prints the final order alone, masked', async () => {
      const { does, flags } = await open()
      const ran = await does('create', ...flags(['GAME-US:25']), '--watch', '--json')
      expect(parsed(ran)).toMatchObject({
        exit: 0,
        stderr: `${where}${placed}`,
        document: {
          uid: id,
          state: 'successful',
          products: { 'GAME-US': product(1) },
          exchangeRates: [],
          invoice: invoice(1, 'paid'),
          createdDate: epoch,
          modifiedDate: epoch,
          reference: 'ref-1',
          redeem: {
            'GAME-US': {
              cards: [
                {
                  redeemLink: 'redeem.example/…',
                  redeemCardCode: '••••XXXX',
                  redeemSerialNumber: '••••XXXX',
                  redeemPin: '••••',
                },
              ],
            },
          },
        },
      })
    })

    test('--confirm --watch says each change on stderr; its result is the order with its cards', async () => {
      const { does, flags } = await open()
      const { exit, stdout, stderr } = await does(
        ...['create', ...flags(['GAME-US:25']), '--confirm', '--watch'],
      )
      expect(exit).toBe(0)
      // A busy machine may miss a state; none comes twice, and none out of order.
      expect(stderr.replace(`${where}${placed}`, '').replace(masked, '')).toMatch(
        /^(sbx_\w+ {2}… confirmed {2}after 0 s\n)?(sbx_\w+ {2}… processing {2}after 0 s\n)?sbx_\w+ {2}✓ successful {2}after 0 s\n$/,
      )
      expect(stdout).toMatch(/^Order /)
      expect(stdout).toMatch(
        /GAME-US {2}25\.00 USD {2}••••XXXX {2}•••• {2}••••XXXX {2}redeem\.example\/… {2}/,
      )
    })

    test.each([
      ['TEST-FAIL:10', 7, 'failed'],
      ['TEST-REJECT:10', 7, 'rejected'],
    ])('--watch of %s ends with exit code %i', async (sku, exit, state) => {
      const { does, flags } = await open()
      const ran = await does('create', ...flags([sku]), '--watch', '--json', '--fields', 'state')
      expect(parsed(ran)).toEqual({
        exit,
        stderr: `${where}${placed.replace('25', '10')}`,
        document: { state },
      })
    })

    test('--watch takes a get that does not find the order yet for a passing error, not for the end', async () => {
      const { does, flags } = await open()
      const ran = await does(
        ...['create', ...flags(['TEST-NOT-FOUND-LATER:10']), '--watch', '--json', '--fields', 'state'],
      )
      expect(parsed(ran)).toEqual({
        exit: 0,
        stderr: `${where}${placed.replace('25', '10')}warning: cannot read ${id}: Not Found. Trying again.\n`,
        document: { state: 'successful' },
      })
    })

    test('--confirm of what costs more than --max-total leaves it unconfirmed', async () => {
      const { does, flags } = await open()
      const ran = await does(
        ...['create', ...flags(['GAME-US:25']), '--confirm', '--max-total', '24.99', '-q'],
      )
      expect(ran).toEqual(
        error(
          3,
          `the order ${id} costs 25.00 USD, more than --max-total 24.99; it was not confirmed`,
          `Raise the limit: orderctl confirm ${id} --max-total AMOUNT. If you do nothing, it expires and costs nothing.`,
          '',
        ),
      )
    })
  })

  describe('confirm', () => {
    const already = (state: string) =>
      error(
        3,
        `the order ${id} is already confirmed (${state})`,
        `Show it: orderctl get ${id}. To succeed in this case, use --idempotent.`,
        where,
      )

    test('does not ask in a script, and prints the confirmed order', async () => {
      const { created, does } = await open()
      const ran = await does('confirm', await created('GAME-US:25x2'), '--json')
      expect(parsed(ran)).toEqual({
        exit: 0,
        stderr: where,
        document: {
          uid: id,
          state: 'confirmed',
          products: { 'GAME-US': product(2) },
          exchangeRates: [],
          invoice: invoice(2, 'paid'),
          createdDate: epoch,
          modifiedDate: epoch,
          redeem: {},
          reference: 'ref-1',
        },
      })
    })

    test('shows on stderr what will be spent; -q says nothing but the id', async () => {
      const { created, does } = await open()
      expect((await does('confirm', await created('GAME-US:25'))).stderr).toMatch(
        /^where it acts\nOrder {6}sbx_1234567890abcdef\n(?:.*\n)*expires in 9 min \(estimated\)\n$/,
      )
      const another = await created('GAME-US:25')
      expect(await does('confirm', another, '--allow-duplicate', '-q')).toEqual(ok(`${id}\n`))
    })

    test('a second time is refused, unless it is idempotent', async () => {
      const { confirmed, does } = await open()
      const order = await confirmed('TEST-SLOW:10')
      expect(await does('confirm', order)).toEqual(already('confirmed'))
      expect(await does('confirm', order, '--idempotent', '-q')).toEqual(ok(`${id}\n`))
      expect((await does('confirm', order, '--idempotent')).stderr).toContain(
        'The order was already confirmed.\n',
      )
    })

    test('of an order that has ended names its end', async () => {
      const { ended, does } = await open()
      expect(await does('confirm', await ended('TEST-REJECT:10'))).toEqual(already('rejected'))
    })

    test('of one that is dearer than --max-total spends nothing', async () => {
      const { created, does, must } = await open()
      const order = await created('GAME-US:25')
      expect(await does('confirm', order, '--max-total', '24.99')).toEqual(
        error(
          3,
          `the order ${id} costs 25.00 USD, more than --max-total 24.99; it was not confirmed`,
          `Raise the limit: orderctl confirm ${id} --max-total AMOUNT. If you do nothing, it expires and costs nothing.`,
          where,
        ),
      )
      expect(JSON.parse(await must('get', order, '--json', '--fields', 'state'))).toEqual({
        state: 'created',
      })
      expect((await does('confirm', order, '--max-total', '25', '-q')).exit).toBe(0)
    })

    test('of one that expires sooner than --min-validity spends nothing', async () => {
      const { created, run, must, does } = await open()
      const order = await created('GAME-US:25')
      const { exit, stdout, stderr } = await does('confirm', order, '--min-validity', '11m')
      expect({ exit, stdout, stderr }).toEqual(
        error(
          3,
          `the order ${id} expires in 9 min, sooner than --min-validity 11 min; it was not confirmed`,
          'Create it again, and confirm it earlier.',
          where,
        ),
      )
      expect(JSON.parse(await must('get', order, '--json', '--fields', 'state'))).toEqual({
        state: 'created',
      })
      expect((await run(['confirm', order, '--min-validity', '9m', '-q'])).exit).toBe(0)
    })

    test('of an unknown order is refused', async () => {
      expect(await (await open()).does('confirm', 'ord_nobody')).toEqual(
        error(
          3,
          'order ord_nobody: the service refused: Not Found',
          'Check the order id and the profile.',
          where,
        ),
      )
    })

    test('--watch waits for the end', async () => {
      const { created, does } = await open()
      const ran = await does(
        ...['confirm', await created('TEST-FAIL:10'), '--watch', '--json', '--fields', 'uid,state'],
      )
      expect(parsed(ran)).toEqual({ exit: 7, stderr: where, document: { uid: id, state: 'failed' } })
    })
  })

  describe('get', () => {
    test('prints one document for one order, one a line for several', async () => {
      const { created, run } = await open()
      const [one, two] = [await created('GAME-US:25'), await created('GAME-US:25x3')]
      const single = await run(['get', one, '--json', '--fields', 'uid,invoice.total'])
      expect(parsed(single)).toEqual({ exit: 0, stderr: '', document: { uid: one, invoice: { total: 25 } } })
      expect(await run(['get', one, two, '--json', '--fields', 'uid,invoice.total'])).toEqual(
        ok(`{"uid":"${one}","invoice":{"total":25}}\n{"uid":"${two}","invoice":{"total":75}}\n`),
      )
      expect(await run(['get', two, one, '-q'])).toEqual(ok(`${two}\n${one}\n`))
    })

    test('prints the order as the service documents it', async () => {
      const { created, does } = await open()
      expect(parsed(await does('get', await created('GAME-US:25'), '--json'))).toEqual({
        exit: 0,
        stderr: '',
        document: {
          uid: id,
          state: 'created',
          products: { 'GAME-US': product(1) },
          exchangeRates: [],
          invoice: invoice(1, 'unpaid'),
          createdDate: epoch,
          modifiedDate: epoch,
          redeem: {},
          reference: 'ref-1',
        },
      })
    })

    test('--explain says in words what happened, what it cost and what to do next', async () => {
      const { ended, does } = await open()
      const order = await ended('GAME-US:25', 'TEST-FAIL:10')
      const { exit, stdout, stderr } = await does('get', order, '--explain')
      expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' })
      expect(stdout).toMatch(/^Order sbx_1234567890abcdef, reference ref-1: partial/)
      expect(stdout).toContain('\nWhat happened\n- GAME-US (Quorvane Games 25 USD), 1 ordered at 25.00 USD: ')
      expect(stdout).toContain('\n- TEST-FAIL (')
      expect(stdout).toContain('\nMoney\n')
      expect(stdout).toContain('\nWhat to do next\n')
    })

    test('of an unknown order is refused', async () => {
      expect(await (await open()).does('get', 'ord_nobody')).toEqual(
        error(3, 'order ord_nobody: the service refused: Not Found', 'Check the order id and the profile.'),
      )
    })
  })

  describe('redeem', () => {
    const masked = 'Codes are hidden. Show them with --reveal.\n'

    test('has nothing before the order is confirmed, and says what to type', async () => {
      const { created, does } = await open()
      expect(await does('redeem', await created('GAME-US:25'))).toEqual(
        error(3, 'the order has no cards yet, because it is created', `orderctl confirm ${id}`),
      )
    })

    test('has nothing while the order is being processed', async () => {
      const { confirmed, does } = await open()
      expect(await does('redeem', await confirmed('TEST-SLOW:10'))).toEqual(
        error(3, 'the order has no cards yet, because it is confirmed', `orderctl watch ${id}`),
      )
    })

    test.each([
      ['TEST-FAIL:10', 'failed'],
      ['TEST-REJECT:10', 'rejected'],
    ])('of %s has none and never will', async (sku, state) => {
      const { ended, does } = await open()
      expect(await does('redeem', await ended(sku))).toEqual(
        error(
          7,
          `the order has no cards, because its final state is ${state}`,
          `orderctl get ${id} --explain`,
        ),
      )
    })

    const onlyForms = [
      ['code', /^SANDBOX(-[\dA-Z]{4}){4}\n$/, '••••XXXX\n'],
      ['pin', /^\d{4,}\n$/, '••••\n'],
      ['serial', /^\d{6,}\n$/, '••••XXXX\n'],
      ['link', /^https:\/\/redeem\.example\/\S+\n$/, 'redeem.example/…\n'],
    ] as const

    test('masks in every format; --reveal shows', async () => {
      const { ended, must, run, does } = await open()
      const order = await ended('GAME-US:25')
      const secrets: string[] = []
      for (const [only, form] of onlyForms) {
        const shown = await run(['redeem', order, '--only', only, '--reveal'])
        expect(shown).toEqual(ok(expect.stringMatching(form) as unknown as string))
        secrets.push(shown.stdout.trim())
      }
      const masks = await Promise.all(onlyForms.map(([only]) => does('redeem', order, '--only', only)))
      expect(masks).toEqual(onlyForms.map(([, , hidden]) => ok(hidden, masked)))
      const ways = [
        ['redeem', order],
        ['redeem', order, '--json'],
        ['redeem', order, '--debug'],
        ['get', order],
        ['get', order, '--json'],
        ['get', order, '--explain'],
        ['watch', order],
        ['watch', order, '--json'],
      ]
      const leaks = await Promise.all(
        ways.map(async (words) => {
          const { exit, stdout, stderr } = await run(words)
          return { words, exit, seen: secrets.filter((each) => (stdout + stderr).includes(each)) }
        }),
      )
      expect(leaks).toEqual(ways.map((words) => ({ words, exit: 0, seen: [] })))
      const screen = await must('redeem', order, '--reveal')
      const json = await must('redeem', order, '--reveal', '--json')
      const [code = '', pin = '', serial = '', link = ''] = secrets
      expect([code, pin, serial].filter((each) => !screen.includes(each))).toEqual([])
      expect(JSON.parse(json).redeem['GAME-US'].cards).toMatchObject([
        { redeemCardCode: code, redeemPin: pin, redeemSerialNumber: serial, redeemLink: link },
      ])
    })

    test('of a part exits 8 and says how many are missing', async () => {
      const { ended, does } = await open()
      const order = await ended('GAME-US:25', 'TEST-FAIL:10')
      const { exit, stdout, stderr } = await does('redeem', order, '--only', 'code')
      expect({ exit, stdout }).toEqual({ exit: 8, stdout: '••••XXXX\n' })
      expect(stderr).toMatch(/^Codes are hidden. Show them with --reveal.\n.*TEST-FAIL.*\n$/)
    })

    test('--sku narrows, what it asks for and what it misses', async () => {
      const { ended, does } = await open()
      const order = await ended('GAME-US:25', 'TEST-FAIL:10')
      expect(await does('redeem', order, '--sku', 'GAME-US', '--only', 'code')).toEqual(
        ok('••••XXXX\n', masked),
      )
      expect(await does('redeem', order, '--sku', 'TEST-FAIL')).toEqual(
        error(8, 'the order has no cards for these products', `orderctl get ${id} --explain`),
      )
      expect(await does('redeem', order, '--sku', 'GAME-DE')).toEqual(
        error(2, 'the order does not contain GAME-DE', 'Use a SKU of the order: GAME-US, TEST-FAIL'),
      )
    })
  })

  describe('watch', () => {
    test('of one that has ended prints its state; with -q the id', async () => {
      const { ended, does } = await open()
      const order = await ended('GAME-US:25')
      expect(await does('watch', order)).toEqual(ok(`${id}  ✓ successful  after 0 s\n`, masked))
      expect(await does('watch', order, '-q')).toEqual(ok(`${id}\n`))
    })

    test('with --json streams an object a change, in the order of the states', async () => {
      const { confirmed, does } = await open()
      const ran = await does('watch', await confirmed('GAME-US:25'), '--json', '--fields', 'uid,state')
      const object = (state: string) => `\\{"uid":"${id}","state":"${state}"\\}\n`
      const stream = `^(${object('confirmed')})?(${object('processing')})?${object('successful')}$`
      expect(ran).toEqual(ok(expect.stringMatching(new RegExp(stream)) as unknown as string))
    })

    test.each([
      ['all well', ['GAME-US:25'], ['GAME-US:25'], 0],
      ['a part', ['GAME-US:25'], ['GAME-US:25', 'TEST-FAIL:10'], 8],
      ['one failed, one partial', ['TEST-FAIL:10'], ['GAME-US:25', 'TEST-FAIL:10'], 7],
      ['one rejected', ['TEST-REJECT:10'], ['GAME-US:25'], 7],
    ])('of several ends with the code of the worst: %s', async (_case, one, two, exit) => {
      const { confirmed, advance, run } = await open()
      const ids = [await confirmed(...one), await confirmed(...two)]
      await advance('5s')
      expect(await run(['watch', ...ids, '-q'])).toEqual({ exit, stdout: `${ids.join('\n')}\n`, stderr: '' })
    })

    test('stops waiting at its time-out for a state that nobody documented', async () => {
      const { ended, does } = await open()
      const order = await ended('TEST-ODD-STATE:10')
      expect(await does('watch', order, '--timeout', '300ms', '--interval', '100ms', '-q')).toEqual(
        error(124, `timed out; not final yet: ${id}`, `Keep watching: orderctl watch ${id}`),
      )
    })

    test('--for ends at that state, or past it', async () => {
      const { confirmed, created, advance, does } = await open()
      const slow = await confirmed('TEST-SLOW:10')
      expect(await does('watch', slow, '--for', 'confirmed', '-q')).toEqual(ok(`${id}\n`))
      await advance('16s')
      expect(await does('watch', slow, '--for', 'confirmed', '-q')).toEqual(ok(`${id}\n`))
      const order = await created('GAME-US:25')
      expect((await does('watch', order, '--for', 'confirmed', '--timeout', '100ms', '-q')).exit).toBe(124)
      // What ends otherwise keeps its own exit code: a paid order is no failure.
      await advance('60s')
      expect(await does('watch', slow, '--for', 'failed', '-q')).toEqual(
        ok(
          `${id}\n`,
          `warning: the final state of the order ${id} is successful, so it will not become failed\n`,
        ),
      )
    })

    test('of one that nobody confirmed in its time ends', async () => {
      const { created, advance, does } = await open()
      const order = await created('GAME-US:25')
      await advance('16m')
      expect(await does('watch', order, '-q')).toEqual({ exit: 10, stdout: `${id}\n`, stderr: '' })
      const { exit, stderr } = await does('watch', order)
      expect({ exit, stderr }).toEqual({
        exit: 10,
        stderr: expect.stringContaining(`The order ${id} was not confirmed in time and has expired\n`),
      })
    })

    test('of an unknown order is refused at once', async () => {
      expect(await (await open()).does('watch', 'ord_nobody')).toEqual(
        error(3, 'order ord_nobody: the service refused: Not Found', 'Check the order id and the profile.'),
      )
    })

    test('in a mix of known and unknown orders is refused', async () => {
      const { created, does } = await open()
      expect((await does('watch', await created('GAME-US:25'), 'ord_nobody', '-q')).exit).toBe(3)
    })
  })

  test('an order past its ten minutes is not confirmed', async () => {
    const { created, advance, does, run } = await open()
    const order = await created('GAME-US:25')
    await advance('11m')
    const { exit, stdout, stderr } = await does('confirm', order, '--json')
    expect({ exit, stdout, ...JSON.parse(stderr.split('\n').at(-2) ?? '') }).toEqual({
      exit: 10,
      stdout: '',
      error: {
        // Over a socket the sandbox's clock is not the one in the Date header: there the service says so itself.
        ...JSON.parse(stderr.split('\n').at(-2) ?? '').error,
        code: 'expired',
        message: `the order ${id} has expired unconfirmed`,
        safeFrom: 'an ISO time',
        fix: `Ordering again is safe from an ISO time, after orderctl reconcile ${id}`,
        orderId: id,
        retryable: false,
      },
    })
    expect((await run(['confirm', order, '--idempotent'])).exit).toBe(10)
  })
})
