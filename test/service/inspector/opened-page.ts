// The inspector's page in Chromium, and a serve-mock behind it.
import { Agent } from 'node:http'
import { afterAll, beforeAll, describe, onTestFinished } from 'vitest'
import { type Browser, noChromium, startChromium } from '../../support/chromium.ts'
import { callsOver } from '../../support/embedded.ts'
import { serveMock } from '../../support/orderctl.ts'
import { clientOf } from '../../support/socket-client.ts'

/** Skips the tests without Chromium. They share one browser. */
export const describeInChromium = (name: string, addTests: (browser: () => Browser) => void): void => {
  describe.skipIf(noChromium !== '')(`${name} in Chromium${noChromium}`, { timeout: 120_000 }, () => {
    let browser: Browser
    beforeAll(async () => {
      browser = await startChromium()
    })
    afterAll(() => browser?.close())
    addTests(() => browser)
  })
}

/** Opens the page and waits until it is connected. */
export const openInspector = async (browser: Browser, words: readonly string[] = [], cwd?: string) => {
  const served = await serveMock(['--seed', 'demo', ...words], cwd === undefined ? {} : { cwd })
  served.child.stdout.resume()
  const agent = new Agent({ keepAlive: true })
  onTestFinished(() => agent.destroy())
  const page = await browser.openPage(served.inspector)
  await page.until(`document.getElementById('connection').textContent === 'Connected'`)
  const desk = { ...served, ...callsOver(clientOf(served.url, agent), 'sandbox'), page, ...actionsOn(page) }
  return { ...desk, [Symbol.asyncDispose]: async () => {} }
}

type Inspector = Awaited<ReturnType<typeof openInspector>>

type Page = Awaited<ReturnType<Browser['openPage']>>

const actionsOn = (page: Page) => ({
  /** The text of the element. */
  textOf: (selector: string): Promise<string> =>
    page.evaluate(`document.querySelector(${JSON.stringify(selector)}).innerText`),
  /** Clicks the button or row with this text, inside the element. */
  click: (selector: string, text = ''): Promise<unknown> =>
    page.until(`(() => {
      const places = [...document.querySelectorAll(${JSON.stringify(selector)})]
      const found = places.find((each) => each.innerText.includes(${JSON.stringify(text)}))
      found?.click()
      return found !== undefined
    })()`),
  /** Waits until the element has the text. */
  shows: (selector: string, text: string): Promise<unknown> =>
    page.until(`[...document.querySelectorAll(${JSON.stringify(selector)})].some(
      (each) => each.innerText.includes(${JSON.stringify(text)}))`),
  fill: (id: string, value: string): Promise<unknown> =>
    page.evaluate(`(() => {
      const field = document.getElementById(${JSON.stringify(id)})
      field.value = ${JSON.stringify(value)}
      field.dispatchEvent(new Event('input', { bubbles: true }))
    })()`),
})

/** Steps on the page, for histories: `click SELECTOR: TEXT`, `shows SELECTOR: TEXT`, `text SELECTOR → TEXT`. */
export const actsOnPage = ({ page, click, shows, fill, textOf }: Inspector) => {
  const split = (words: string): [string, string] => {
    const [selector = '', ...rest] = words.split(': ')
    return [selector, rest.join(': ')]
  }
  return {
    click: (words: string) => click(...split(words)).then(() => undefined),
    shows: (words: string) => shows(...split(words)).then(() => undefined),
    fill: (words: string) => fill(...split(words)),
    text: textOf,
    /** Waits until there are so many elements. */
    until: (words: string) => {
      const [selector, count] = split(words)
      return page
        .until(`document.querySelectorAll(${JSON.stringify(selector)}).length === ${count}`)
        .then(() => undefined)
    },
    evaluate: (script: string) => page.evaluate(script),
    press: (key: string) => page.press(key),
    focus: () => page.evaluate(`document.activeElement.id || document.activeElement.innerText`),
  }
}
