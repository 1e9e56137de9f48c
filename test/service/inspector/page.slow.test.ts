// The inspector's page in Chromium: what it shows, its controls, and the keyboard.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { secretsOf } from '../../support/embedded.ts'
import { isInstalled } from '../../support/installed.ts'
import { folder } from '../../support/orderctl.ts'
import { testHistories } from '../histories.ts'
import { actsOnPage, describeInChromium, openInspector } from './opened-page.ts'

describeInChromium('the inspector', (browser) => {
  test('codes and keys are hidden, until they are asked for in each exchange', async () => {
    const words = ['--processing-time', '0']
    const { page, confirmed, get, click, shows, textOf } = await openInspector(browser(), words)
    const id = await confirmed(['GAME-US', 'MUSIC-US'])
    const secrets = secretsOf((await get(id)).data.redeem)
    await click('#rows label', `/order/get?orderId=${id}`)
    await shows('#facts', 'Status 200')
    const listShown = async () => {
      const html: string = await page.evaluate('document.documentElement.outerHTML')
      return ['sandbox', ...secrets].filter((secret) => html.includes(secret))
    }
    await shows('#response', '"redeemCardCode": "••••••••"')
    await shows('#response', '"redeemPin": "••••••••"')
    await shows('#request', 'authorization: ••••••••')
    expect(await listShown()).toEqual([])
    await click('#reveal')
    await shows('#request', 'authorization: Bearer sandbox')
    expect(await listShown()).toEqual(['sandbox', ...secrets])
    await click('#rows label', '/order/confirm')
    await shows('#exchange-title', 'PUT /order/confirm')
    await click('#rows label', `/order/get?orderId=${id}`)
    await shows('#exchange-title', 'GET /order/get')
    expect(await listShown()).toEqual([])
    expect(await textOf('#response')).toContain('"state": "successful"')
    expect(page.problems).toEqual([])
  })

  test('numbers are shown as they were sent, and broken JSON with codes is hidden as a whole', async () => {
    const { raw, click, shows, textOf } = await openInspector(browser())
    await raw('POST', '/order/create', { body: '{"a":25.10,"b":[12345678901234567890]}' })
    await shows('#request', '{\n  "a": 25.10,\n  "b": [\n    12345678901234567890\n  ]\n}')
    const body =
      '{"other": "OPEN", "redeemPin": ["SECRET-1", "SECRET-2"], "cards": [{"redeemCardCode":"SECRET-3'
    await raw('POST', '/order/create', { body })
    await shows('#request', 'This body is not valid JSON and has codes')
    expect(await textOf('#request')).not.toMatch(/OPEN|SECRET/)
    await click('#reveal')
    await shows('#request', body)
    await raw('POST', '/order/create', { body: Uint8Array.of(255, 254) })
    await shows('#request', 'As base64:)\n//4=')
  })

  testHistories(
    `
== the newest request is shown, until another is selected
  text #exchange-title → No request yet; create GAME-US for team-lunch; shows #exchange-title: POST /order/create
  get 1; shows #exchange-title: GET /order/get; evaluate document.activeElement === document.body → true
  click #rows label: /order/create; shows #exchange-title: POST /order/create; get none
  until #rows label: 3; text #exchange-title → POST /order/create
== a filter hides requests, new ones too
  create GAME-US; get none; until #rows label: 2; fill filter: 404 GET; until #rows label:not([hidden]): 1
  create GAME-US; until #rows label: 3; until #rows label:not([hidden]): 1
  text #exchange-title → GET /order/get?orderId=none
== a reset removes the requests
  create GAME-US; until #rows label: 1; reset; shows #rows label: /_mock/reset; until #rows label: 1
== a response that was lost is said
  fault create:reset-after; create GAME-US → fails: the connection was reset; shows #rows .bad: none
  shows #facts: No response; shows #response: The connection ended without a response.
== a fault is added, used and removed, and a wrong one is explained
  fill fault: get:status=503,{"a":1}x2; click #fault-form button; shows #faults: get:status=503,{"a":1}x2
  get x → 503 {"a":1}; shows #faults: get:status=503,{"a":1}x1; click #faults button; shows #faults: None.
  focus → fault; get x → 404; fill fault: buy:html; click #fault-form button
  shows #notice.bad: unknown operation buy
  evaluate document.querySelector('#fault-forms [value="any:drip"]').label.endsWith('(DURATION (default: 100ms))') → true
`,
    () => openInspector(browser()),
    actsOnPage,
  )

  testHistories(
    `
== the keyboard alone reaches the list, a request, its codes and the faults
  create GAME-US; confirm 1; get 1; until #rows label: 3; press Tab; focus → filter
  press Tab; press ArrowDown; shows #exchange-title: PUT /order/confirm
  press ArrowUp; shows #exchange-title: GET /order/get; shows #response: ••••
  press Tab; focus → copy; press Tab; focus → reveal; press ${' '}; evaluate document.getElementById('reveal').checked → true
  press Tab; focus → fault
`,
    () => openInspector(browser(), ['--processing-time', '0']),
    actsOnPage,
  )

  test.skipIf(!isInstalled('curl'))(
    'a copied curl command repeats the request, without the key',
    async () => {
      const { page, raw, created, click, shows, inspector } = await openInspector(browser())
      const permissions = ['clipboardReadWrite', 'clipboardSanitizedWrite']
      await page.send('Browser.grantPermissions', { permissions })
      const type = { 'content-type': 'application/json' }
      const headers = { 'x-api-key': 'sandbox', ...type, 'x-quote': `a'b"$HOME\`id\`!` }
      const order = { productList: [], wallet: 'USD', reference: `it's "$(touch pwned)" \\ ü €` }
      await created(['GAME-US'])
      await raw('POST', '/order/create', { headers, body: JSON.stringify(order, null, 2) })
      await raw('POST', '/order/create?a=[1]&b={x,y}&c=%20', { headers, body: '@/etc/passwd' })
      await raw('PUT', '/order/confirm', { headers: { authorization: 'Bearer sandbox' }, body: 'no type' })
      await raw('GET', '/order/../x', { headers: { 'x-empty': '' } })
      await raw('HEAD', '/order/get')
      const cwd = folder()
      const kept = async (id: number) => {
        const token = { 'x-inspector-token': inspector.split('#')[1] ?? '' }
        const { data } = await raw('GET', `/_mock/ui/data/exchange?id=${id}`, { headers: token })
        const skipped = ['user-agent', 'accept', 'connection', 'content-length', 'transfer-encoding']
        const headers = Object.entries(data.request.headers)
        const sent = headers.filter(([name]) => !skipped.includes(name)).sort()
        return { method: data.method, path: data.path, status: data.status, body: data.request.body, sent }
      }
      const copy = async (id: number, notice: string) => {
        await click(`#request-${id}`)
        await page.until(`document.getElementById('exchange').dataset.id === '${id}'`)
        await click('#copy')
        await shows('#notice', notice)
        await page.evaluate(`document.getElementById('notice').textContent = ''`)
      }
      for (let id = 1; id <= 6; id += 1) {
        await copy(id, 'Copied.')
        const command: string = await page.evaluate('navigator.clipboard.readText()')
        expect(command).toMatch(/^curl -sS/)
        expect(command).not.toContain('sandbox')
        writeFileSync(`${cwd}/command.sh`, command)
        execFileSync('sh', ['command.sh'], { cwd, env: { ...process.env, ORDERCTL_API_KEY: 'sandbox' } })
        expect(await kept(6 + id)).toEqual(await kept(id))
      }
      expect(execFileSync('ls', [cwd], { encoding: 'utf8' })).toBe('command.sh\n')
      // A terminal takes pasted control characters as keys.
      await raw('POST', '/order/create', { headers, body: 'a\u0003\u001b[31m' })
      await raw('POST', '/order/create', { headers, body: Uint8Array.of(0, 255, 10, 39) })
      for (const id of [13, 14]) await copy(id, 'This request cannot be copied')
    },
  )

  test('without a token, or with a wrong one, the page shows no data', async () => {
    const inspector = await openInspector(browser())
    await inspector.created(['GAME-US'], { reference: 'private' })
    for (const fragment of ['', '#wrong', '#%']) {
      const page = await browser().openPage(`${inspector.url}/_mock/ui${fragment}`)
      await page.until(`document.getElementById('connection').innerText.includes('token')`)
      expect(await page.evaluate(`document.getElementById('locked').innerText`)).toContain(
        'Open the URL that',
      )
      expect(await page.evaluate(`document.getElementById('app').hidden`)).toBe(true)
    }
  })

  test('the page says that serve-mock has ended, and keeps what it shows', async () => {
    const inspector = await openInspector(browser())
    inspector.child.kill('SIGKILL')
    await inspector.shows('#connection', 'serve-mock does not respond.')
    expect(await inspector.page.evaluate(`document.getElementById('app').hidden`)).toBe(false)
  })
})
