// Dangerous sequences that random histories seldom contain. Their details are random.
import type { Choices } from './choices.ts'
import { faultAt, runOf } from './commands.ts'
import { chooseStaleRead, confirm, create, expire, pass, plain, wall } from './moves.ts'
import type { Command, Fault, Habits, Response, Step } from './steps.ts'
import { type Theme, themes } from './themes.ts'

export type Recipe = {
  readonly theme: Theme
  /** Without it, the service behaves as documented. */
  habits?(choices: Choices): Habits
  steps(choices: Choices): Step[]
}

const unclearAnswers: readonly Response[] = ['never', 'reset', 419, 403, 405, 429, 404, 502]
const soon: readonly Fault['arrivesMs'][] = [0, 0, 500, 3_000, 22_000]

const reconcileAgain = (choices: Choices): Step[] =>
  choices.happens(0.7)
    ? [
        plain({ name: 'reconcile' }, chooseStaleRead(choices)),
        pass(choices.pick([1_000, 17_000, 61_000, 61_000])),
      ]
    : []

const buyAgain = (choices: Choices): Step => {
  const idempotent = choices.happens(0.3)
  return plain(create({ confirm: true, idempotent }), chooseStaleRead(choices))
}

export const recipes: Readonly<Record<string, Recipe>> = {
  'confirmed just before it expires': {
    theme: themes.expiry as Theme,
    steps: (choices) => [
      plain(create()),
      expire(-choices.pick([50_000, 20_000, 5_000, 1_000, 100])),
      plain(confirm, [
        faultAt('confirm', 1, choices.pick(unclearAnswers), choices.pick(soon)),
        ...chooseStaleRead(choices),
      ]),
      expire(choices.pick([500, 3_000, 17_000, 45_000, 61_000, 63_000, 125_000])),
      ...reconcileAgain(choices),
      ...reconcileAgain(choices),
      buyAgain(choices),
    ],
  },
  'arrives just before it expires': {
    theme: themes.expiry as Theme,
    steps: (choices) => [
      plain(create({ confirm: true }), [
        faultAt(
          'confirm',
          1,
          choices.pick(unclearAnswers),
          choices.pick([540_000, 590_000, 598_000, 599_900]),
        ),
      ]),
      expire(choices.pick([-30_000, 500, 3_000, 17_000, 61_000])),
      ...reconcileAgain(choices),
      buyAgain(choices),
    ],
  },
  'placed anew by a clock that is wrong': {
    theme: { ...(themes.clocks as Theme), dateless: 0.8 },
    steps: (choices) => [
      plain(create()),
      wall(choices.pick([3_600_000, 86_400_000])),
      ...(choices.happens(0.3) ? [plain({ name: 'reconcile' })] : []),
      plain(create({ confirm: true }), [
        faultAt('confirm', 1, choices.pick(['own', 'own', ...unclearAnswers])),
      ]),
      wall(choices.pick([-3_600_000, -86_400_000])),
      runOf(choices, { ...confirm, order: { nth: 0 } } as Command),
    ],
  },
  'confirmed twice at once': {
    theme: themes.crowd as Theme,
    steps: (choices) => [
      plain(create()),
      plain(confirm, [
        faultAt('get', 1, 'own', 0, choices.pick([0, 900, 8_000])),
        faultAt('confirm', 1, choices.pick(['own', 'never', 'reset']), choices.pick([0, 500, 3_000])),
      ]),
      {
        ...plain({ ...confirm, idempotent: choices.happens(0.5) }),
        besideMs: choices.pick([0, 5, 15, 25, 35, 1_000]),
      },
      {
        ...plain(create({ confirm: true, idempotent: choices.happens(0.5) })),
        besideMs: choices.pick([0, 5, 15, 25, 35]),
      },
    ],
  },
  'another order under its id': {
    theme: themes.falseAnswers as Theme,
    steps: (choices) => [
      plain(create({ reference: 'r2' })),
      plain(create({ confirm: choices.happens(0.7) }), [faultAt('create', 1, 'swapped')]),
      runOf(choices, choices.pick([confirm, { ...confirm, order: { nth: 0 } } as Command])),
      plain(create({ reference: 'r2', confirm: true })),
      buyAgain(choices),
    ],
  },
}
