// Random histories of one batch: its rows and cap, runs with faults and kills, confirms by hand, and the time between them.
import { createChoices } from '../histories/choices.ts'
import { faultAt } from '../histories/commands.ts'
import type { Fault, Kill, Response } from '../histories/steps.ts'

type Row = {
  readonly sku: string
  readonly quote: string
  readonly productType: 'fixed' | 'range'
  readonly quantity: number
}

export type BatchStep =
  | {
      readonly do: 'run'
      readonly parallel: number
      readonly faults: readonly Fault[]
      readonly kill?: Kill | undefined
      /** Started this long after the run before, which may still run. */
      readonly besideMs?: number | undefined
    }
  /** A person confirms an order of the service by its id, even an order that is in the journal without an id. */
  | { readonly do: 'confirm'; readonly nth: number; readonly besideMs: number }
  | { readonly do: 'pass'; readonly ms: number }
  /** The wall clock of this machine is put forward or back, while processes run. */
  | { readonly do: 'wall'; readonly ms: number; readonly besideMs: number }

export type BatchHistory = {
  readonly seed: number
  readonly rows: readonly Row[]
  /** Beside what the batch costs. It is raised at the end if it is too low. */
  readonly cap: 'high' | 'exact' | 'low'
  readonly isDated: boolean
  readonly steps: readonly BatchStep[]
}

const products: readonly Omit<Row, 'quantity'>[] = [
  { sku: 'GAME-US', quote: '25', productType: 'fixed' },
  { sku: 'FILM-AU', quote: '20', productType: 'fixed' },
  { sku: 'COFFEE-US', quote: '10', productType: 'range' },
  { sku: 'COFFEE-US', quote: '12.5', productType: 'range' },
  { sku: 'MUSIC-FR', quote: '10.99', productType: 'fixed' },
]

const responses: Readonly<Record<Fault['on'], readonly Response[]>> = {
  create: ['own', 'never', 'reset', 'cut', 'second', 'swapped', 'unexpected', 'html', 'refuse', 'busy', 503],
  confirm: ['own', 'never', 'reset', 'cut', 'second', 'html', 'refuse', 'busy', 503, 419, 404, 400],
  get: [
    ...(['own', 'never', 'reset', 'stale', 'on_hold', 'expired', 'refused', 'other'] as const),
    ...(['html', 'refuse', 'busy', 503, 404] as const),
  ],
}

const rowCount = 60
const minuteMs = 60_000

export const batchHistoryFrom = (seed: number): BatchHistory => {
  const { below, happens, pick } = createChoices(`batch ${seed}`)

  // Few products make many orders.
  const kinds = 1 + below(products.length)
  const rows = Array.from({ length: rowCount }, (_, index) => ({
    ...(products[(seed + below(kinds)) % products.length] as Omit<Row, 'quantity'>),
    quantity: index % 7 === 0 ? 2 + below(2) : 1,
  }))

  const drawFault = (): Fault => {
    const on = pick(['create', 'create', 'confirm', 'confirm', 'confirm', 'get'] as const)
    return {
      on,
      nth: happens(0.1) ? 0 : 1 + below(14),
      response: happens(0.02) ? 'overloaded' : pick(responses[on]),
      arrivesMs: happens(0.2) ? pick([100, 3_000, 44_000, 50_000, 70_000, 'never'] as const) : 0,
      responseMs: happens(0.2) ? pick([100, 3_000, 29_000, 46_000]) : 0,
    }
  }
  const drawKill = (): Kill => {
    if (happens(0.5)) return { at: `${pick(['before', 'after'])} write ${1 + below(130)}` }
    if (happens(0.2)) return { afterMs: below(60_000) }
    const operation = pick(['create', 'confirm', 'confirm', 'get'])
    return { at: `${pick(['before', 'after', 'response'])} ${operation} ${1 + below(14)}` }
  }
  const drawRun = (isBeside: boolean): BatchStep => ({
    do: 'run',
    parallel: pick([1, 2, 4, 16]),
    faults: happens(0.7) ? Array.from({ length: 1 + below(8) }, drawFault) : [],
    kill: happens(0.6) ? drawKill() : undefined,
    besideMs: isBeside ? pick([0, 0, 15, 40, 400, 3_000, 31_000]) : undefined,
  })

  const drawWall = (): BatchStep => ({
    do: 'wall',
    ms: pick([-3_600_000, -65_000, 65_000, 65_000, 660_000, 3_600_000]),
    besideMs: pick([0, 15, 5_000]),
  })
  /** A create is pending for so long that a different process stops waiting for it. */
  const drawRace = (): BatchStep[] => [
    {
      ...{ do: 'run', parallel: pick([1, 4]), besideMs: undefined, kill: undefined },
      faults: [faultAt('create', 1 + below(3), 'own', 0, pick([5_100, 5_500, 6_500]))],
    },
    { do: 'wall', ms: 65_000, besideMs: 5_000 },
    { do: 'run', parallel: 4, faults: [], besideMs: pick([0, 15, 400]) },
  ]

  const steps: BatchStep[] = happens(0.1) ? drawRace() : [drawRun(false)]
  for (let more = below(4); more > 0; more -= 1) {
    if (happens(0.35)) {
      steps.push(drawRun(true))
      continue
    }
    if (happens(0.7))
      steps.push({ do: 'pass', ms: pick([100, 31_000, 61_000, 9.9 * minuteMs, 11 * minuteMs]) })
    if (happens(0.1)) steps.push(drawWall())
    steps.push(drawRun(false))
  }
  const cap = pick(['high', 'exact', 'low'] as const)
  return { seed, rows, steps: addConfirms(seed, steps), cap, isDated: !happens(0.1) }
}

/** From numbers of its own, so that the other steps of a seed stay the same. */
const addConfirms = (seed: number, steps: readonly BatchStep[]): BatchStep[] => {
  const { below, pick } = createChoices(`confirms of batch ${seed}`)
  const drawConfirm = (): BatchStep => ({
    ...{ do: 'confirm', nth: below(1_000), besideMs: pick([0, 0, 15, 400, 3_000, 31_000]) },
  })
  return steps.flatMap((step) =>
    step.do === 'wall' ? [step] : [step, ...Array.from({ length: Math.max(0, below(6) - 2) }, drawConfirm)],
  )
}
