// What sessions, prompts and printed results need of the parsed options.
import type { Context } from '../context.ts'
import { Failure } from '../errors.ts'
import type { FieldPath } from '../ui/text/json-fields.ts'
import { timeout } from './flags.ts'

/** What a session needs. */
export type SessionOptions = {
  readonly profile?: string | undefined
  /** Undefined: ORDERCTL_TIMEOUT, or the default of each call. */
  readonly timeout?: number | undefined
  readonly allowHttp: boolean
  readonly debug: boolean
  readonly json: boolean
  readonly quiet?: boolean
  readonly noInput?: boolean
}

type Prompting = { readonly noInput?: boolean | undefined }

export const canPrompt = ({ stdin, stderr, environment }: Context, { noInput }: Prompting): boolean =>
  stdin.isTerminal && stderr.isTerminal && noInput !== true && !environment.CI

/** Whether a command may ask for what is missing: scripts parse JSON and ids. */
export const mayAsk = (
  context: Context,
  options: Prompting & { readonly json: boolean; readonly quiet: boolean },
): boolean => !options.json && !options.quiet && canPrompt(context, options)

/** Read when a session opens: commands that make no call ignore the variable. */
export const readTimeoutVariable = ({ environment }: Pick<Context, 'environment'>): number | undefined => {
  const text = environment.ORDERCTL_TIMEOUT
  if (!text) return undefined
  const ms = timeout.parse(text)
  if (ms !== undefined) return ms
  const problem = `ORDERCTL_TIMEOUT is ${JSON.stringify(text)}; allowed: ${timeout.allowed}`
  throw new Failure('usage', problem, { fix: () => 'orderctl help environment' })
}

export type OutputOptions = {
  readonly format: 'screen' | 'json' | 'ids'
  /** With JSON: only these fields. */
  readonly fields: readonly FieldPath[] | undefined
  readonly isRevealed: boolean
}

type OutputFlags = Pick<OutputOptions, 'fields'> & Record<'json' | 'quiet', boolean> & { reveal?: boolean }

export const outputOf = ({ json, fields, quiet, reveal = false }: OutputFlags): OutputOptions => ({
  format: json ? 'json' : quiet ? 'ids' : 'screen',
  fields,
  isRevealed: reveal,
})
