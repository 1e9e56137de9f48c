// Why a command failed: the exit codes, the reasons, and the typed error that carries both. run.ts catches it. The codes and
// the words of the reasons never change, because scripts depend on them, but new ones may be added.

import type { Suggest } from './text/suggest.ts'

export const exitCodes = {
  ok: { code: 0, meaning: 'done' },
  internal: { code: 1, meaning: 'a defect in orderctl' },
  usage: { code: 2, meaning: 'a flag, file or value is wrong; nothing was sent' },
  refused: { code: 3, meaning: 'the service or a check of this command refused; this run confirmed nothing' },
  credentials: { code: 4, meaning: 'credentials are missing or rejected, or no account is selected' },
  unavailable: {
    code: 5,
    meaning:
      'the service was unreachable or gave no usable response; this run spent nothing; safe to run again',
  },
  unknown: {
    code: 6,
    meaning: 'money may have been spent; do not order again; the message says what to do next',
  },
  failed: { code: 7, meaning: 'the order or batch failed, or the order was rejected' },
  partial: { code: 8, meaning: 'the order or batch is paid, but cards are missing or duplicates' },
  'local-state': {
    code: 9,
    meaning: 'the journal, profiles or a lock cannot be used safely; no confirm was sent',
  },
  expired: { code: 10, meaning: 'the order expired; order again only if its money is unspent' },
  duplicate: {
    code: 11,
    meaning: 'the order, reference or batch already exists or is in progress; this run spent nothing',
  },
  'not-approved': {
    code: 12,
    meaning:
      'a limit, a missing approval, an unaccepted webhook host or the guard against assistants prevented it; this run spent nothing',
  },
  stopped: {
    code: 13,
    meaning:
      'a batch stopped before its end: at its cap, a budget or an empty wallet, without an approval, at an overcharged order, or at an error after it had spent; run it again',
  },
  installation: {
    code: 72,
    meaning:
      'a file of the program is missing or was replaced; after create, first look for the order in list; run it again, or install it again',
  },
  'output-lost': { code: 74, meaning: 'the output could not be written in full' },
  'timed-out': {
    code: 124,
    meaning: 'the order is still in progress: watch stopped waiting, or redeem has no cards to show',
  },
  interrupted: { code: 130, meaning: 'interrupted' },
  terminated: { code: 143, meaning: 'terminated' },
} as const

export type ExitName = keyof typeof exitCodes

export const failureReasons = {
  'already-confirmed': ['duplicate', 'the order is confirmed: order nothing'],
  'batch-cancelled': ['refused', 'the batch is cancelled'],
  'batch-changed': ['refused', 'the plan or the orders of the batch were replaced'],
  'batch-exists': ['duplicate', 'a batch has this name, with other rows or a different account'],
  'cards-may-come': ['refused', 'the order is paid, and its missing cards may still come: order nothing'],
  'different-order': ['duplicate', 'the reference belongs to an order with different contents'],
  'exchange-unsupported': ['refused', 'the service does not exchange these currencies'],
  'expires-soon': ['refused', 'the order expires sooner than --min-validity'],
  'in-progress': ['duplicate', 'the order is paid and not final, or another run works on it'],
  'insufficient-funds': ['refused', 'the wallet has too little money'],
  'key-rejected': ['credentials', 'the service rejected the key'],
  'list-malformed': ['refused', 'the service refused the form of the product list'],
  'list-too-big': ['refused', 'the service refused the size of the product list'],
  'needs-approval': ['not-approved', 'another person must approve the batch'],
  'needs-person': ['not-approved', 'an assistant runs the command, and only a person may'],
  'never-confirmed': ['refused', 'the order was never confirmed'],
  'no-account': ['credentials', 'no account is selected'],
  'no-cards': ['refused', 'there are no cards to show'],
  'no-durable-journal': ['local-state', 'the journal would not outlive the CI job'],
  'no-key': ['credentials', 'the account has no key'],
  'not-confirmed-yet': ['duplicate', 'the order was created, but not confirmed yet'],
  'not-found': ['refused', 'no order has this id or reference'],
  'order-changed': ['refused', 'the order differs from the order that was placed'],
  'order-of-assistant': ['refused', 'an assistant prepared the order: read it, then use its id'],
  'other-account': ['refused', 'the order belongs to a different account'],
  'other-journal': ['local-state', 'the orders of the account are in a different journal'],
  'other-version': ['local-state', 'a different version of orderctl wrote the file or database'],
  'out-of-stock': ['refused', 'a product is out of stock'],
  'over-budget': ['not-approved', 'a budget does not allow the order'],
  'over-cap': ['stopped', 'the cap of the batch does not allow the order'],
  'over-max-total': ['refused', 'the total is higher than --max-total'],
  'prepare-only': ['not-approved', 'this role may prepare orders, but not confirm them'],
  'product-not-found': ['refused', 'the service does not know a product'],
  'quote-mismatch': ['refused', 'a quote does not match its product'],
  'quote-out-of-range': ['refused', 'a quote is out of range'],
  'reference-of-batch': ['duplicate', 'a batch keeps the reference for its own orders'],
  'reference-used': ['duplicate', 'a different order uses the reference'],
  'restored-journal': ['local-state', 'the journal lacks the newest call of this machine'],
  'same-products': ['duplicate', 'a recent batch, or an order that may be paid, has the same products'],
  'slot-taken': ['duplicate', 'the batch buys the same cards with a different order'],
  stranger: ['refused', 'the service shows a different order under the id'],
  unproven: ['unknown', 'a confirm may have spent money, and there is no proof yet'],
  unreachable: ['unavailable', 'the service could not be reached; nothing was sent'],
  unreadable: ['unknown', 'the order is paid, but could not be read'],
  'webhook-host': ['not-approved', 'the host of the webhook is not accepted'],
  'wrong-decision': ['unknown', 'a person settled the order as not spent, but it is paid'],
} as const satisfies Readonly<Record<string, readonly [ExitName, string]>>

export type FailureReason = ExitName | keyof typeof failureReasons

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
  /** What is known of the order's payment: a `Money` of operations/view.ts. */
  readonly money?: string
  /** The service's own words in the message. */
  readonly quotes?: readonly string[]
  readonly retryable?: boolean
  /** When reconcile can first prove what was spent, or a person can settle the order. */
  readonly safeFrom?: string
  readonly budget?: BudgetDetails
  /** The database role that a limit of its own stops. It does not stop other roles. */
  readonly role?: string | undefined
  /** Everything that is wrong with a document, one line each. */
  readonly violations?: readonly string[]
  readonly cause?: unknown
}

export type BudgetDetails = {
  /** The budget, the rest of it, and until when. Not in JSON. */
  readonly text: string
  readonly per: string
  readonly currency: string
  /** Exact decimals. */
  readonly amount: unknown
  readonly left: unknown
  readonly endsAt?: string
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
