// The official client as an assistant, connected to `orderctl mcp` in process or to the built executable.
import { PassThrough } from 'node:stream'
import { Client, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { onTestFinished } from 'vitest'
import type { Situation } from './in-process.ts'
import { executable } from './orderctl.ts'
import type { World } from './world.ts'

/** A request of the client to a tool. */
export type Request = { readonly signal?: AbortSignal; readonly onprogress?: (message: string) => void }

/** The same for each line of JSON in a stream of text. */
const onEachLine = (handle: (line: string) => void) => {
  let rest = ''
  return (text: string): void => {
    const lines = `${rest}${text}`.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) handle(line)
  }
}

const inProcess = (shop: World, words: readonly string[], situation: Situation) => {
  const stdin = new PassThrough()
  const transport: Transport = {
    start: async () => {},
    send: async (message) => void stdin.write(`${JSON.stringify(message)}\n`),
    close: async () => {
      stdin.end()
      transport.onclose?.()
    },
  }
  const onOutput = onEachLine((line) => transport.onmessage?.(JSON.parse(line) as JSONRPCMessage))
  const ended = shop.runIn(['mcp', ...words], { ...situation, conversation: { stdin, onOutput } })
  return { transport, ended, kill: (_signal?: NodeJS.Signals) => void stdin.destroy() }
}

const inExecutable = (shop: World, words: readonly string[]) => {
  const [command = '', ...args] = executable
  const transport = new StdioClientTransport({
    command,
    args: [...args, 'mcp', ...words],
    env: { PATH: process.env.PATH ?? '', HOME: shop.home, ...shop.variables },
    cwd: shop.home,
    stderr: 'ignore',
  })
  const kill = (signal: NodeJS.Signals = 'SIGKILL') => {
    if (transport.pid !== null) process.kill(transport.pid, signal)
  }
  return { transport, ended: Promise.resolve(undefined), kill }
}

type Options = Situation & {
  readonly byExecutable?: boolean
  /** Default: after the test. */
  readonly finished?: (end: () => Promise<void>) => void
}

/** `words`: the flags of `orderctl mcp`. */
export const openAssistant = async (
  shop: World,
  words: readonly string[] = [],
  { byExecutable = false, finished = onTestFinished, ...situation }: Options = {},
) => {
  const { transport, ended, kill } = byExecutable
    ? inExecutable(shop, words)
    : inProcess(shop, words, situation)
  const client = new Client({ name: 'assistant', version: '1' })
  /** Everything that the server has sent. */
  const received: string[] = []
  await client.connect(transport)
  const { onmessage } = transport
  transport.onmessage = (message, extra) => {
    received.push(JSON.stringify(message))
    onmessage?.(message, extra)
  }
  const close = async () => {
    await client.close()
    return ended
  }
  finished(async () => void (await close()))
  /** The content of the response to a tool call: the same as text and as structured content, unless it is an error. */
  const call = async (name: string, given: object = {}, { signal, onprogress }: Request = {}) => {
    const response = await client.callTool(
      { name, arguments: given as Record<string, unknown> },
      {
        ...(signal && { signal }),
        ...(onprogress && { onprogress: ({ message }) => onprogress(message ?? '') }),
      },
    )
    const [content] = response.content
    const text = content?.type === 'text' ? content.text : ''
    const document = JSON.parse(text)
    if (response.isError !== true && JSON.stringify(document) !== JSON.stringify(response.structuredContent))
      throw new Error('the text differs from the structured content')
    return { ...document, isError: response.isError === true }
  }
  return { client, call, close, kill, received, ended }
}

/** An order file. */
export const orderOf = (reference: string, quantity = 1, more: object = {}) => ({
  productList: [{ sku: 'GAME-US', productType: 'fixed', quote: 25, quantity }],
  wallet: 'USD',
  reference,
  ...more,
})
