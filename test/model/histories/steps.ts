// The parts of a history: plain values that can be printed, shortened and played again.
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

/** States that nobody documented: among them every word of the journal. */
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
  /** Of a get: how the order was before it was confirmed; an odd word for its state; another order. */
  | 'stale'
  | (typeof oddWords)[number]
  | 'other'
  /** Of a create: the response to the one before; an invoice that does not add up. */
  | 'swapped'
  | 'unexpected'
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

export type Target = { readonly reference: string } | 'last' | { readonly nth: number }

export type Command =
  | {
      readonly name: 'create'
      readonly reference?: string | undefined
      readonly product: string
      readonly confirm: boolean
      readonly watch: boolean
      readonly idempotent: boolean
      readonly allowDuplicate: boolean
      readonly timeout?: string | undefined
    }
  | {
      readonly name: 'confirm'
      readonly order: Target
      readonly idempotent: boolean
      readonly allowDuplicate: boolean
      /** The order may differ from the one that was placed. */
      readonly acceptChanges: boolean
      readonly timeout?: string | undefined
    }
  | { readonly name: 'get' | 'watch'; readonly order: Target }
  | { readonly name: 'reconcile'; readonly order?: Target | undefined }
  /** A person looks at the wallet, and settles it by the truth. */
  | { readonly name: 'settle'; readonly order: Target }
  | { readonly name: 'refresh' | 'list' }
  | { readonly name: 'replace profile'; readonly profile: string; readonly spelling: number }
  | { readonly name: 'use profile' | 'remove profile'; readonly profile: string }

export type Output = 'json' | 'quiet' | 'plain'

export type Run = {
  readonly do: 'run'
  readonly command: Command
  readonly as: As
  readonly output: Output
  readonly faults: readonly Fault[]
  readonly kill?: Kill | undefined
  /** Started this long after the one before, which may still run; without it, after all that run have ended. */
  readonly besideMs?: number | undefined
}

export type Step =
  | Run
  | { readonly do: 'pass'; readonly ms: number }
  /** Until the newest order expires, and this much longer. */
  | { readonly do: 'expire'; readonly offsetMs: number }
  /** The wall clock of this machine is put forward or back; or the machine sleeps. */
  | { readonly do: 'wall' | 'suspend'; readonly ms: number; readonly besideMs?: number | undefined }

export type History = {
  readonly seed: number
  readonly theme: string
  /** Whether the service says the time. */
  readonly isDated: boolean
  readonly steps: readonly Step[]
}
