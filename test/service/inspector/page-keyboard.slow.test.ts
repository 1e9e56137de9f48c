// The inspector's page in Chromium, by keyboard: where the focus goes and stays.
import { expect, test } from 'vitest'
import { openReceiver } from '../webhooks/webhook-receiver.ts'
import { describeInChromium, openInspector } from './opened-page.ts'

describeInChromium('the keyboard of the inspector', (browser) => {
  test('the keyboard alone reaches the list, a request and its codes', async () => {
    const { page, confirmed, get, shows } = await openInspector(browser(), ['--processing-time', '0'])
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
    const { page, confirmed, shows } = await openInspector(browser(), ['--processing-time', '1h'])
    await confirmed(['GAME-US'], { webhookUrl: receiver.url })
    await shows('#deliveries', 'delivered')
    await page.evaluate(`document.querySelector('#deliveries button').focus()`)
    const key = await page.evaluate(`document.activeElement.dataset.key`)
    await confirmed(['GAME-US'], { webhookUrl: receiver.url })
    await page.until(`document.querySelectorAll('#deliveries button').length === 2`)
    expect(await page.evaluate(`document.activeElement.dataset.key`)).toBe(key)
  })
})
