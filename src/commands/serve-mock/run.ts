// orderctl serve-mock: serves the embedded service over HTTP until it is interrupted or its command ends. Prints where it
// listens, and its access log. With --exec, runs the command against the service, and passes its exit code on.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { largeFile, readInput } from '../../app/read-input.ts'
import type { Context } from '../../context.ts'
import { tryReadJson } from '../../contract/json.ts'
import { formatViolation } from '../../contract/violations.ts'
import { exitCodes, Failure } from '../../errors.ts'
import { getErrorReason } from '../../files.ts'
import { readPackageFile } from '../../package-file.ts'
import { foreignHostStatus, isLoopback, serveOn } from '../../server/http-server.ts'
import { builtInCatalogue, type Catalogue } from '../../service/catalogue.ts'
import { type EmbeddedService, openEmbedded } from '../../service/embedded.ts'
import type { LogEntry } from '../../service/exchange-log.ts'
import { createInspector, inspectorPath, isFromInspector } from '../../service/inspector.ts'
import type { SeenAttempt } from '../../service/webhooks.ts'
import { renderFailure } from '../../ui/screens/failure.ts'
import { createLineLog, describeDroppedLines } from '../../ui/terminal/line-log.ts'
import { sanitize } from '../../ui/terminal/text.ts'
import { type Theme, themeFor } from '../../ui/terminal/view.ts'
import { fieldsOf, readSparse, renderJson, sparse } from '../../ui/text/result-fields.ts'
import { type NamedText, renderFields } from '../../ui/text/table.ts'
import type { ServeMockOptions } from './spec.ts'

const defaultPort = 4010
const defaultKey = 'sandbox'

/** Returns the exit code. */
export const serveMock = async (context: Context, options: ServeMockOptions): Promise<number> => {
  const { clock } = context
  const { exec, json, state, seed, latency, redeemShape, webhookSecret, noInspector } = options
  // With --exec, stdout belongs to the command.
  const log = exec ? context.stderr : context.stdout
  const theme = themeFor(log)
  const renderDropped = (lineCount: number) =>
    toLine({ event: 'dropped', occurredAt: clock.now(), lineCount })
  const lines = createLineLog(log, clock, json ? renderDropped : describeDroppedLines)
  const { renderRequest, renderAttempt } = json ? jsonLog : createAccessLog(theme)

  const apiKey = chooseKey(options)
  const catalogue = await readCatalogue(context, options)
  // The port is opened first: if it is in use, the state file stays untouched.
  const opened = Promise.withResolvers<EmbeddedService>()
  const listener = await serveOn(async (request) => (await opened.promise).transport(request), {
    host: options.host,
    // With --exec, several jobs may run at once on one machine.
    port: options.port ?? (exec ? 0 : defaultPort),
    allowedHosts: new Set(options.allowHost),
    clock,
    isFromOwnPage: isFromInspector,
    onRefused: async (request, status, message) => {
      if (status === foreignHostStatus) (await opened.promise).recordRefusal(request, status, message)
    },
    onDefect: (error) => context.stderr.write(`error: ${error instanceof Error ? error.message : error}\n`),
  })
  try {
    // Without dashes, the URL fits on a line of a terminal.
    const token = clock.newId().replaceAll('-', '')
    const readFile = (name: string) => readPackageFile(`dist/inspector/${name}`)
    const embedded = openEmbedded({
      ...{ clock, catalogue, apiKey, stateFile: state, processingMs: options.processingTime },
      ...{ seed, latency, redeemShape, webhookSecret, faults: options.fault },
      webhookAllowed: new Set(options.webhookAllow),
      finalWebhook: !options.noFinalWebhook,
      onRequest: (seen) => lines.write(renderRequest(seen)),
      onAttempt: (seen) => lines.write(renderAttempt(seen)),
      openInspector: noInspector ? undefined : (parts) => createInspector({ token, readFile }, parts),
    })
    opened.resolve(embedded)
    const url = listener.origin
    const key = options.apiKey === undefined ? apiKey : undefined
    const inspector = noInspector ? undefined : `${url}${inspectorPath}#${token}`
    const listening: Listening = { url, key, seed: embedded.seed, state, inspector }
    const announce = exec ? renderRunning : renderListening
    const text = announce(listening, theme, log.isTerminal)
    log.write(json ? toLine({ event: 'listening', ...listening, stateFile: state }) : text)
    const work = exec ? () => runCommand(context, options, url, apiKey) : () => waitUntilStopped(context)
    return await withBackground(embedded, () => work().finally(listener.close))
  } finally {
    await listener.close()
    await lines.end()
  }
}

/** The background work ends first only if the state file failed. */
const withBackground = async (embedded: EmbeddedService, work: () => Promise<number>): Promise<number> => {
  const stopping = new AbortController()
  const background = embedded.run(stopping.signal)
  try {
    return (await Promise.race([work(), background])) ?? exitCodes.internal.code
  } finally {
    stopping.abort()
    await background.finally(embedded.close)
  }
}

const lineFields = fieldsOf({
  event: ['text', 'listening, request, webhook or dropped'],
  url: ['text', 'where it listens'],
  key: ['text', 'the default key'],
  seed: ['text', 'what its codes are made from'],
  stateFile: ['text', 'where its state is kept'],
  inspector: ['text', 'the URL of its page'],
  occurredAt: ['time', 'when'],
  ms: ['count', 'how long it took'],
  method: ['text', 'of a request'],
  path: ['text', 'of a request'],
  httpStatus: ['count', 'of the response, if there was one'],
  orderId: ['text', 'the order'],
  fault: ['text', 'the fault of --fault'],
  deliveryId: ['text', 'the delivery'],
  origin: ['text', 'the receiver of the delivery'],
  trigger: ['text', 'confirmed or final'],
  number: ['count', 'the number of the attempt'],
  deliveryState: ['text', 'delivered, pending or given-up'],
  retryInMs: ['count', 'when the next attempt follows'],
  message: ['text', 'of the response, or why it was not delivered'],
  lineCount: ['count', 'lines that were dropped, because the reader stalled'],
})

/** Of --json. */
export const mockLine = sparse(lineFields, 'event')

const toLine = (line: object): string => renderJson(readSparse(lineFields, line), { oneLine: true })

const jsonLog = {
  renderRequest: ({ at: occurredAt, status: httpStatus, ...seen }: LogEntry): string =>
    toLine({ event: 'request', ...seen, occurredAt, httpStatus }),
  renderAttempt: (seen: SeenAttempt): string => {
    const { at: occurredAt, status: httpStatus, id: deliveryId, event: trigger, state: deliveryState } = seen
    const facts = { occurredAt, httpStatus, deliveryId, trigger, deliveryState, message: seen.error }
    return toLine({ ...seen, event: 'webhook', ...facts, url: undefined })
  },
}

// Everybody knows the default key, so it protects only a loopback address.
const chooseKey = ({ apiKey, host }: ServeMockOptions): string => {
  if (apiKey !== undefined) return apiKey
  if (host === 'localhost' || isLoopback(host)) return defaultKey
  throw new Failure('usage', `--host ${host} can be reached from other machines, so it needs --api-key`, {
    field: '--api-key',
    advice: 'Add --api-key and a key of your choice.',
  })
}

const readCatalogue = async (context: Context, options: ServeMockOptions): Promise<Catalogue> => {
  const { catalogue: file, rates } = options
  const catalogue = file === undefined ? builtInCatalogue() : await readCatalogueFile(context, file)
  const byPair = new Map(
    [...catalogue.rates, ...rates].map((rate) => [`${rate.baseCurrency}/${rate.targetCurrency}`, rate]),
  )
  return { ...catalogue, rates: [...byPair.values()] }
}

const readCatalogueFile = async (context: Context, file: string): Promise<Catalogue> => {
  const field = '--catalogue'
  const text = await readInput(context, file, 'the catalogue', largeFile)
  const { document, problem } = tryReadJson(text, largeFile)
  if (problem !== undefined)
    throw new Failure('usage', `the catalogue ${file} ${problem.message}`, { field, cause: problem })
  const { checkCatalogue } = await import('../../service/catalogue-file.ts')
  const checked = checkCatalogue(document)
  if ('catalogue' in checked) return checked.catalogue
  const violations = checked.violations.map(formatViolation)
  throw new Failure('usage', `the catalogue ${file} is not valid`, { field, violations })
}

const waitUntilStopped = async ({ interrupted, stdout }: Context): Promise<number> => {
  const ended = AbortSignal.any([interrupted, stdout.broken])
  if (!ended.aborted) await new Promise((resolve) => ended.addEventListener('abort', resolve, { once: true }))
  return 0
}

export type Listening = {
  readonly url: string
  /** The default key. Undefined for a key from --api-key, which is not repeated. */
  readonly key: string | undefined
  readonly seed: string
  /** The state file, or `:memory:`. */
  readonly state: string
  /** The URL of the inspector, with its token. Undefined with --no-inspector. */
  readonly inspector: string | undefined
}

const renderListening = ({ url, key, seed, state, inspector }: Listening, theme: Theme): string => {
  const keyText = sanitize(key ?? 'from --api-key')
  const fields: NamedText[] = [
    ['url', theme.strong(url)],
    ['key', `${keyText}  ${theme.quiet('(Authorization: Bearer KEY, or x-api-key: KEY)')}`],
    ['inspector', inspector],
    ['control', `${url}/_mock/`],
    ['openapi', `${url}/openapi.json`],
    ['state', state === ':memory:' ? 'in memory (use --state FILE to keep it)' : sanitize(state)],
    ['seed', `${sanitize(seed)}  ${theme.quiet('(use --seed to get the same codes again)')}`],
  ]
  return (
    `${theme.strong('serve-mock is listening. No real money is spent.')}\n` +
    renderFields(fields, { theme }, '  ') +
    `${theme.quiet('Each request is logged below. Press Ctrl-C to stop.')}\n`
  )
}

/** For --exec: one line, or two on a terminal, before the output of the command. */
const renderRunning = ({ url, key, inspector }: Listening, theme: Theme, isTerminal: boolean) =>
  theme.quiet(
    `serve-mock: listening on ${url}${key === undefined ? '' : `, key ${sanitize(key)}`}\n` +
      (isTerminal && inspector !== undefined ? `inspector: ${inspector}\n` : ''),
  )

/** The access log: a line for each request, and for each attempt to deliver a webhook. */
export const createAccessLog = ({ quiet, good, warning, bad }: Theme) => {
  const formatClock = (at: number): string => quiet(new Date(at).toTimeString().slice(0, 8))
  type Seen = { readonly at: number; readonly ms: number; readonly status?: number | null }
  const formatLine = (
    { at, ms, status }: Seen,
    paint: Theme['good'],
    [what, where, ...details]: readonly [string, string, ...string[]],
  ): string => {
    const result = paint(String(status ?? '---'))
    const head = [formatClock(at), what.padEnd(4), sanitize(where).padEnd(14), result, `${ms} ms`.padStart(6)]
    return `${[...head, ...details.filter((each) => each !== '')].join('  ')}\n`
  }
  return {
    renderRequest: (seen: LogEntry): string => {
      const { method, path, status, orderId = '', message = '', fault } = seen
      const paint = status === null || status >= 500 ? bad : status >= 400 ? warning : good
      const cause = fault === undefined ? '' : quiet(`(fault: ${fault})`)
      return formatLine(seen, paint, [method, path, sanitize(orderId), sanitize(message), cause])
    },
    renderAttempt: (seen: SeenAttempt): string => {
      const { origin, orderId, event, number, error = '', state, retryInMs = 0 } = seen
      const [paint, next] = {
        delivered: [good, ''] as const,
        pending: [warning, `next in ${Math.ceil(retryInMs / 1000)} s`] as const,
        'given-up': [bad, 'no further attempt'] as const,
      }[state]
      const detail = [`webhook ${event}, attempt ${number}`, error, next].filter((text) => text !== '')
      return formatLine(seen, paint, ['hook', origin, sanitize(orderId), sanitize(detail.join('; '))])
    },
  }
}

/** Returns the exit code of the command. */
export const runCommand = async (
  context: Context,
  { command, state, json }: ServeMockOptions,
  url: string,
  key: string,
): Promise<number> => {
  // A journal remembers the orders of each address, but a service in memory begins without orders. At the same port, the
  // journal would refuse the references of the last run.
  const needsFolder = !context.environment.ORDERCTL_STATE_DIR && state === ':memory:'
  await using folder = needsFolder ? await createStateFolder(context) : undefined
  const child = context.run(command, {
    ORDERCTL_BASE_URL: url,
    ORDERCTL_API_KEY: key,
    // There is no real money.
    ORDERCTL_ALLOW_AGENT: '1',
    ...(folder === undefined ? {} : { ORDERCTL_STATE_DIR: folder.path }),
    // These may be set for another account.
    ORDERCTL_PROFILE: undefined,
    ORDERCTL_AUTH: undefined,
    ORDERCTL_ACCOUNT: undefined,
  })
  const passSignal = (): void => {
    const name = context.interrupted.reason as NodeJS.Signals
    // On a terminal, Ctrl-C has reached the command already. A second signal would end it at once.
    if (name !== 'SIGINT' || !context.stderr.isTerminal) child.signal(name)
  }
  context.interrupted.addEventListener('abort', passSignal, { once: true })
  if (context.interrupted.aborted) passSignal()
  try {
    return await child.ended
  } catch (error) {
    const [code, why] = startFailures.get((error as NodeJS.ErrnoException).code ?? '') ?? [
      126,
      getErrorReason(error),
    ]
    const message = `cannot run ${sanitize(command[0] ?? '')}: ${why}`
    const failure = new Failure('usage', message, { field: '--exec', cause: error })
    context.stderr.write(renderFailure(failure, context, json))
    return code
  }
}

const createStateFolder = async ({ environment }: Context) => {
  const temporary = environment.TMPDIR || tmpdir()
  try {
    const folder = await mkdtemp(path.resolve(temporary, 'orderctl-exec-'))
    // The command has ended, so a folder that cannot be removed must not change the exit code.
    const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => {})
    return { path: folder, [Symbol.asyncDispose]: remove }
  } catch (error) {
    throw new Failure('local-state', `cannot create a folder in ${temporary}: ${getErrorReason(error)}`, {
      field: 'ORDERCTL_STATE_DIR',
      advice: 'Set ORDERCTL_STATE_DIR to a folder for the journal of the command.',
      cause: error,
    })
  }
}

/** The exit codes that shells use for a command that cannot run. */
const startFailures = new Map<string, readonly [code: number, why: string]>([
  ['ENOENT', [127, 'command not found']],
  ['EACCES', [126, 'not executable']],
])
