// The inspector's page in Chromium: what it shows.
import { expect, test } from 'vitest'
import { secretsOf } from '../../support/embedded.ts'
import { openReceiver } from '../webhooks/webhook-receiver.ts'
import { describeInChromium, openInspector } from './opened-page.ts'

describeInChromium('the inspector', (browser) => {
  test('a request is listed, opens with its response, and its codes are hidden until they are clicked', async () => {
    const { page, created, confirmed, get, click, shows, textOf } = await openInspector(browser(), [
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

  test('the newest request is shown, until another is selected', async () => {
    const { page, created, get, click, shows, textOf } = await openInspector(browser())
    expect(await textOf('#exchange-title')).toBe('No request yet')
    const id = await created(['GAME-US'], { reference: 'team-lunch' })
    await shows('#exchange-title', 'POST /order/create')
    await shows('.row', 'created · team-lunch')
    await get(id)
    await shows('#exchange-title', 'GET /order/get')
    expect(await page.evaluate('document.activeElement === document.body')).toBe(true)
    await click('.row', '/order/create')
    await shows('#exchange-title', 'POST /order/create')
    await get('none')
    await page.until(`document.querySelectorAll('.row').length === 3`)
    expect(await textOf('#exchange-title')).toBe('POST /order/create')
  })

  test('a row shows the present state of its order', async () => {
    const { confirmed, shows, textOf, mock } = await openInspector(browser(), ['--processing-time', '1h'])
    const id = await confirmed(['GAME-US'], { reference: 'team-lunch' })
    await shows('#request-1', 'confirmed · team-lunch')
    await mock('POST', '/clock', { advance: '1h' })
    await shows('#request-1', 'successful · team-lunch')
    expect(await textOf('#request-1')).not.toContain(id)
  })

  test('JSON has colours, and the order and its time line are visible at 1080 pixels', async () => {
    const { page, confirmed, get, shows } = await openInspector(browser(), ['--processing-time', '0'])
    await page.resize(1920, 1080)
    await get(await confirmed(['GAME-US', 'MUSIC-KW'], { reference: 'team-lunch' }))
    await shows('.timeline', 'successful')
    const kinds = ['key', 'string', 'word'].map((kind) => `#exchange-body pre .${kind}`)
    for (const kind of kinds) await page.until(`document.querySelector('${kind}') !== null`)
    const colours = await page.evaluate(
      `${JSON.stringify(kinds)}.map((kind) => getComputedStyle(document.querySelector(kind)).color)`,
    )
    expect(new Set(colours).size).toBe(3)
    const bottom = await page.evaluate(`document.querySelector('.timeline').getBoundingClientRect().bottom`)
    expect(bottom).toBeLessThan(500)
  })

  test('codes in JSON that was cut off are hidden too', async () => {
    const { page, raw, click, textOf } = await openInspector(browser())
    const body =
      '{"redeemPin": ["SECRET-1", "SECRET-2"], "cards": [{"redeemCardCode":"SECRET-3", "other": "shown", ' +
      '"redeemLink": {"deep": "SECRET-4"}}, {"redeemSerialNumber" : "SECRET-\\"5'
    await raw('POST', '/order/create', { body })
    await click('#request-1')
    await page.until(`document.querySelectorAll('#exchange-body pre .mask').length > 0`)
    expect(await page.evaluate('document.documentElement.outerHTML')).not.toContain('SECRET')
    expect(await textOf('#exchange-body pre')).toContain('"other": "shown"')
    await click('button', 'Show all codes')
    // The body is complete and unchanged.
    expect(await textOf('#exchange-body pre')).toBe(body)
  })

  test('the order has a time line, its requests and its webhooks', async () => {
    await using receiver = await openReceiver(204)
    const { page, created, confirm, click, shows, textOf, mock } = await openInspector(browser(), [
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
    await shows('#order-facts', 'team-lunch')
    await shows('#order-details', 'PUT /order/confirm')
    await shows('#order-details li', 'final delivered')
    await click('#order-details button', 'PUT /order/confirm')
    await shows('#exchange-title', 'PUT /order/confirm')
  })

  test('wallets, stock and orders follow the service', async () => {
    const { confirmed, shows, textOf, click } = await openInspector(browser())
    await shows('#wallets', '1,000,000')
    const before = /BOOK-FR\s+(\d+)/.exec(await textOf('#stock'))?.[1]
    await confirmed(['BOOK-FR'], { wallet: 'EUR', reference: 'a book' })
    await shows('#wallets', '999,987.5')
    await shows('#stock', `BOOK-FR\t${Number(before) - 1}`)
    await click('#orders button', 'a book')
    await shows('#order-details', 'BOOK-FR')
    await shows('#order-details', 'POST /order/create')
  })

  test('without a token, or with a wrong one, the page shows no data', async () => {
    const { url, created } = await openInspector(browser())
    await created(['GAME-US'], { reference: 'private' })
    for (const [fragment, message] of [
      ['', 'This URL has no token.'],
      ['#wrong', 'serve-mock refused the token of this URL.'],
      ['#%', 'This URL has no token.'],
    ] as const) {
      const page = await browser().openPage(`${url}/_mock/ui${fragment}`)
      await page.until(`document.getElementById('locked').innerText.includes(${JSON.stringify(message)})`)
      expect(await page.evaluate(`document.getElementById('app').hidden`)).toBe(true)
      expect(await page.evaluate('document.documentElement.outerHTML')).not.toContain('private')
    }
  })

  test('the page says that serve-mock has ended, and keeps what it shows', async () => {
    const { page, child, shows } = await openInspector(browser())
    child.kill('SIGKILL')
    await shows('#connection', 'Disconnected. Reconnecting…')
    expect(await page.evaluate(`document.getElementById('app').hidden`)).toBe(false)
  })
})
