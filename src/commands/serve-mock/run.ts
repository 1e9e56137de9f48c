// orderctl serve-mock: the embedded service behind a socket, until it is interrupted or its command has ended.
import type { Context } from '../../context.ts'
import { JsonError, readJson } from '../../contract/json.ts'
import { formatViolation } from '../../contract/violations.ts'
import { Failure } from '../../errors.ts'
import { exitCodes } from '../../exit-codes.ts'
import { getErrorReason } from '../../files.ts'
import { builtInCatalogue, type Catalogue } from '../../service/catalogue.ts'
import { type Embedded, openEmbedded } from '../../service/embedded.ts'
import { isLoopback } from '../../service/socket/host-check.ts'
import { listen } from '../../service/socket/listen.ts'
import type { LogEntry } from '../../service/socket/request-log.ts'
import { renderFailure } from '../../ui/screens/failure.ts'
import { type Listening, renderListening, renderRunning } from '../../ui/screens/listening.ts'
import { leftOutLine, requestLines } from '../../ui/screens/request-line.ts'
import { lineBuffer } from '../../ui/terminal/line-buffer.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { themeFor } from '../../ui/terminal/theme.ts'
import { readInput } from '../shared/read-input.ts'
import type { ServeMockOptions } from './options.ts'

const defaultKey = 'sandbox'

/** The exit code. */
export const serveMock = async (context: Context, input: ServeMockOptions): Promise<number> => {
  const { clock } = context
  const runsCommand = input.command.length > 0
  // With --exec, stdout is the command's.
  const log = runsCommand ? context.stderr : context.stdout
  const theme = themeFor(log)
  const lines = lineBuffer(log, clock, (count) =>
    input.json ? `${JSON.stringify({ event: 'left-out', requests: count })}\n` : leftOutLine(count),
  )
  const lineOf = input.json ? requestJson : requestLines(theme)

  const apiKey = keyFor(input)
  const catalogue =
    input.catalogueFile === undefined ? builtInCatalogue() : await readCatalogue(context, input.catalogueFile)
  // First the port: where it is taken, the state file must not have been touched.
  const opened = Promise.withResolvers<Embedded>()
  const listener = await listen(async (request) => (await opened.promise).transport(request), {
    ...input,
    clock,
    onDefect: (error) => context.stderr.write(`error: ${error instanceof Error ? error.message : error}\n`),
  })
  try {
    const embedded = openEmbedded({
      ...input,
      clock,
      catalogue,
      apiKey,
      onRequest: (seen) => lines.write(lineOf(seen)),
    })
    opened.resolve(embedded)
    const { seed } = embedded
    const url = listener.origin
    const key = input.apiKey === undefined ? apiKey : undefined
    const listening: Listening = { url, key, seed, state: input.stateFile }
    const announce = runsCommand ? renderRunning : renderListening
    log.write(
      input.json ? `${JSON.stringify({ event: 'listening', ...listening })}\n` : announce(listening, theme),
    )
    return await withBackground(embedded, async () => {
      const ended = runsCommand ? runCommand(context, input, { url, key: apiKey }) : untilStopped(context)
      return ended.finally(listener.close)
    })
  } finally {
    await listener.close()
    await lines.end()
  }
}

/** The background ends before the work only where the state itself has failed. */
const withBackground = async (embedded: Embedded, work: () => Promise<number>): Promise<number> => {
  const stopping = new AbortController()
  const background = embedded.run(stopping.signal)
  try {
    return (await Promise.race([work(), background])) ?? exitCodes.internal.code
  } finally {
    stopping.abort()
    await background.finally(embedded.close)
  }
}

const requestJson = (seen: LogEntry): string =>
  `${JSON.stringify({ ...seen, at: new Date(seen.at).toISOString() })}\n`

// On another address than loopback, the documented key would be no key.
const keyFor = ({ apiKey, host }: ServeMockOptions): string => {
  if (apiKey !== undefined) return apiKey
  if (host === 'localhost' || isLoopback(host)) return defaultKey
  throw new Failure('usage', `--host ${host} can be reached by others, so it needs a key of your own`, {
    field: '--api-key',
    fix: `orderctl serve-mock --host ${host} --api-key YOUR-KEY`,
  })
}

const readCatalogue = async (context: Context, file: string): Promise<Catalogue> => {
  const wrong = (message: string, details = {}) =>
    new Failure('usage', message, { field: '--catalogue', ...details })
  const text = await readInput(context, file, 'the catalogue')
  let document: unknown
  try {
    document = readJson(text)
  } catch (error) {
    throw error instanceof JsonError
      ? wrong(`the catalogue ${file} ${error.message}`, { cause: error })
      : error
  }
  const { checkCatalogue } = await import('../../service/catalogue-file.ts')
  const checked = checkCatalogue(document)
  if ('catalogue' in checked) return checked.catalogue
  throw wrong(`the catalogue ${file} is not valid`, { violations: checked.violations.map(formatViolation) })
}

const untilStopped = async ({ interrupted, stdout }: Context): Promise<number> => {
  const ended = AbortSignal.any([interrupted, stdout.broken])
  if (!ended.aborted) await new Promise((resolve) => ended.addEventListener('abort', resolve, { once: true }))
  return 0
}

const runCommand = async (
  context: Context,
  { command, json }: ServeMockOptions,
  { url, key }: { readonly url: string; readonly key: string },
): Promise<number> => {
  const child = context.run(command, {
    ORDERCTL_BASE_URL: url,
    ORDERCTL_API_KEY: key,
    // These may be set for another account.
    ORDERCTL_PROFILE: undefined,
    ORDERCTL_AUTH: undefined,
    ORDERCTL_ACCOUNT: undefined,
  })
  const pass = (): void => {
    const name = context.interrupted.reason as NodeJS.Signals
    // Ctrl-C on a terminal has reached the command already; twice, it would take it for impatience.
    if (name !== 'SIGINT' || !context.stderr.isTerminal) child.signal(name)
  }
  context.interrupted.addEventListener('abort', pass, { once: true })
  if (context.interrupted.aborted) pass()
  return child.ended.catch(async (error: NodeJS.ErrnoException) => {
    const [code, why] = unstarted.get(error.code ?? '') ?? [126, getErrorReason(error)]
    const failure = new Failure('usage', `cannot run ${sanitize(command[0] ?? '')}: ${why}`, {
      field: '--exec',
      cause: error,
    })
    context.stderr.write(renderFailure(failure, context.stderr, json))
    return code
  })
}

/** As shells have it: the exit code is the command's, also where there is none. */
const unstarted = new Map<string, readonly [code: number, why: string]>([
  ['ENOENT', [127, 'there is no such command']],
  ['EACCES', [126, 'it is not executable']],
])
