// The inspector's page in Chromium: what it shows and does, by mouse and by keyboard.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Browser, noChromium, startChromium } from '../../support/chromium.ts'
import { secretsOf } from '../../support/embedded.ts'
import { folder } from '../../support/orderctl.ts'
import { openReceiver } from '../webhooks/webhook-receiver.ts'
import { openInspector } from './opened-page.ts'

const isCurlThere = (): boolean => {
  try {
    execFileSync('curl', ['--version'], { stdio: 'pipe' })
    return true
  } catch {
    return false
  }
}

describe.skipIf(noChromium !== '')(`the inspector in Chromium${noChromium}`, { timeout: 60_000 }, () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await startChromium()
  })
  afterAll(() => browser?.close())

  test('a request is listed, opens with its answer, and its codes are hidden until they are clicked', async () => {
    const { page, created, confirmed, get, click, shows, textOf } = await openInspector(browser, [
      '--processing-time',
      '0',
    ])
    await created(['GAME-DE'])
    const id = await confirmed(['GAME-US', 'MUSIC-KW'], { reference: 'team-lunch' })
    const secrets = secretsOf((await get(id)).data.redeem)
    await page.until(`document.querySelectorAll('.row').length === 4`)
    await click('.row', `/order/get?orderId=${id}`)
    await shows('#exchange-title', `GET /order/get?orderId=${id}`)
    await shows('#exchange-body', 'Status 200')
    await page.until(`document.querySelector('.timeline')`)
    const shownOf = async () => {
      const html: string = await page.evaluate('document.documentElement.outerHTML')
      return secrets.filter((secret) => html.includes(secret))
    }
    expect(await shownOf()).toEqual([])
    expect(await page.evaluate(`document.querySelectorAll('#exchange-body pre .mask').length`)).toBe(
      secrets.length,
    )

    await click('#exchange-body [aria-label="Show redeemCardCode"]')
    expect(await shownOf()).toHaveLength(1)
    await click('#exchange-body .mask.shown')
    expect(await shownOf()).toEqual([])
    await click('button', 'Show all codes')
    expect(await shownOf()).toEqual(secrets)
    await click('button', 'Hide all codes')
    expect(await shownOf()).toEqual([])
    expect(await textOf('#exchange-body')).not.toContain('sandbox')
    expect(page.problems).toEqual([])
  })

  test('codes in JSON that was cut off are hidden too', async () => {
    const { page, raw, click, textOf } = await openInspector(browser)
    const body =
      '{"redeemPin": ["SECRET-1", "SECRET-2"], "cards": [{"redeemCardCode":"SECRET-3", "other": "shown", ' +
      '"redeemLink": {"deep": "SECRET-4"}}, {"redeemSerialNumber" : "SECRET-\\"5'
    await raw('POST', '/order/create', { body })
    await click('#request-1')
    await page.until(`document.querySelectorAll('#exchange-body pre .mask').length > 0`)
    expect(await page.evaluate('document.documentElement.outerHTML')).not.toContain('SECRET')
    expect(await textOf('#exchange-body pre')).toContain('"other": "shown"')
    await click('button', 'Show all codes')
    // Nothing of the body is changed or left out.
    expect(await textOf('#exchange-body pre')).toBe(body)
  })

  test('the order has a time line, its requests and its webhooks', async () => {
    await using receiver = await openReceiver(204)
    const { page, created, confirm, click, shows, textOf, mock } = await openInspector(browser, [
      '--processing-time',
      '1h',
    ])
    const id = await created(['GAME-US'], { reference: 'team-lunch', webhookUrl: receiver.url })
    await click('.row', '/order/create')
    await shows('.timeline', 'expires')
    expect(await textOf('.timeline')).toMatch(/^created \d\d:\d\d:\d\d\nexpires \d\d:\d\d:\d\d \(expected\)$/)
    await confirm(id)
    await shows('.timeline', 'final state')
    expect(await textOf('.timeline')).toMatch(
      /^created \S+\nconfirmed \S+\nprocessing \S+ \(expected\)\nfinal state \S+ \(expected\)$/,
    )
    await mock('POST', '/clock', { advance: '20m' })
    await page.until(`/processing [^\\n(]+\\n/.test(document.querySelector('.timeline').innerText)`)
    await mock('POST', '/clock', { advance: '1h' })
    await shows('.timeline', 'successful')
    expect(await textOf('.timeline')).not.toContain('expected')
    await shows('#order-body', 'team-lunch')
    await shows('#order-body', 'PUT /order/confirm')
    await shows('#order-body li', 'final delivered')
    await click('#order-body button', 'PUT /order/confirm')
    await shows('#exchange-title', 'PUT /order/confirm')
  })

  test('wallets, stock and orders follow the service', async () => {
    const { confirmed, shows, textOf, click } = await openInspector(browser)
    await shows('#wallets', '1,000,000')
    const before = /BOOK-FR\s+(\d+)/.exec(await textOf('#stock'))?.[1]
    await confirmed(['BOOK-FR'], { wallet: 'EUR', reference: 'a book' })
    await shows('#wallets', '999,987.5')
    await shows('#stock', `BOOK-FR\t${Number(before) - 1}`)
    await click('#orders button', 'a book')
    await shows('#order-body', 'BOOK-FR')
    await shows('#order-body', 'POST /order/create')
  })

  test('a webhook is sent again', async () => {
    await using receiver = await openReceiver(500, 204)
    const { confirmed, click, shows, page } = await openInspector(browser, ['--processing-time', '1h'])
    await confirmed(['GAME-US'], { webhookUrl: receiver.url })
    await shows('#deliveries', '500')
    await click('#deliveries button', 'Send again')
    await shows('#deliveries', 'delivered')
    await shows('#notice', 'serve-mock is sending the webhook again.')
    const count = receiver.received.length
    await click('#deliveries button', 'Send again')
    await page.until(`document.querySelectorAll('#deliveries ol li').length > ${count}`)
    expect(receiver.received.length).toBeGreaterThan(count)
  })

  test('the clock advances, and a wrong duration is explained', async () => {
    const { page, created, confirm, fill, click, shows, mock } = await openInspector(browser)
    const id = await created(['GAME-US'])
    await fill('advance', '1h30m')
    await click('#clock-form button')
    await shows('#clock-offset', 'advanced by 1h 30m')
    expect((await mock('GET', '/state')).data.clockOffsetMs).toBe(5_400_000)
    expect((await confirm(id)).status).toBe(419)
    await fill('advance', 'soon')
    await click('#clock-form button')
    await shows('#notice.error', 'advance must be')
    const shown = Date.parse(await page.evaluate(`document.getElementById('clock').dateTime`))
    expect(Math.abs(shown - Date.now() - 5_400_000)).toBeLessThan(60_000)
  })

  test('faults are added, switched off and on, and used up', async () => {
    const { get, fill, click, shows, textOf, mock, page } = await openInspector(browser, [
      '--fault',
      'create:html',
    ])
    await shows('#faults', 'create:htmlx1')
    await fill('fault-operation', 'get')
    await fill('fault-kind', 'status')
    await fill('fault-value', '503,{"a":1}')
    await fill('fault-frequency', 'x2')
    await click('#fault-form button')
    await shows('#faults li', 'get:status=503,{"a":1}x2')
    expect(await get('x')).toMatchObject({ status: 503, text: '{"a":1}' })
    await shows('#faults', 'remaining: get:status=503,{"a":1}x1')

    const active = async () =>
      (await mock('GET', '/faults')).data.map(({ fault }: { fault: string }) => fault)
    const toggle = `[role="switch"][aria-label='get:status=503,{"a":1}x2']`
    await click(toggle)
    await page.until(`document.querySelector(${JSON.stringify(toggle)}).ariaChecked === 'false'`)
    expect(await active()).toEqual(['create:htmlx1'])
    expect((await get('x')).status).toBe(404)
    await click(toggle)
    await page.until(`document.querySelector(${JSON.stringify(toggle)}).ariaChecked === 'true'`)
    expect(await active()).toEqual(['create:htmlx1', 'get:status=503,{"a":1}x2'])
    await get('x')
    await get('x')
    await page.until(`document.querySelector(${JSON.stringify(toggle)}).ariaChecked === 'false'`)
    expect((await textOf('#faults')).match(/get:status/g)).toHaveLength(1)

    await fill('fault-frequency', 'often')
    await click('#fault-form button')
    await shows('#notice.error', '“How often” must be')
    await fill('fault-frequency', 'x1')
    await fill('fault-value', '99')
    await click('#fault-form button')
    await shows('#notice.error', 'invalid value for the fault status')
  })

  test.skipIf(!isCurlThere())(
    'a copied curl command repeats the request, without the key in it',
    async () => {
      const { page, raw, created, click, shows } = await openInspector(browser)
      await page.send('Browser.grantPermissions', {
        permissions: ['clipboardReadWrite', 'clipboardSanitizedWrite'],
      })
      const headers = {
        'x-api-key': 'sandbox',
        'content-type': 'application/json',
        'x-quote': `a'b"$HOME\`id\`!`,
      }
      const order = { productList: [], wallet: 'USD', reference: `it's "$(touch pwned)" \\ ü €` }
      await created(['GAME-US'])
      await raw('POST', '/order/create', { headers, body: JSON.stringify(order, null, 2) })
      await raw('POST', '/order/create?a=[1]&b={x,y}&c=%20', { headers, body: '@/etc/passwd' })
      await raw('POST', '/order/create', { headers, body: 'a\u0003\tb\u001b[31m' })
      await raw('POST', '/order/create', { headers, body: Uint8Array.of(0, 255, 10, 39) })
      await raw('PUT', '/order/confirm', { headers: { authorization: 'Bearer sandbox' }, body: 'no type' })
      await raw('GET', '/order/../x', { headers: { 'x-empty': '' } })
      await page.until(`document.querySelectorAll('.row').length === 7`)
      const cwd = folder()
      const token: string = await page.evaluate('location.hash.slice(1)')
      const kept = async (id: number) => {
        const { data } = await raw('GET', `/_mock/ui/data/exchange?id=${id}`, {
          headers: { 'x-inspector-token': token },
        })
        const skipped = ['user-agent', 'accept', 'connection', 'content-length', 'transfer-encoding']
        const sent = data.request.headers.filter(([name]: [string]) => !skipped.includes(name)).sort()
        return { method: data.method, path: data.path, status: data.status, body: data.request.body, sent }
      }
      for (let id = 1; id <= 7; id += 1) {
        await click(`#request-${id}`)
        await page.until(`document.querySelector('.row[aria-selected="true"]').id === 'request-${id}'`)
        await page.until(`document.querySelector('#exchange-body').dataset.id === '${id}'`)
        await click('button', 'Copy as curl')
        await shows('#notice', 'Copied.')
        const command: string = await page.evaluate('navigator.clipboard.readText()')
        expect(command).toMatch(/curl -sS/)
        expect(command).not.toMatch(/sandbox|[\0-\x09\x0b-\x1f\x7f]/)
        const script = `${cwd}/command.sh`
        writeFileSync(script, command)
        execFileSync('sh', [script], { cwd, env: { ...process.env, ORDERCTL_API_KEY: 'sandbox' } })
      }
      await page.until(`document.getElementById('count').innerText.startsWith('14 ')`)
      for (let id = 1; id <= 7; id += 1) expect(await kept(7 + id)).toEqual(await kept(id))
      expect(execFileSync('ls', [cwd], { encoding: 'utf8' })).toBe('command.sh\n')
    },
  )

  test('the keyboard alone reaches the list, a request and its codes', async () => {
    const { page, confirmed, get, shows } = await openInspector(browser, ['--processing-time', '0'])
    await get(await confirmed(['GAME-US']))
    await page.until(`document.querySelectorAll('.row').length === 3`)
    const focused = () => page.evaluate(`document.activeElement.id || document.activeElement.innerText`)
    const order: string[] = []
    for (let count = 0; count < 3; count += 1) {
      await page.press('Tab')
      order.push(await focused())
    }
    expect(order).toEqual(['filter', 'pause', 'list'])
    const active = () =>
      page.evaluate(`document.getElementById('list').getAttribute('aria-activedescendant')`)
    for (const [key, id] of [
      ['ArrowDown', 'request-3'],
      ['ArrowDown', 'request-2'],
      ['ArrowUp', 'request-3'],
      ['End', 'request-1'],
      ['ArrowDown', 'request-1'],
      ['Home', 'request-3'],
      ['ArrowUp', 'request-3'],
    ]) {
      await page.press(key ?? '')
      expect([key, await active(), await focused()]).toEqual([key, id, 'list'])
    }
    await shows('#exchange-title', 'GET /order/get')
    await page.press('Enter')
    await page.until(`document.activeElement.id === 'exchange-title'`)
    await page.press('Tab')
    expect(await focused()).toBe('Copy as curl')
    let pressed = 0
    for (; pressed < 20 && (await focused()) !== '••••••••'; pressed += 1) await page.press('Tab')
    await page.press('Enter')
    expect(await page.evaluate(`document.querySelectorAll('.mask.shown').length`)).toBe(1)
  })

  test('the focus stays on a button while its panel changes', async () => {
    await using receiver = await openReceiver(204)
    const { page, confirmed, shows } = await openInspector(browser, ['--processing-time', '1h'])
    await confirmed(['GAME-US'], { webhookUrl: receiver.url })
    await shows('#deliveries', 'delivered')
    await page.evaluate(`document.querySelector('#deliveries button').focus()`)
    const key = await page.evaluate(`document.activeElement.dataset.key`)
    await confirmed(['GAME-US'], { webhookUrl: receiver.url })
    await page.until(`document.querySelectorAll('#deliveries button').length === 2`)
    expect(await page.evaluate(`document.activeElement.dataset.key`)).toBe(key)
  })

  test('the filter and the pause', async () => {
    const { page, get, created, fill, click, shows, textOf } = await openInspector(browser)
    await created(['GAME-US'])
    await get('none')
    await shows('#count', '2 requests')
    await fill('filter', '404 get')
    expect(await textOf('#count')).toBe('1 of 2 requests')
    expect(await textOf('#rows')).toContain('orderId=none')
    await fill('filter', '')
    await click('#pause')
    await created(['GAME-US'])
    await shows('#orders', 'a reference')
    await page.until(`document.querySelectorAll('#orders li').length === 2`)
    expect(await textOf('#count')).toBe('2 requests, paused')
    await click('#pause')
    await shows('#count', '3 requests')
  })

  test('without a token, or with a wrong one, the page shows no data', async () => {
    const { url, created } = await openInspector(browser)
    await created(['GAME-US'], { reference: 'private' })
    for (const [fragment, message] of [
      ['', 'This URL has no token.'],
      ['#wrong', 'serve-mock refused the token of this URL.'],
      ['#%', 'This URL has no token.'],
    ] as const) {
      const page = await browser.openPage(`${url}/_mock/ui${fragment}`)
      await page.until(`document.getElementById('locked').innerText.includes(${JSON.stringify(message)})`)
      expect(await page.evaluate(`document.getElementById('app').hidden`)).toBe(true)
      expect(await page.evaluate('document.documentElement.outerHTML')).not.toContain('private')
    }
  })

  test('the page says that serve-mock has ended, and keeps what it shows', async () => {
    const { page, child, shows } = await openInspector(browser)
    child.kill('SIGKILL')
    await shows('#connection', 'Disconnected. Reconnecting…')
    expect(await page.evaluate(`document.getElementById('app').hidden`)).toBe(false)
  })
})
