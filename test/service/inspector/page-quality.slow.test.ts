// The inspector's page in Chromium: accessibility in both colour schemes and at 400 px.
import axe from 'axe-core'
import { expect, test } from 'vitest'
import { openReceiver } from '../webhooks/webhook-receiver.ts'
import { describeInChromium, openInspector } from './opened-page.ts'

describeInChromium('the quality of the page', (browser) => {
  test('axe finds nothing, dark and light, wide and at 400 px, empty and full', async () => {
    await using receiver = await openReceiver(500)
    const words = ['--processing-time', '0', '--fault', 'create:html@0.1%', '--fault', 'get:dripx1']
    const { page, confirmed, get, click, shows, inspector } = await openInspector(browser(), words)
    const check = async () => {
      await page.evaluate(axe.source)
      const [passed, found] = await page.evaluate(`axe.run(document).then(({ passes, violations }) => [
        passes.length,
        violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => [id, html, failureSummary])),
      ])`)
      expect(passed).toBeGreaterThan(20)
      return found
    }
    const checkAll = async () => {
      for (const scheme of ['dark', 'light'] as const) {
        await page.emulate(scheme)
        for (const width of [1400, 900, 400]) {
          await page.resize(width, 900)
          expect([scheme, width, await check()]).toEqual([scheme, width, []])
          const scrolled = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
          expect([scheme, width, scrolled]).toEqual([scheme, width, 0])
        }
      }
    }
    expect(await check()).toEqual([])
    const id = await confirmed(['GAME-US', 'MUSIC-KW'], {
      webhookUrl: `${receiver.url}/${'long'.repeat(50)}`,
    })
    await get('none')
    await get(id)
    await page.resize(1400, 900)
    await click('#rows label', 'Order retrieved')
    await shows('#response', '••••')
    await shows('#deliveries', 'pending')
    await click('#faults button')
    await shows('#notice', 'Removed')
    await checkAll()
    const locked = await browser().openPage(inspector.replace(/#.*/, ''))
    await locked.evaluate(axe.source)
    expect(await locked.evaluate('axe.run(document).then(({ violations }) => violations)')).toEqual([])
  })
})
