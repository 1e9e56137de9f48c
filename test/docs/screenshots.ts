// Writes docs/pictures/inspector.png and card-sheet.png: the inspector of serve-mock after one order, and the printed sheet
// of a card. Needs chromium and pngquant.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { type Browser, startChromium } from '../support/chromium.ts'
import { openScratch } from '../support/scratch.ts'

const program = path.resolve('bin/orderctl.cjs')

const drawCardSheet = async (browser: Browser): Promise<Buffer> => {
  using scratch = openScratch()
  const { folder } = scratch
  const env = { PATH: process.env.PATH, HOME: folder, TZ: 'UTC' }
  const orderctl = (line: string) =>
    execFileSync(process.execPath, [program, ...line.split(' ')], { cwd: folder, env, stdio: 'ignore' })
  orderctl('create --product GAME-US:25 --wallet USD --reference team-lunch --confirm --watch')
  orderctl('redeem ref:team-lunch --export cards.html')
  const page = await browser.openPage(`file://${folder}/cards.html`, { width: 720, height: 574 })
  return page.screenshot()
}

const startServeMock = async () => {
  const words = ['serve-mock', '--json', '--seed', 'demo', '--processing-time', '0']
  const child = spawn(process.execPath, [program, ...words], { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })
  const [line] = await once(lines, 'line')
  const { url, inspector } = JSON.parse(line)
  const call = async (method: string, target: string, document?: object) => {
    const headers = { 'x-api-key': 'sandbox', 'content-type': 'application/json' }
    const body = document === undefined ? {} : { body: JSON.stringify(document) }
    const response = await fetch(url + target, { method, headers, ...body })
    return (await response.json()) as { readonly data: { readonly id: string } }
  }
  return { child, inspector, call }
}

type ServeMock = Awaited<ReturnType<typeof startServeMock>>

const placeOrder = async ({ call }: ServeMock, webhookUrl: string): Promise<void> => {
  const product = { sku: 'GAME-US', productType: 'fixed', quote: 25, quantity: 1 }
  const order = { productList: [product], wallet: 'USD', reference: 'team-lunch', webhookUrl }
  const { data } = await call('POST', '/order/create', order)
  await call('POST', '/_mock/faults', { fault: 'get:status=503x3' })
  await call('PUT', '/order/confirm', { orderId: data.id })
  await call('GET', `/order/get?orderId=${data.id}`)
  await call('DELETE', '/_mock/faults')
  await call('POST', '/_mock/faults', { fault: 'create:status=429,retry-after=2@50%' })
  await call('GET', `/order/get?orderId=${data.id}`)
}

/** Scrolls the response to its codes, and replaces times by an example. */
const arrange = `(() => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (texts.nextNode()) {
    const { currentNode: node } = texts
    node.data = node.data
      .replace(/20\\d\\d-\\d\\d-\\d\\dT[\\d:.]+/, '2027-01-15T10:00:00.000')
      .replace(/\\w+, \\d+ \\w+ 20\\d\\d/, 'Thu, 15 Jan 2026')
      .replace(/\\d\\d:\\d\\d:\\d\\d(?![.])/, '10:00:00')
      .replace(/\\d+ ms/, '1 ms')
      .replace(/127.0.0.1:(?!4020)\\d+/, '127.0.0.1:4010')
  }
  const response = document.getElementById('response')
  response.style.maxHeight = '27rem'
  response.style.overflow = 'auto'
  const lines = response.textContent.split('\\n')
  const codes = lines.findIndex((line) => line.includes('"redeem"'))
  response.scrollTop = (codes / lines.length) * response.scrollHeight
})()`

const drawInspector = async (browser: Browser): Promise<Buffer> => {
  const serveMock = await startServeMock()
  const receiver = createServer((request, response) => {
    request.resume()
    response.writeHead(204).end()
  }).listen(4020, '127.0.0.1')
  try {
    await once(receiver, 'listening')
    const page = await browser.openPage(serveMock.inspector, { width: 1360, height: 880 })
    await page.emulate('light')
    await placeOrder(serveMock, 'http://127.0.0.1:4020/hook')
    await page.until(`document.querySelectorAll('#rows label').length === 7`)
    await page.until(`document.getElementById('deliveries').innerText.match(/204/g)?.length === 2`)
    await page.until(`document.getElementById('response').innerText.includes('•')`)
    await page.evaluate(arrange)
    // A palette of 256 colours halves the file.
    return execFileSync('pngquant', ['256', '--strip', '-'], { input: await page.screenshot() })
  } finally {
    receiver.close()
    serveMock.child.kill()
  }
}

const browser = await startChromium()
try {
  writeFileSync('docs/pictures/card-sheet.png', await drawCardSheet(browser))
  writeFileSync('docs/pictures/inspector.png', await drawInspector(browser))
} finally {
  await browser.close()
}
