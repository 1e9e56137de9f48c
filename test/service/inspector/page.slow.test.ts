// The inspector's page in Chromium: what it shows, and where the focus is.
import { expect, test } from 'vitest'
import { secretsOf } from '../../support/embedded.ts'
import { testHistories } from '../histories.ts'
import { actsOnPage, describeInChromium, openInspector, openWithReceiver } from './opened-page.ts'

describeInChromium('the inspector', (browser) => {
  test('a request is listed, opens with its response, and its codes are hidden until they are clicked', async () => {
    const { page, created, confirmed, get, click, shows, textOf, countOf } = await openInspector(browser(), [
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
    expect(await countOf('#exchange-body pre .mask')).toBe(secrets.length)

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

  testHistories(
    `
== the newest request is shown, until another is selected
  text #exchange-title → No request yet; create GAME-US for team-lunch; shows #exchange-title: POST /order/create
  shows .row: created · team-lunch; get 1; shows #exchange-title: GET /order/get
  evaluate document.activeElement === document.body → true
  click .row: /order/create; shows #exchange-title: POST /order/create; get none
  until .row: 3; text #exchange-title → POST /order/create
== wallets, stock and orders follow the service
  shows #wallets: 1,000,000; shows #stock: BOOK-FR\t12; create BOOK-FR in EUR for a book; confirm 1
  shows #wallets: 999,987.5; shows #stock: BOOK-FR\t11; click #orders button: a book
  shows #order-details: BOOK-FR; shows #order-details: POST /order/create
`,
    () => openInspector(browser()),
    actsOnPage,
  )

  testHistories(
    `
== a row shows the present state of its order
  create GAME-US for team-lunch; confirm 1; shows #request-1: confirmed · team-lunch; clock 1h
  shows #request-1: successful · team-lunch · Order created.
== the order has a time line, its requests and its webhooks
  create GAME-US for team-lunch to HOOK; click .row: /order/create; shows .timeline: expires
  timeline → created T expires T (expected); confirm 1; shows .timeline: final state
  timeline → created T confirmed T processing T (expected) final state T (expected)
  clock 20m; processes; timeline → created T confirmed T processing T final state T (expected)
  clock 1h; shows .timeline: successful; timeline → created T confirmed T processing T successful T
  shows #order-facts: team-lunch; shows #order-details: PUT /order/confirm
  shows #order-details li: final delivered; click #order-details button: PUT /order/confirm
  shows #exchange-title: PUT /order/confirm
== the focus stays on a button while its panel changes
  create GAME-US to HOOK; confirm 1; shows #deliveries: delivered
  evaluate document.querySelector('#deliveries button').focus()
  evaluate window.focused = document.activeElement.dataset.key; create GAME-US to HOOK; confirm 2
  until #deliveries button: 2; evaluate document.activeElement.dataset.key === window.focused → true
`,
    () => openWithReceiver(browser(), 204),
    (inspector, { acts }) => ({
      ...actsOnPage(inspector),
      create: (words) => acts.create(words.replace('HOOK', inspector.receiver.url)),
      processes: () =>
        inspector.page.until(`/processing [^\\n(]+\\n/.test(document.querySelector('.timeline').innerText)`),
      timeline: async () =>
        (await inspector.textOf('.timeline')).replace(/\d\d:\d\d:\d\d/g, 'T').replace(/\n/g, ' '),
    }),
  )

  testHistories(
    `
== the keyboard alone reaches the list, a request and its codes
  create GAME-US; confirm 1; get 1; until .row: 3
  press Tab; focus → filter; press Tab; focus → pause; press Tab; focus → list
  press ArrowDown; active → request-2; press ArrowUp; active → request-3
  press End; active → request-1; press ArrowDown; active → request-1
  press Home; active → request-3; press ArrowUp; active → request-3; focus → list
  shows #exchange-title: GET /order/get; press Enter; until #exchange-title:focus: 1
  press Tab; focus → Copy as curl; tab to ••••••••
  press Enter; count .mask.shown → 1
`,
    () => openInspector(browser(), ['--processing-time', '0']),
    (inspector) => {
      const acts = actsOnPage(inspector)
      const active = `document.getElementById('list').getAttribute('aria-activedescendant')`
      return {
        ...acts,
        active: () => inspector.page.evaluate(active),
        tab: async (words) => {
          for (let pressed = 0; pressed < 20 && `to ${await acts.focus()}` !== words; pressed += 1)
            await acts.press('Tab')
        },
      }
    },
  )

  test('without a token, or with a wrong one, the page shows no data', async () => {
    const inspector = await openInspector(browser())
    await inspector.created(['GAME-US'], { reference: 'private' })
    for (const [fragment, message] of [
      ['', 'This URL has no token.'],
      ['#wrong', 'serve-mock refused the token of this URL.'],
      ['#%', 'This URL has no token.'],
    ] as const) {
      const page = await browser().openPage(`${inspector.url}/_mock/ui${fragment}`)
      await page.until(`document.getElementById('locked').innerText.includes(${JSON.stringify(message)})`)
      expect(await page.evaluate(`document.getElementById('app').hidden`)).toBe(true)
      expect(await page.evaluate('document.documentElement.outerHTML')).not.toContain('private')
    }
  })

  test('the page says that serve-mock has ended, and keeps what it shows', async () => {
    const inspector = await openInspector(browser())
    inspector.child.kill('SIGKILL')
    await inspector.shows('#connection', 'Disconnected. Reconnecting…')
    expect(await inspector.page.evaluate(`document.getElementById('app').hidden`)).toBe(false)
  })
})
