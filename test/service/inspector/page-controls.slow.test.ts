// The controls of the inspector's page in Chromium: webhooks, the clock, faults, curl, the filter and the pause.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { isInstalled } from '../../support/installed.ts'
import { folder } from '../../support/orderctl.ts'
import { testHistories } from '../histories.ts'
import { actsOnPage, describeInChromium, openInspector, openWithReceiver } from './opened-page.ts'

const toggleOf = (fault: string, isOn?: boolean): string =>
  `[role="switch"][aria-label='${fault}']${isOn === undefined ? '' : `[aria-checked="${isOn}"]`}`

describeInChromium('the controls of the inspector', (browser) => {
  testHistories(
    `
== the clock advances, and a wrong duration is explained
  create GAME-US; fill advance: 1h30m; click #clock-form button; shows #clock-offset: advanced by 1h 30m
  GET /state clockOffsetMs → 5400000; confirm 1 → 419; fill advance: soon; click #clock-form button
  shows #notice.error: advance must be
  evaluate Math.abs(Date.parse(document.getElementById('clock').dateTime) - Date.now() - 5400000) < 60000 → true
== the filter and the pause
  create GAME-US; get none; shows #count: 2 requests; fill filter: 404 get; text #count → 1 of 2 requests
  shows #rows: orderId=none; fill filter: ${''}; click #pause; create GAME-US; shows #orders: a reference
  until #orders li: 2; text #count → 2 requests, paused; click #pause; shows #count: 3 requests
`,
    () => openInspector(browser()),
    actsOnPage,
  )

  const added = 'get:status=503,{"a":1}x2'
  testHistories(
    `
== faults are added, switched off and on, and used up
  shows #faults: create:htmlx1; fill fault-operation: get; fill fault-kind: status
  fill fault-value: 503,{"a":1}; fill fault-frequency: x2; click #fault-form button; shows #faults li: ${added}
  get x → 503 {"a":1}; shows #faults: remaining: get:status=503,{"a":1}x1
  click ${toggleOf(added)}; until ${toggleOf(added, false)}: 1; active → create:htmlx1; get x → 404
  click ${toggleOf(added)}; until ${toggleOf(added, true)}: 1; active → create:htmlx1 ${added}
  get x; get x; until ${toggleOf(added, false)}: 1; listed → 1
  fill fault-frequency: often; click #fault-form button; shows #notice.error: “How often” must be
  fill fault-frequency: x1; fill fault-value: 99; click #fault-form button
  shows #notice.error: invalid value for the fault status
`,
    () => openInspector(browser(), ['--fault', 'create:html']),
    (inspector) => ({
      ...actsOnPage(inspector),
      active: async () =>
        (await inspector.mock('GET', '/faults')).data.map(({ fault }: { fault: string }) => fault).join(' '),
      listed: async () => (await inspector.textOf('#faults')).match(/get:status/g)?.length,
    }),
  )

  test('a webhook is sent again', async () => {
    const { confirmed, click, shows, page, receiver } = await openWithReceiver(browser(), 500, 204)
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

  test.skipIf(!isInstalled('curl'))(
    'a copied curl command repeats the request, without the key in it',
    async () => {
      const { page, raw, created, click, shows } = await openInspector(browser())
      const permissions = ['clipboardReadWrite', 'clipboardSanitizedWrite']
      await page.send('Browser.grantPermissions', { permissions })
      const type = { 'content-type': 'application/json' }
      const headers = { 'x-api-key': 'sandbox', ...type, 'x-quote': `a'b"$HOME\`id\`!` }
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
        const inspector = { headers: { 'x-inspector-token': token } }
        const { data } = await raw('GET', `/_mock/ui/data/exchange?id=${id}`, inspector)
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
})
