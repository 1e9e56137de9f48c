// The options that several commands share, read once from their flags.
import type { Context } from '../../context.ts'
import { type FieldPath, parseFields } from '../../ui/text/json-fields.ts'
import { createFlagReader, type FlagReader } from './flag-reader.ts'

type SessionFlags = {
  readonly profile?: string | undefined
  readonly timeout?: string | undefined
  readonly allowHttp?: boolean | undefined
  readonly debug?: boolean | undefined
  readonly json?: boolean | undefined
  readonly quiet?: boolean | undefined
  readonly input?: boolean | undefined
}

export type SessionOptions = {
  readonly profile: string | undefined
  /** Undefined: ORDERCTL_TIMEOUT, or the default of each call. */
  readonly timeoutMs: number | undefined
  readonly allowHttp: boolean
  readonly isTraced: boolean
  /** Whether stderr may show what is in progress, if it is a terminal. */
  readonly showsProgress: boolean
  /** False with --no-input. */
  readonly input: boolean
}

export const readSessionOptions = (
  { readTimeout }: FlagReader,
  { profile, timeout, allowHttp, debug, json, quiet, input }: SessionFlags,
): SessionOptions => ({
  profile,
  timeoutMs: readTimeout('--timeout', timeout),
  allowHttp: allowHttp === true,
  isTraced: debug === true,
  showsProgress: json !== true && quiet !== true,
  input: input !== false,
})

/** Read when a session opens: commands that make no call ignore the variable. */
export const readTimeoutVariable = ({ environment }: Pick<Context, 'environment'>): number | undefined => {
  const { readTimeout, check } = createFlagReader('', 'orderctl help environment')
  const timeoutMs = readTimeout('ORDERCTL_TIMEOUT', environment.ORDERCTL_TIMEOUT || undefined)
  check()
  return timeoutMs
}

type OutputFlags = {
  readonly json?: boolean | undefined
  readonly fields?: string | undefined
  readonly quiet?: boolean | undefined
  readonly reveal?: boolean | undefined
}

export type OutputOptions = {
  readonly format: 'screen' | 'json' | 'ids'
  /** With JSON: only these fields. */
  readonly fields: readonly FieldPath[] | undefined
  readonly isRevealed: boolean
}

export const readOutputOptions = (
  { addProblem }: FlagReader,
  { json, fields, quiet, reveal }: OutputFlags,
): OutputOptions => {
  if (quiet === true && json === true) {
    addProblem('--quiet prints only ids, so it cannot be used with --json', '--quiet')
  }
  if (fields !== undefined && json !== true) addProblem('--fields needs --json', '--fields')
  return {
    format: json === true ? 'json' : quiet === true ? 'ids' : 'screen',
    fields: fields === undefined ? undefined : parseFields(fields),
    isRevealed: reveal === true,
  }
}
