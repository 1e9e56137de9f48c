// The parts of a history: plain values that can be printed and played again.
import type { Operation } from '../../../src/contract/refusals.ts'

/** Ways to write the address of the one service. */
export const spellings = [
  'http://127.0.0.1:8443',
  'http://localhost:8443',
  'http://[::1]:8443',
  'http://[::ffff:127.0.0.1]:8443',
  'http://127.0.0.1:8443/',
  'HTTP://LocalHost:8443',
  'http://localhost.:8443//',
] as const

/** How a command finds its account. */
export type As =
  | { readonly profile?: string | undefined }
  /** By `ORDERCTL_BASE_URL`, in one of the spellings. */
  | { readonly environment: number }

/** Undocumented states, including every word of the journal. */
export const oddWords = [
  ...['on_hold', 'pending', 'new', 'creating', 'void', 'confirming', 'doubtful', 'unknown'],
  ...['not-sent', 'refused', 'lost', 'expired', 'not-spent', 'Expired', 'REFUSED', 'Confirmed'],
] as const

/** What the client gets: the service's own response, nothing, or what the proxy makes of it. */
export type Response =
  | 'own'
  | 'never'
  | 'reset'
  | 'cut'
  /** The request is sent twice, and this is the response to the second copy. */
  | 'second'
  /**
   * Of a get: how the order was before it was confirmed, or before its result; an odd word for its state; a different
   * order.
   */
  | 'stale'
  | 'processing'
  | (typeof oddWords)[number]
  | 'other'
  /** Of a create: the response to the one before; an invoice that does not add up. */
  | 'swapped'
  | 'unexpected'
  /** Of a create: the response to an earlier create. The service never gets this one. */
  | 'repeated'
  | 'html'
  /** 429 with a short or a long Retry-After. */
  | 'busy'
  | 'overloaded'
  | 'refuse'
  /** The proxy responds with this status. */
  | number

export type Fault = {
  readonly on: Operation
  /** Which request of this kind by one process, from 1; 0 is every one, for a while. */
  readonly nth: number
  readonly response: Response
  /** When the request reaches the service. */
  readonly arrivesMs: number | 'never'
  /** How much later than usual the response comes. */
  readonly responseMs: number
}

/**
 * A process is killed at a step, such as `before write 3`, `response create`, or `after confirm 2` for the second one; or
 * after a while.
 */
export type Kill = { readonly at: string } | { readonly afterMs: number }

export type Target =
  | { readonly reference: string }
  | 'last'
  | { readonly nth: number }
  | { readonly id: string }

/** How a create selects the products: the products, or those of an earlier order. */
type Again = { readonly order: Target; readonly missing: boolean }

export type Command =
  | {
      readonly name: 'create'
      readonly reference?: string | undefined
      readonly product: string
      readonly confirm: boolean
      readonly watch: boolean
      readonly idempotent: boolean
      readonly allowDuplicate: boolean
      readonly again?: Again | undefined
      readonly reveal?: boolean | undefined
      readonly timeout?: string | undefined
    }
  | {
      readonly name: 'confirm'
      readonly order: Target
      readonly watch?: boolean | undefined
      readonly idempotent: boolean
      readonly allowDuplicate: boolean
      /** The order may differ from the one that was placed. */
      readonly acceptChanges: boolean
      readonly timeout?: string | undefined
    }
  | { readonly name: 'get' | 'explain' | 'redeem' | 'reveal'; readonly order: Target }
  | { readonly name: 'watch'; readonly order: Target; readonly isEndless?: boolean | undefined }
  | { readonly name: 'reconcile'; readonly order?: Target | undefined; readonly timeout?: string | undefined }
  /** The operator obeys: a command that orderctl printed, counted from the newest. */
  | { readonly name: 'printed'; readonly nth: number }
  /** A person looks at the wallet, and settles it by the truth. */
  | { readonly name: 'settle'; readonly order: Target }
  | { readonly name: 'list' }
  | {
      readonly name: 'change profile'
      readonly profile: string
      readonly spelling: number
      readonly isNew?: true
    }
  | { readonly name: 'use profile' | 'remove profile'; readonly profile: string }

/** On a terminal, stderr has more advice. No one responds to prompts. */
export type Output = 'json' | 'quiet' | 'plain' | 'terminal'

export type Run = {
  readonly do: 'run'
  readonly command: Command
  /** Runs on the second machine, which has its own journal. */
  readonly isElsewhere?: boolean | undefined
  readonly as: As
  readonly output: Output
  readonly faults: readonly Fault[]
  readonly kill?: Kill | undefined
  /** Started this long after the one before, which may still run; without it, after all that run have ended. */
  readonly besideMs?: number | undefined
}

export type Step =
  | Run
  /** A different program of this account places an order. */
  | { readonly do: 'foreign'; readonly order: Foreign }
  /** The service loses its data, and gives the ids to other orders. A different program places some of them at once. */
  | { readonly do: 'reset'; readonly orders: readonly Foreign[] }
  /** The service forgets an order. */
  | { readonly do: 'forget'; readonly nth: number }
  | { readonly do: 'pass'; readonly ms: number }
  /** Until the newest order expires, and this much longer. */
  | { readonly do: 'expire'; readonly offsetMs: number }
  /** The wall clock of this machine is put forward or back; or the machine sleeps. */
  | { readonly do: 'wall' | 'suspend'; readonly ms: number; readonly besideMs?: number | undefined }

export type Foreign = { readonly reference: string; readonly isConfirmed: boolean; readonly validMs?: number }

const minuteMs = 60_000

/** The expiry that the service reports for an order, and for how long the order can be confirmed. */
export const expiries = {
  /** `expiresAt` is 0. */
  missing: 60 * minuteMs,
  /** Not after the creation. */
  past: 30 * minuteMs,
  far: 2 * 24 * 60 * minuteMs,
  /** A good one, beside an invoice that is not as documented. */
  'of an odd invoice': 60 * minuteMs,
  /** The clock of the service is hours behind its `Date`. */
  'slow clock': 10 * minuteMs,
  /** That of `createdDate` alone. */
  'slow dates': 10 * minuteMs,
  /** Minutes behind. */
  'late clock': 10 * minuteMs,
} as const

/** The service's undocumented behaviour, and the behaviour of a cache in front of it. */
export type Habits = {
  /** For so long after a confirm took effect, get shows the order as it was before. */
  readonly behindMs?: number
  /** What get shows for an unconfirmed order. */
  readonly template?: { readonly state: string; readonly redeem: 'link' | 'value' }
  readonly expiry?: keyof typeof expiries
  /**
   * Responses to get are repeated for so long, with an `Age`; even if the request asks for the service's own response.
   */
  readonly cache?: { readonly ms: number; readonly isStubborn: boolean }
  /** How far the `Date` in responses to get is ahead, after a minute. */
  readonly leapMs?: number
}

export type History = {
  readonly seed: number
  readonly theme: string
  /** Whether the service says the time. */
  readonly isDated: boolean
  readonly habits: Habits
  readonly steps: readonly Step[]
}
