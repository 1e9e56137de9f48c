// The steps of `orderctl mcp`: account → server on stdin and stdout → until the assistant or a signal ends it.
import { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Context } from '../../context.ts'
import { exitCodes } from '../../exit-codes.ts'
import { environmentName } from '../../profiles/profile.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { accountOf } from '../shared/account.ts'
import type { Program } from '../shared/spec.ts'
import type { Server } from './run-line.ts'
import { createServer } from './server.ts'
import type { McpOptions } from './spec.ts'

/** Returns the exit code. */
export const serve = async (context: Context, options: McpOptions, program: Program): Promise<number> => {
  const { stdin, stdout, stderr, interrupted } = context
  const shop = await openShop(context, options, program)
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
  return exitCodes.ok.code
}

/** The account stays the same, even if another profile is chosen meanwhile. */
const openShop = async (
  context: Context,
  { profile, allow, maxTotal }: McpOptions,
  { runWords }: Program,
): Promise<Server> => {
  const account = await accountOf(context, { profile, allowHttp: true }, { needsKey: false })
  const { name } = account
  return {
    ...{ context, runWords, account, maxTotal },
    suggest: name === environmentName ? context.suggest : context.suggest.onProfile(name),
    allowed: new Set(['get', ...(allow === 'create' ? [allow] : [])]),
  }
}

const toStream = (stdout: Context['stdout']): Writable =>
  new Writable({
    decodeStrings: false,
    write: (text, _encoding, done) => {
      stdout.write(String(text))
      stdout.flushed().then(() => done(), done)
    },
  })
