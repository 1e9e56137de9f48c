// Random services: undocumented habits, other programs of the account, resets and deletions.
import type { Choices } from './choices.ts'
import { expiries, type Foreign, type Habits, type Step } from './steps.ts'

export const behindOf = ({ pick }: Choices): Habits => ({
  behindMs: pick([5_000, 40_000, 200_000, 600_000, 720_000, 2_400_000]),
})

export const templateOf = ({ pick }: Choices): Habits => ({
  template: { state: pick(['created', 'created', 'waiting', 'new']), redeem: pick(['link', 'value']) },
})

export const expiryOf = ({ pick }: Choices): Habits => ({
  expiry: pick(Object.keys(expiries) as (keyof typeof expiries)[]),
})

export const cacheOf = ({ pick, happens }: Choices): Habits => ({
  cache: { ms: pick([30_000, 90_000, 600_000, 1_200_000]), isStubborn: happens(0.3) },
})

/** Most services have none or one. */
export const habitsOf = (choices: Choices): Habits => {
  const { happens, weigh, theme } = choices
  if (!happens(theme.odd)) return {}
  const draw = (): Habits =>
    weigh<Habits>(
      [4, () => behindOf(choices)],
      [2, () => templateOf(choices)],
      [3, () => expiryOf(choices)],
      [2, () => cacheOf(choices)],
    )
  return happens(0.3) ? { ...draw(), ...draw() } : draw()
}

const hourMs = 3_600_000

export const foreignOf = ({ happens, pick }: Choices): Foreign => ({
  reference: pick(['theirs', 'theirs', 'r1']),
  isConfirmed: happens(0.5),
  ...(happens(0.4) ? { validMs: hourMs } : {}),
})

/** Actions of the service or of a different program. */
export const eventOf = (choices: Choices): Step => {
  const { below, weigh } = choices
  return weigh<Step>(
    [2, () => ({ do: 'foreign', order: { ...foreignOf(choices), isConfirmed: false } })],
    [2, () => ({ do: 'forget', nth: below(3) })],
    [2, () => ({ do: 'reset', orders: Array.from({ length: 1 + below(3) }, () => foreignOf(choices)) })],
  )
}
