// Drives a page in Chromium by the DevTools protocol.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { isInstalled } from './installed.ts'

/** For the name of a suite: why its tests are skipped, or an empty text. */
export const noChromium = isInstalled('chromium') ? '' : ' (skipped: chromium is not installed)'

// biome-ignore lint/suspicious/noExplicitAny: the protocol has hundreds of types, and each test compares what it reads.
type Loose = any

export type Browser = Awaited<ReturnType<typeof startChromium>>

export const startChromium = async (options: { readonly timeZone?: string } = {}) => {
  const profile = mkdtempSync(path.join(tmpdir(), 'orderctl-chromium-'))
  const flags = [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--hide-scrollbars',
    '--remote-debugging-port=0',
  ]
  const env = { ...process.env, TZ: options.timeZone ?? 'UTC' }
  const child = spawn('chromium', [...flags, `--user-data-dir=${profile}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env,
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const socket = new WebSocket(await readAddress(child.stderr))
  await new Promise((resolve, reject) => {
    socket.onopen = resolve
    socket.onerror = reject
  })
  const connection = createConnection(socket)

  return {
    openPage: async (url: string, size = { width: 1400, height: 900 }) => {
      const { targetId } = await connection.send('Target.createTarget', { url: 'about:blank' })
      const { sessionId } = await connection.send('Target.attachToTarget', { targetId, flatten: true })
      const send = (method: string, params: object = {}): Promise<Loose> =>
        connection.send(method, params, sessionId)
      return openPage(send, connection, sessionId, url, size)
    },
    close: async (): Promise<void> => {
      await connection.send('Browser.close').catch(() => {})
      await ended
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

const readAddress = async (stderr: NodeJS.ReadableStream): Promise<string> => {
  for await (const line of createInterface({ input: stderr })) {
    const address = /^DevTools listening on (ws:\S+)/.exec(line)?.[1]
    if (address !== undefined) {
      stderr.resume()
      return address
    }
  }
  throw new Error('chromium ended before it listened')
}

const createConnection = (socket: WebSocket) => {
  let lastId = 0
  const pending = new Map<number, PromiseWithResolvers<Loose>>()
  const listeners = new Set<(message: Loose) => void>()
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(data)
    if (message.id === undefined) for (const listener of listeners) listener(message)
    else if (message.error === undefined) pending.get(message.id)?.resolve(message.result)
    else pending.get(message.id)?.reject(new Error(message.error.message))
    pending.delete(message.id)
  }
  socket.onclose = () => {
    for (const { reject } of pending.values()) reject(new Error('chromium closed the connection'))
  }
  return {
    listeners,
    send: (method: string, params: object = {}, sessionId?: string): Promise<Loose> => {
      lastId += 1
      const response = Promise.withResolvers<Loose>()
      pending.set(lastId, response)
      socket.send(JSON.stringify({ id: lastId, method, params, sessionId }))
      return response.promise
    },
  }
}

type Send = (method: string, params?: object) => Promise<Loose>

const openPage = async (
  send: Send,
  { listeners }: ReturnType<typeof createConnection>,
  sessionId: string,
  url: string,
  size: { readonly width: number; readonly height: number },
) => {
  /** Errors of scripts and of the content security policy, and dialogs. */
  const problems: string[] = []
  const loaded = Promise.withResolvers<void>()
  listeners.add((message) => {
    if (message.sessionId !== sessionId) return
    const { method, params } = message
    if (method === 'Runtime.exceptionThrown') problems.push(params.exceptionDetails.exception?.description)
    if (method === 'Log.entryAdded' && params.entry.level === 'error') problems.push(params.entry.text)
    if (method === 'Page.loadEventFired') loaded.resolve()
    if (method === 'Page.javascriptDialogOpening') problems.push(`dialog: ${params.message}`)
  })
  for (const domain of ['Page', 'Runtime', 'Log']) await send(`${domain}.enable`)
  const resize = (width: number, height: number) =>
    send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false })
  await resize(size.width, size.height)
  await send('Emulation.setFocusEmulationEnabled', { enabled: true })
  await send('Page.navigate', { url })
  await loaded.promise

  /** Evaluates an expression in the page. Promises are awaited. */
  const evaluate = async (expression: string): Promise<Loose> => {
    const { result, exceptionDetails } = await send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
      userGesture: true,
    })
    if (exceptionDetails !== undefined)
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
    return result.value
  }

  return {
    problems,
    send,
    evaluate,
    resize,
    /** Waits until the expression is true, and returns its value. */
    until: async (expression: string, withinMs = 10_000): Promise<Loose> => {
      const value = await evaluate(`(async () => {
        const end = performance.now() + ${withinMs}
        for (;;) {
          const value = await (${expression})
          if (value || performance.now() > end) return value
          await new Promise((resolve) => setTimeout(resolve, 10))
        }
      })()`)
      if (!value)
        throw new Error(
          `not true within ${withinMs} ms: ${expression}\n${await evaluate('document.body.innerText')}`,
        )
      return value
    },
    /** Presses a key, such as `ArrowDown`, or types a text. */
    press: async (...keys: readonly string[]): Promise<void> => {
      for (const key of keys) {
        const text = key === 'Enter' ? '\r' : key.length === 1 ? key : undefined
        const code = keyCodes[key]
        const event = { key, code: key, text, windowsVirtualKeyCode: code }
        await send('Input.dispatchKeyEvent', { type: 'keyDown', ...event })
        await send('Input.dispatchKeyEvent', { type: 'keyUp', ...event, text: undefined })
      }
    },
    screenshot: async (): Promise<Buffer> =>
      Buffer.from((await send('Page.captureScreenshot', { format: 'png' })).data, 'base64'),
    emulate: (scheme: 'dark' | 'light') =>
      send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] }),
  }
}

/** Chromium finds the action of a key by its Windows code. */
const keyCodes: Readonly<Record<string, number>> = {
  Tab: 9,
  Enter: 13,
  ' ': 32,
  PageUp: 33,
  PageDown: 34,
  End: 35,
  Home: 36,
  ArrowUp: 38,
  ArrowDown: 40,
}
