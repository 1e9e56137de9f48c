// Steps that recipes are made of.
import type { Choices } from './choices.ts'
import { faultAt } from './commands.ts'
import {
  type Command,
  type Fault,
  oddWords,
  type Response,
  type Run,
  type Step,
  type Target,
} from './steps.ts'

export const reference = 'r1'
const order = { reference } as const

type Create = Extract<Command, { name: 'create' }>

export const create = (more: Partial<Create> = {}): Create => ({
  ...{ name: 'create', reference, product: 'GAME-US:25', confirm: false, watch: false },
  ...{ idempotent: false, allowDuplicate: false, ...more },
})

export const confirm = {
  name: 'confirm',
  order,
  idempotent: false,
  allowDuplicate: false,
  acceptChanges: false,
} satisfies Command

export const plain = (command: Command, faults: readonly Fault[] = []): Run => ({
  ...{ do: 'run', command, as: {}, output: 'json', faults },
})

/** Makes most reads stale. */
export const chooseStaleRead = ({ happens, pick }: Choices): Fault[] =>
  happens(0.8) ? [faultAt('get', pick([0, 0, 1]), happens(0.8) ? 'stale' : pick(oddWords))] : []

export const expire = (offsetMs: number): Step => ({ do: 'expire', offsetMs })
export const pass = (ms: number): Step => ({ do: 'pass', ms })
export const wall = (ms: number): Step => ({ do: 'wall', ms })

export const beside = (run: Run, besideMs: number): Run => ({ ...run, besideMs })
export const elsewhere = (run: Run, isElsewhere = true): Run => ({ ...run, isElsewhere })

export const lost: readonly Response[] = ['never', 'reset', 202, 502, 500, 'html', 429, 404]

/** The response to confirm is lost, and the confirm takes effect later. */
export const queued = ({ pick }: Choices, afterMs: readonly number[]): Fault =>
  faultAt('confirm', 1, pick(lost), pick(afterMs))

/** A person sees more commands than a script. */
export const spoken = ({ pick }: Choices, run: Run): Run => ({
  ...run,
  output: pick(['json', 'plain', 'terminal']),
})

const obey = (choices: Choices): Run =>
  spoken(choices, plain({ name: 'printed', nth: choices.pick([0, 0, 0, 1, 1, 2, 3]) }))

export const pauses = [0, 0, 1_000, 40_000, 61_000, 130_000, 661_000, 960_000]

export const obeyOften = (choices: Choices, most: number): Step[] =>
  Array.from({ length: 1 + choices.below(most) }).flatMap(() => [
    ...choices.sometimes(0.5, () => pass(choices.pick(pauses))),
    obey(choices),
  ])

export const buy = (more: Partial<Create> = {}): Create => create({ confirm: true, ...more })

export const buyAgain = (order: Target, missing: boolean): Command =>
  buy({ reference: undefined, again: { order, missing } })

export const reconcileTwice = ({ pick, happens }: Choices): Step[] => [
  plain({ name: 'reconcile' }),
  pass(pick([61_000, 65_000, 130_000])),
  plain({ name: 'reconcile' }),
  ...(happens(0.3) ? [pass(61_000), plain({ name: 'reconcile' })] : []),
]
