// The controls of the inspector's page in Chromium: webhooks, the clock, faults, curl, the filter and the pause.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { isInstalled } from '../../support/installed.ts'
import { folder } from '../../support/orderctl.ts'
import { openReceiver } from '../webhooks/webhook-receiver.ts'
import { describeInChromium, openInspector } from './opened-page.ts'

describeInChromium('the controls of the inspector', (browser) => {
  test('a webhook is sent again', async () => {
    await using receiver = await openReceiver(500, 204)
    const { confirmed, click, shows, page } = await openInspector(browser(), ['--processing-time', '1h'])
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
    const { page, created, confirm, fill, click, shows, mock } = await openInspector(browser())
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
    const { get, fill, click, shows, textOf, mock, page } = await openInspector(browser(), [
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

  test.skipIf(!isInstalled('curl'))(
    'a copied curl command repeats the request, without the key in it',
    async () => {
      const { page, raw, created, click, shows } = await openInspector(browser())
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

  test('the filter and the pause', async () => {
    const { page, get, created, fill, click, shows, textOf } = await openInspector(browser())
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
})
