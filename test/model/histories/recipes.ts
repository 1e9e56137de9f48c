// Dangerous sequences that random histories seldom contain. Their details are random.
import type { Choices } from './choices.ts'
import { faultAt, runOf } from './commands.ts'
import {
  beside,
  buy,
  buyAgain,
  chooseStaleRead,
  confirm,
  create,
  expire,
  lost,
  obeyOften,
  pass,
  pauses,
  plain,
  queued,
  reconcileTwice,
  reference,
  spoken,
  wall,
} from './moves.ts'
import { behindOf, cacheOf, expiryOf, habitsOf } from './services.ts'
import {
  type Command,
  type Fault,
  type Habits,
  oddWords,
  type Response,
  type Run,
  type Step,
} from './steps.ts'
import { type Theme, themes } from './themes.ts'

export type Recipe = {
  /** Without it, the operator obeys. */
  readonly theme?: Theme
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

const retry = (choices: Choices): Step =>
  plain(buy({ idempotent: choices.happens(0.3) }), chooseStaleRead(choices))

export const recipes: Readonly<Record<string, Recipe>> = {
  'confirmed just before it expires': {
    theme: themes.expiry,
    steps: (choices, { pick } = choices) => [
      plain(create()),
      expire(-pick([50_000, 20_000, 5_000, 1_000, 100])),
      plain(confirm, [faultAt('confirm', 1, pick(unclearAnswers), pick(soon)), ...chooseStaleRead(choices)]),
      expire(pick([500, 3_000, 17_000, 45_000, 61_000, 63_000, 125_000])),
      ...reconcileAgain(choices),
      ...reconcileAgain(choices),
      retry(choices),
    ],
  },
  'arrives just before it expires': {
    theme: themes.expiry,
    steps: (choices, { pick } = choices) => [
      plain(buy(), [faultAt('confirm', 1, pick(unclearAnswers), pick([540_000, 590_000, 598_000, 599_900]))]),
      expire(pick([-30_000, 500, 3_000, 17_000, 61_000])),
      ...reconcileAgain(choices),
      retry(choices),
    ],
  },
  'placed anew by a clock that is wrong': {
    theme: { ...themes.clocks, dateless: 0.8 },
    steps: (choices, { pick, sometimes } = choices) => [
      plain(create()),
      wall(pick([3_600_000, 86_400_000])),
      ...sometimes(0.3, () => plain({ name: 'reconcile' })),
      plain(buy(), [faultAt('confirm', 1, pick(['own', 'own', ...unclearAnswers]))]),
      wall(pick([-3_600_000, -86_400_000])),
      runOf(choices, { ...confirm, order: { nth: 0 } } as Command),
    ],
  },
  'confirmed twice at once': {
    theme: themes.crowd,
    steps: (choices, { happens, pick } = choices) => [
      plain(create()),
      plain(confirm, [
        faultAt('get', 1, 'own', 0, pick([0, 900, 8_000])),
        faultAt('confirm', 1, pick(['own', 'never', 'reset']), pick([0, 500, 3_000])),
      ]),
      beside(plain({ ...confirm, idempotent: happens(0.5) }), pick([0, 5, 15, 25, 35, 1_000])),
      beside(plain(buy({ idempotent: happens(0.5) })), pick([0, 5, 15, 25, 35])),
    ],
  },
  'a Date that leaps, and a clock that was set back': {
    theme: { ...themes.obedient, odd: 0, event: 0, elsewhere: 0 },
    habits: ({ pick }) => ({ leapMs: pick([660_000, 700_000, 3_600_000]) }),
    steps: (choices, { pick } = choices) => [
      plain(create()),
      plain(confirm, [queued(choices, [100_000, 170_000, 400_000, 560_000])]),
      wall(-pick([600_000, 3_600_000, 86_400_000])),
      ...reconcileTwice(choices),
      plain(buy()),
      ...obeyOften(choices, 2),
    ],
  },
  'another order under its id': {
    theme: themes.falseAnswers,
    steps: (choices, { happens, pick } = choices) => [
      plain(create({ reference: 'r2' })),
      plain(create({ confirm: happens(0.7) }), [faultAt('create', 1, 'swapped')]),
      runOf(choices, pick([confirm, { ...confirm, order: { nth: 0 } } as Command])),
      plain(buy({ reference: 'r2' })),
      retry(choices),
    ],
  },
}

/** For services that show or do something later than expected. */
export const lateRecipes: Readonly<Record<string, Recipe>> = {
  'still shown as created': {
    habits: (choices) => ({ ...behindOf(choices), ...(choices.happens(0.2) ? habitsOf(choices) : {}) }),
    steps: (choices) => {
      const { pick, happens, sometimes } = choices
      const order = pick([{ reference }, 'last'] as const)
      return [
        ...(happens(0.5)
          ? [
              spoken(
                choices,
                plain(buy({ watch: happens(0.5) }), happens(0.3) ? [queued(choices, [0, 500, 20_000])] : []),
              ),
            ]
          : [plain(create()), spoken(choices, plain({ ...confirm, watch: happens(0.6) }))]),
        ...sometimes(0.4, () => pass(pick(pauses))),
        spoken(choices, plain({ name: pick(['get', 'explain', 'watch', 'redeem'] as const), order })),
        ...obeyOften(choices, 4),
        runOf(choices, buy({ idempotent: happens(0.5) })),
        ...obeyOften(choices, 2),
      ]
    },
  },
  'confirmed later than the expiry that is assumed': {
    habits: expiryOf,
    steps: (choices, { pick } = choices) => [
      plain(buy(), [queued(choices, [400_000, 1_150_000, 1_300_000, 1_700_000])]),
      pass(pick([1_000, 400_000, 861_000, 961_000])),
      ...reconcileTwice(choices),
      ...obeyOften(choices, 2),
      plain(buy()),
      ...obeyOften(choices, 2),
    ],
  },
  "confirmed later than another program's order seems to live": {
    habits: habitsOf,
    steps: (choices, { pick } = choices) => [
      { do: 'foreign', order: { reference: 'theirs', isConfirmed: false, validMs: 3_600_000 } },
      plain({ ...confirm, order: { nth: 0 } }, [queued(choices, [1_150_000, 1_700_000, 2_500_000])]),
      pass(pick([861_000, 961_000])),
      ...reconcileTwice(choices),
      ...obeyOften(choices, 3),
    ],
  },
  'no time at all': {
    theme: { ...themes.obedient, dateless: 0.9 },
    habits: habitsOf,
    steps: (choices, { happens, pick } = choices) => [
      plain(create()),
      wall(pick([540_000, 540_000, 300_000, -300_000])),
      plain(happens(0.5) ? confirm : buy({ idempotent: true }), [
        queued(choices, [200_000, 400_000, 580_000]),
      ]),
      pass(pick([61_000, 130_000, 200_000])),
      ...reconcileTwice(choices),
      plain(buy()),
      ...obeyOften(choices, 3),
    ],
  },
  'an old response': {
    habits: (choices) =>
      choices.happens(0.4)
        ? cacheOf(choices)
        : { cache: { ms: choices.pick([600_000, 1_200_000]), isStubborn: true } },
    steps: (choices, { pick, sometimes } = choices) => [
      plain(create()),
      ...sometimes(0.5, () => plain({ name: 'get', order: { reference } })),
      expire(pick([-30_000, -100_000, -200_000])),
      plain(confirm, [faultAt('confirm', 1, pick(lost), pick([0, 0, 20_000]))]),
      expire(pick([62_000, 65_000])),
      ...reconcileTwice(choices),
      plain(buy()),
      ...obeyOften(choices, 2),
    ],
  },
  'a slow response': {
    habits: habitsOf,
    steps: (choices) => {
      const { pick } = choices
      const slow = [faultAt('get', 1, 'own', 0, pick([44_000, 80_000, 200_000, 280_000]))]
      return [
        plain(create()),
        expire(-pick([60_000, 20_000, 5_000])),
        beside(plain({ name: 'reconcile', timeout: '5m' }, slow), 0),
        beside(plain(confirm, [faultAt('confirm', 1, pick(lost), pick([0, 3_000]))]), pick([5, 50])),
        expire(pick([62_000, 65_000, 125_000])),
        plain({ name: 'reconcile' }, chooseStaleRead(choices)),
        plain(buy()),
      ]
    },
  },
  'delivered, and then shown as before': {
    habits: habitsOf,
    steps: (choices) => {
      const { happens, pick } = choices
      const earlier = (nth: number): Fault[] => [
        faultAt('get', nth, pick(['processing', 'processing', 'stale'])),
      ]
      const order = pick([{ reference }, { nth: 0 }] as const)
      return [
        plain(
          buy({ watch: happens(0.7), product: pick(['GAME-US:25', 'COFFEE-US:15/range', 'TEST-SLOW:10']) }),
        ),
        pass(pick([5_000, 61_000])),
        plain({ name: pick(['get', 'watch', 'reconcile'] as const), order }),
        ...(happens(0.5)
          ? [
              spoken(
                choices,
                plain({ name: pick(['get', 'watch', 'redeem', 'explain'] as const), order }, earlier(0)),
              ),
            ]
          : []),
        plain(buyAgain(order, happens(0.8)), earlier(pick([0, 1]))),
        ...obeyOften(choices, 3),
        runOf(choices, buy({ idempotent: happens(0.5) })),
      ]
    },
  },
  'confirmed, by a word that nobody knows': {
    steps: (choices) => {
      const { happens, pick } = choices
      const odd = [faultAt('get', 0, pick(oddWords))]
      const look = (): Run => plain({ name: 'reconcile' }, happens(0.8) ? odd : [])
      return [
        plain(buy(), [queued(choices, [0, 0, 20_000]), ...odd]),
        expire(pick([62_000, 65_000, 125_000])),
        look(),
        pass(pick([61_000, 65_000])),
        look(),
        plain(buy({ idempotent: happens(0.3) }), happens(0.5) ? odd : []),
        ...obeyOften(choices, 2),
      ]
    },
  },
}
