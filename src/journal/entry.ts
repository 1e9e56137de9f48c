// An order as the journal knows it: how it stands, and what is still open about it.

/** Whose order it is: the same reference may stand on two accounts. */
export type Owner = {
  readonly profile: string
  /** The account stays the same where its address changes. */
  readonly isNamed?: boolean
  /** The service's address; `sandbox:` in process. */
  readonly origin: string
}

/** The service's own states, and what only the journal knows. */
export const ownStandings = {
  /** A call is open: it may have taken effect. */
  unknown: 'unknown',
  /** Nobody confirmed it in its time. */
  lapsed: 'lapsed',
  refused: 'refused',
  notSent: 'not-sent',
} as const

/** Nothing was bought by it: the reference may be used again. */
export const voidStandings: readonly string[] = [
  'failed',
  'rejected',
  ownStandings.refused,
  ownStandings.notSent,
  ownStandings.lapsed,
]
export const isVoid = (standing: string): boolean => voidStandings.includes(standing)

/** Nothing more will come of it. */
export const overStandings: readonly string[] = ['successful', 'partial', ...voidStandings]
export const isOver = (standing: string): boolean => overStandings.includes(standing)

export type Entry = Owner & {
  readonly number: number
  readonly standing: string
  readonly reference?: string
  readonly orderId?: string
  /** The create request as it was sent, but for what may be secret in its webhook. */
  readonly request?: string
  readonly wallet?: string
  readonly total?: string
  readonly placedAt: number
  readonly changedAt: number
  /** By the service's clock. */
  readonly expiresAt?: number
}

export type Call = {
  readonly number: number
  readonly operation: 'create' | 'confirm'
  readonly outcome: 'sending' | 'not-sent' | 'refused' | 'done' | 'unknown'
  readonly settled?: Settlement
  readonly status?: number
  readonly refusal?: string
  readonly startedAt: number
  /** When whoever sent it gave up waiting, at the latest. */
  readonly until: number
  readonly answeredAt?: number
  readonly settledAt?: number
}

/** What became of a call whose answer was lost. */
export type Settlement = 'took-effect' | 'no-effect' | 'lapsed'

export const isOpen = ({ outcome, settled }: Call): boolean =>
  (outcome === 'sending' || outcome === 'unknown') && settled === undefined

type Row = Readonly<Record<string, unknown>>

const camelCase = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** A row of ours as a value: names in camel case, nothing for NULL. */
export const fromRow = <Value>(row: Row): Value =>
  Object.fromEntries(
    Object.entries(row)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [camelCase(name), value]),
  ) as Value
