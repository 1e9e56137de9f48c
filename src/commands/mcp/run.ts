// The steps of `orderctl mcp`: account → server on stdin and stdout → until the assistant or a signal ends it.
import { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import * as mcp from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import * as z from 'zod/mini'
import { accountWithoutKey } from '../../app/account.ts'
import type { Program } from '../../cli/spec.ts'
import type { Context } from '../../context.ts'
import { createOrderFileSchema } from '../../contract/openapi/examples.ts'
import { environmentName } from '../../profiles/store.ts'
import { sanitize } from '../../ui/terminal/text.ts'
import type { LineCall, Server } from './run-line.ts'
import type { McpOptions } from './spec.ts'
import {
  type Arguments,
  callTool,
  createOrder,
  describeInputs,
  prompts,
  readTools,
  resources,
  type Tool,
  type ToolResult,
} from './tools.ts'

export const serve = async (context: Context, options: McpOptions, program: Program): Promise<void> => {
  const { stdin, stdout, stderr, interrupted } = context
  const { profile, allow, maxTotal } = options
  // The account stays the same, even if another profile is chosen meanwhile.
  const account = await accountWithoutKey(context, profile)
  const shop: Server = {
    context,
    runWords: program.runWords,
    inputs: await describeInputs(program.loadSpec),
    account,
    maxTotal,
    suggest: account.name === environmentName ? context.suggest : context.suggest.onProfile(account.name),
    allowed: new Set(allow === 'create' ? ['get', 'create'] : ['get']),
  }
  if (stdin.isTerminal) stderr.write('Waiting for an assistant on standard input. Ctrl-C ends it.\n')
  const input = stdin.stream()
  const running = new Set<Promise<unknown>>()
  const server = serveStdio(() => createServer(shop, running), {
    transport: new StdioServerTransport(input, toStream(stdout)),
    onerror: (error) => stderr.write(`warning: ${sanitize(error.message)}\n`),
  })
  const signal = AbortSignal.any([interrupted, stdout.broken])
  await finished(input, { signal }).catch(() => {})
  await server.close()
  // A create that was sent is recorded before the process ends.
  await Promise.allSettled(running)
  input.destroy()
}

const toStream = (stdout: Context['stdout']): Writable =>
  new Writable({
    decodeStrings: false,
    write: (text, _encoding, done) => {
      stdout.write(String(text))
      stdout.flushed().then(() => done(), done)
    },
  })

const instructions =
  'orderctl orders gift cards and vouchers. You can read orders and prepare them. Only a person can confirm an order, ' +
  'in a terminal: no tool does. Codes, PINs, serial numbers and links are masked, and you cannot reveal them.'

/** `running`: the calls in progress. */
const createServer = (shop: Server, running: Set<Promise<unknown>>): mcp.McpServer => {
  const { version } = shop.context
  const server = new mcp.McpServer({ name: 'orderctl', title: 'orderctl', version }, { instructions })
  const inTurn = createQueue()

  const runTool = async (tool: Tool, given: Arguments, context: mcp.ServerContext): Promise<ToolResult> => {
    const { order, reference, name } = given
    const key = order ?? (reference === undefined ? name : `ref:${reference}`)
    const called = inTurn(key, () => callTool(shop, tool, given, toCall(context)))
    running.add(called)
    return called.finally(() => running.delete(called))
  }

  for (const tool of shop.allowed.has('create') ? [...readTools, createOrder] : readTools) {
    server.registerTool(tool.name, describeTool(tool, shop), async (given, context) => {
      const { content, isError } = await runTool(tool, (given ?? {}) as Arguments, context)
      const text = JSON.stringify(content, undefined, 2)
      return {
        content: [{ type: 'text', text }],
        ...(isError ? { isError } : { structuredContent: content }),
      }
    })
  }

  const mimeType = 'application/json'
  const toContents = (uri: string, document: object) => ({
    contents: [{ uri, mimeType, text: JSON.stringify(document, undefined, 2) }],
  })
  const schema = { title: 'The JSON Schema of an order file', mimeType }
  server.registerResource('order-file', 'orderctl://schemas/order-file', schema, ({ href }) =>
    toContents(href, createOrderFileSchema()),
  )
  for (const [kind, title, tool, toArguments] of resources) {
    const template = new mcp.ResourceTemplate(`orderctl://${kind}/{name}`, { list: undefined })
    server.registerResource(kind, template, { title, mimeType }, async ({ href }, { name }, context) => {
      const given = toArguments(decodeURIComponent(String(name)))
      const { content, isError } = await runTool(tool, given, context)
      if (isError) throw new mcp.ProtocolError(mcp.ProtocolErrorCode.InvalidParams, 'cannot be read', content)
      return toContents(href, content)
    })
  }

  for (const { name, title, asks, write } of prompts) {
    const fields = Object.entries(asks).map(([key, what]) => [key, z.string().check(z.describe(what))])
    const input = z.object(Object.fromEntries(fields))
    const described = { title, description: title, argsSchema: describe(input, input) }
    server.registerPrompt(name, described, (given) => ({
      messages: [{ role: 'user', content: { type: 'text', text: write(given as Arguments) } }],
    }))
  }
  return server
}

const describeTool = ({ name, description, output, source, adds }: Tool, { inputs }: Server) => ({
  title: `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll('_', ' ')}`,
  description,
  inputSchema: describe(inputs.get(name) ?? z.never()),
  outputSchema: describe(
    z.object({
      ...{ source: z.literal(source), warning: z.string(), data: output, notes: z.array(z.string()) },
      ...{ command: z.optional(z.nullable(z.string())), advice: z.optional(z.string()) },
    }),
  ),
  annotations: {
    readOnlyHint: adds === undefined,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: source === 'service',
  },
})

/** Shows the schema to the client. Without `check`, the tool checks its arguments itself. */
const describe = (schema: z.ZodMiniType, check?: z.ZodMiniType): mcp.StandardSchemaWithJSON => {
  const convert = () => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  const validate = (value: unknown) => check?.['~standard'].validate(value) ?? { value }
  const jsonSchema = { input: convert, output: convert }
  return { '~standard': { version: 1, vendor: 'orderctl', validate, jsonSchema } }
}

const toCall = ({ mcpReq }: mcp.ServerContext): LineCall => {
  const progressToken = mcpReq._meta?.progressToken
  let progress = 0
  return {
    signal: mcpReq.signal,
    report: (message) => {
      if (progressToken === undefined || mcpReq.signal.aborted) return
      progress += 1
      const params = { progressToken, progress, message }
      // The client may be gone.
      void mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {})
    },
  }
}

/** Work with the same key runs one after the other. Work without a key does not wait. */
const createQueue = () => {
  const last = new Map<unknown, Promise<unknown>>()
  return <Value>(key: unknown, work: () => Promise<Value>): Promise<Value> => {
    if (key === undefined) return work()
    const next = (last.get(key) ?? Promise.resolve()).then(work, work)
    const forget = () => last.get(key) === next && last.delete(key)
    next.then(forget, forget)
    last.set(key, next)
    return next
  }
}
