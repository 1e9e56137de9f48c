// No text that comes from a client or a file becomes HTML in the inspector, in any field.
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { folder } from '../../support/orderctl.ts'
import { describeInChromium, openInspector } from './opened-page.ts'

const attack = (name: string): string =>
  `"'></script></pre><img src=x onerror="window.hit='${name}'"><svg onload="window.hit='${name}'">`

describeInChromium('hostile texts', (browser) => {
  test('are shown as text: reference, SKU, header, path, body, webhook URL and faults', async () => {
    const cwd = folder()
    const sku = attack('sku')
    const fixed = { sku, productType: 'fixed', quote: 1 }
    const product = { ...fixed, country: 'US', currency: 'USD', stock: 5, name: attack('name') }
    const catalogue = { products: [product], wallets: [{ currency: 'USD', balance: 100 }], rates: [] }
    writeFileSync(path.join(cwd, 'catalogue.json'), JSON.stringify(catalogue))
    const words = ['--catalogue', 'catalogue.json', '--processing-time', '0']
    const { page, raw, json, get, mock, click, shows } = await openInspector(browser(), words, cwd)
    const order = {
      ...{ productList: [{ ...fixed, quantity: 1 }], wallet: 'USD' },
      reference: attack('reference').slice(0, 60),
      webhookUrl: `http://127.0.0.1:9/<img src=x onerror=window.hit='webhook'>`,
    }
    const created = await json('POST', '/order/create', order)
    expect([created.status, created.text]).toEqual([200, expect.any(String)])
    await json('PUT', '/order/confirm', { orderId: created.data.id })
    await get(created.data.id)
    await get(attack('order'))
    await mock('POST', '/faults', { fault: `any:status=500,${attack('fault')}` })
    await raw('POST', '/order/create', { headers: { 'x-header': attack('header') }, body: attack('body') })
    await raw('GET', `/${encodeURIComponent(attack('path'))}?<img/src=x/onerror=window.hit='query'>`)
    await json(`GET`, `/order/get?orderId=<img/src=x/onerror=window.hit='id'>`)
    await mock('POST', '/faults', { fault: attack('message') })
    await mock('POST', '/faults', { fault: `confirm:status=500,${attack('fault')}` })

    await shows('#deliveries', order.webhookUrl)
    await shows('#faults', attack('fault'))
    for (let id = 1; id <= 10; id += 1) {
      await click(`#request-${id}`)
      await page.until(`document.getElementById('exchange').dataset.id === '${id}'`)
      await click('#reveal')
    }
    // A handler of an image runs after a failed load.
    await page.until(`new Promise((resolve) => setTimeout(() => resolve(true), 200))`)
    expect(await page.evaluate('window.hit')).toBeUndefined()
    expect(await page.evaluate(`document.querySelectorAll('img, svg, body script').length`)).toBe(0)
    expect(page.problems).toEqual([])
  })
})
