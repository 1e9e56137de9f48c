// Runs a command line for an assistant, and reads its JSON. The command cannot prompt, print, or send a confirm. Makes texts
// safe for the assistant: without control characters, short, and marked with their source, because the name of a product may
// contain instructions.

import { Readable } from 'node:stream'
import type * as z from 'zod/mini'
import type { Program } from '../../cli/spec.ts'
import type { Network } from '../../client/network.ts'
import type { Context } from '../../context.ts'
import { jsonLimits, readJson } from '../../contract/json.ts'
import { type Decimal, formatDecimal, isDecimal } from '../../contract/money/decimal.ts'
import { findOperation, NotSentError, type Transport } from '../../contract/transport.ts'
import { createDefect, Failure } from '../../errors.ts'
import type { Account } from '../../profiles/account.ts'
import { environmentName } from '../../profiles/store.ts'
import { flagName } from '../../text/flags.ts'
import { createSuggest, type Suggest } from '../../text/suggest.ts'
import { renderFailure } from '../../ui/screens/failure.ts'
import type { Writer } from '../../ui/terminal/io.ts'
import { sanitize } from '../../ui/terminal/text.ts'

export type CommandLine = {
  /** Such as `batch plan`. */
  readonly command: string
  /** By their keys, such as `maxTotal`. */
  readonly flags?: Readonly<Record<string, unknown>>
  readonly args?: readonly string[]
  /** A document on standard input, for the argument `-`. */
  readonly input?: unknown
}

/** What the command printed on stderr, and its result: a document, or the error of --json. */
export type Ran = { readonly notes: readonly string[] } & (
  | { readonly document: unknown; readonly error?: undefined }
  | { readonly document?: undefined; readonly error: object }
)

/** The request of the assistant that the command runs for. */
export type LineCall = {
  readonly signal: AbortSignal
  /** Says what happens meanwhile. */
  readonly report: (message: string) => void
}

export type Server = {
  readonly context: Context
  readonly runWords: Program['runWords']
  /** What describes the arguments of each tool, by its name. */
  readonly inputs: ReadonlyMap<string, z.ZodMiniType>
  readonly account: Account
  readonly suggest: Suggest
  /** The operations that the assistant may cause. */
  readonly allowed: ReadonlySet<string>
  readonly maxTotal: Decimal | undefined
}

/** Runs the work in a context of its own. Its stdout is kept. */
export const runFor = async (
  { context, allowed, maxTotal }: Server,
  call: LineCall,
  input: unknown,
  work: (context: Context, stdout: readonly string[]) => Promise<unknown>,
): Promise<Ran> => {
  const stdout: string[] = []
  const notes: string[] = []
  const addNotes = (text: string): void => {
    // A note may name an order, and its id may be any text.
    for (const note of text.split('\n').map((each) => markText(each, 'service'))) {
      if (note === '') continue
      notes.push(note)
      call.report(note)
    }
  }
  const environment = { ...context.environment, ORDERCTL_DEBUG: undefined }
  const own: Context = {
    ...context,
    environment,
    assistant: { maxTotal: maxTotal && formatDecimal(maxTotal) },
    suggest: createSuggest({ environment, platform: context.platform }),
    interrupted: AbortSignal.any([context.interrupted, call.signal]),
    stdin: {
      isTerminal: false,
      stream: () => Readable.from(Buffer.from(input === undefined ? '' : JSON.stringify(input))),
    },
    stdout: keep((text) => stdout.push(text)),
    stderr: keep(addNotes),
    openTerminal: async () => undefined,
    openNetwork: async (options) => limitNetwork(await context.openNetwork(options), allowed, call),
  }
  try {
    call.signal.throwIfAborted()
    return { document: await work(own, stdout), notes }
  } catch (error) {
    return { error: toErrorObject(error, own), notes }
  }
}

export const runLine = (server: Server, line: CommandLine, call: LineCall): Promise<Ran> =>
  runFor(server, call, line.input, async (context, stdout) => {
    await server.runWords(toWords(line, server.account), context)
    return readJson(stdout.join(''), documentLimits)
  })

/** A document repeats a response of the service with indentation. */
const documentLimits = { maxBytes: 16 * jsonLimits.maxBytes, maxDepth: 2 * jsonLimits.maxDepth }

/** Each value is a part of its flag, or follows `--`, so that none can be read as another flag. */
const toWords = ({ command, flags, args = [] }: CommandLine, { name: profile }: Account): string[] => {
  // Only as a filter, --profile takes the name of the environment.
  const isNamed = profile !== environmentName || command === 'list' || command === 'report'
  const given = { ...flags, profile: isNamed ? profile : undefined, json: true }
  const words = Object.entries(given).flatMap(([name, values]) =>
    [values].flat().flatMap((value) => {
      if (typeof value === 'boolean') return value ? [flagName(name)] : []
      return value === undefined ? [] : [`${flagName(name)}=${value}`]
    }),
  )
  return [...command.split(' '), ...words, '--', ...args]
}

/** No command line of a tool leads to another operation. This is the second lock. */
export const limitNetwork = (network: Network, allowed: ReadonlySet<string>, call: LineCall): Network => {
  const limited: Transport = async (request) => {
    const operation = findOperation(request.method, request.path) ?? ''
    if (!allowed.has(operation)) throw new NotSentError(`an assistant may not ${operation}`)
    call.report(`sending ${operation}`)
    return network(request)
  }
  return Object.assign(limited, { close: network.close })
}

const keep = (add: (text: string) => void): Writer => ({
  write: add,
  offer: (bytes) => bytes.length,
  beforeNext: () => {},
  flushed: async () => {},
  broken: new AbortController().signal,
  isTerminal: false,
  isQuiet: false,
  colour: false,
  width: 80,
  height: 24,
  warnings: undefined,
  warn: (text) => add(`warning: ${text}\n`),
})

/** The object that --json prints, with at most 100 violations. The service's own words in it are marked. */
const toErrorObject = (error: unknown, context: Context): object => {
  const failure = error instanceof Failure ? error : createDefect(error, { advice: 'Report this defect.' })
  const { reason, message, details } = failure
  const { orderId = '', quotes = [], advice } = details
  const foreign = [...quotes, orderId].filter((text) => !isWord(text))
  const markQuotes = (text: string): string =>
    foreign.reduce((marked, quote) => marked.replaceAll(quote, () => markText(quote, 'service')), text)
  // Quoted in a command, an id could not be marked.
  const remedy = isWord(orderId)
    ? {}
    : { fix: undefined, advice: typeof advice === 'string' ? advice : undefined }
  // Printing shortens long words, so that a text is no longer found.
  const marked = new Failure(reason, markQuotes(message), { ...details, ...remedy })
  const { error: printed } = JSON.parse(renderFailure(marked, context, true))
  const mark = (name: string, value: unknown): unknown => {
    if (Array.isArray(value)) return value.slice(0, 100).map((each) => mark(name, each))
    if (typeof value !== 'string') return value
    if (name === 'warnings') return markText(value, 'service')
    return cutText(name === 'message' ? value : markQuotes(value))
  }
  return Object.fromEntries(Object.entries(printed).map(([name, value]) => [name, mark(name, value)]))
}

export type Source = 'service' | 'journal'

const maxLength = 500

const cutText = (text: string): string => {
  const shown = sanitize(text)
  return shown.length > maxLength ? `${shown.slice(0, maxLength).toWellFormed()}… (cut)` : shown
}

/** Such as an id, a SKU, a time or a masked code. Japanese has no spaces, so only ASCII counts. */
export const isWord = (text: string): boolean => text.length <= 64 && /^[\x21-\x7e•…]*$/.test(text)

const markText = (text: string, source: Source): string =>
  isWord(text) ? cutText(text) : `[from the ${source}] ${cutText(text)}`

/** Returns plain data. A number that a double cannot hold exactly becomes a text. */
export const markTexts = (value: unknown, source: Source): unknown => {
  if (typeof value === 'string') return markText(value, source)
  if (isDecimal(value)) return formatDecimal(value)
  if (Array.isArray(value)) return value.map((item) => markTexts(item, source))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [markText(key, source), markTexts(item, source)]),
  )
}
