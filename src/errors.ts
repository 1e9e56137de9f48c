// The typed errors. run.ts catches them and maps each kind to an exit code.
import type { ExitName } from './exit-codes.ts'
import { type FailureReason, failureReasons } from './failure-reasons.ts'
import type { Suggest } from './text/suggest.ts'

/** A command to type, and nothing else. Undefined if no command is certain to work. */
export type Fix = (suggest: Suggest) => string | undefined

/** One or two sentences. A function if they contain a command. */
export type Advice = string | ((suggest: Suggest) => string)

export type Remedy = { readonly fix?: Fix; readonly advice?: Advice }

type Details = Remedy & {
  /** The flag, file, variable or document path that is wrong. */
  readonly field?: string
  readonly status?: number
  readonly orderId?: string | undefined
  /** The service's own words in the message. */
  readonly quotes?: readonly string[]
  readonly retryable?: boolean
  /** The earliest time when a new order is safe. */
  readonly safeFrom?: string
  readonly budget?: BudgetDetails
  /** The database role that a limit of its own stops. It does not stop other roles. */
  readonly role?: string | undefined
  /** Everything that is wrong with a document, one line each. */
  readonly violations?: readonly string[]
  readonly cause?: unknown
}

export type BudgetDetails = {
  /** The budget, the rest of it, and until when. Not printed. */
  readonly text: string
  readonly per: string
  readonly currency: string
  /** Exact decimals. */
  readonly amount: unknown
  readonly left: unknown
  readonly until?: string
}

const isSpecific = (reason: string): reason is keyof typeof failureReasons => reason in failureReasons

/** An error that a user can act on. Any other error is a defect. */
export class Failure extends Error {
  override readonly name = 'Failure'
  readonly kind: ExitName
  readonly reason: FailureReason
  readonly details: Details

  constructor(reason: FailureReason, message: string, details: Details = {}) {
    super(message, details.cause === undefined ? {} : { cause: details.cause })
    this.reason = reason
    this.kind = isSpecific(reason) ? failureReasons[reason][0] : reason
    this.details = details
  }
}

/** For an error that is not a Failure. */
export const createDefect = (error: unknown, remedy: Remedy): Failure =>
  new Failure('internal', `a defect in orderctl: ${error instanceof Error ? error.message : String(error)}`, {
    ...remedy,
    cause: error,
  })

/** The failure of a command that a signal or the user ended. Its kind depends on the signal. */
export const interruption = (
  { reason }: AbortSignal,
  message: string,
  details: Remedy & { readonly orderId?: string } = {},
): Failure => new Failure(reason === 'SIGTERM' ? 'terminated' : 'interrupted', message, details)

/** One after the other. */
export const joinAdvice = (...all: readonly (Advice | undefined)[]): Advice | undefined =>
  all.some((advice) => advice !== undefined)
    ? (suggest) => all.flatMap((advice) => writeRemedy({ advice }, suggest).advice ?? []).join(' ')
    : undefined

export const writeRemedy = ({ fix, advice }: Remedy, suggest: Suggest) => ({
  fix: fix?.(suggest),
  advice: typeof advice === 'function' ? advice(suggest) : advice,
})
