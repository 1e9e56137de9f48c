// Dangerous sequences with services that show or do something later than expected. Their details are random.
import { faultAt, runOf } from './commands.ts'
import {
  buy,
  buyAgain,
  chooseStaleRead,
  confirm,
  create,
  expire,
  lost,
  obedient,
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
import type { Recipe } from './recipes.ts'
import { behindOf, cacheOf, expiryOf, habitsOf } from './services.ts'
import { type Fault, oddWords, type Run } from './steps.ts'

export const lateRecipes: Readonly<Record<string, Recipe>> = {
  'still shown as created': {
    theme: obedient,
    habits: (choices) => ({ ...behindOf(choices), ...(choices.happens(0.2) ? habitsOf(choices) : {}) }),
    steps: (choices) => {
      const { pick, happens } = choices
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
        ...(happens(0.4) ? [pass(pick(pauses))] : []),
        spoken(choices, plain({ name: pick(['get', 'explain', 'watch', 'redeem'] as const), order })),
        ...obeyOften(choices, 4),
        runOf(choices, buy({ idempotent: happens(0.5) })),
        ...obeyOften(choices, 2),
      ]
    },
  },
  'confirmed later than the expiry that is assumed': {
    theme: obedient,
    habits: expiryOf,
    steps: (choices) => [
      plain(buy(), [queued(choices, [400_000, 1_150_000, 1_300_000, 1_700_000])]),
      pass(choices.pick([1_000, 400_000, 861_000, 961_000])),
      ...reconcileTwice(choices),
      ...obeyOften(choices, 2),
      plain(buy()),
      ...obeyOften(choices, 2),
    ],
  },
  "confirmed later than another program's order seems to live": {
    theme: obedient,
    habits: habitsOf,
    steps: (choices) => [
      { do: 'foreign', order: { reference: 'theirs', isConfirmed: false, validMs: 3_600_000 } },
      plain({ ...confirm, order: { nth: 0 } }, [queued(choices, [1_150_000, 1_700_000, 2_500_000])]),
      pass(choices.pick([861_000, 961_000])),
      ...reconcileTwice(choices),
      ...obeyOften(choices, 3),
    ],
  },
  'no time at all': {
    theme: { ...obedient, dateless: 0.9 },
    habits: habitsOf,
    steps: (choices) => [
      plain(create()),
      wall(choices.pick([540_000, 540_000, 300_000, -300_000])),
      plain(choices.happens(0.5) ? confirm : buy({ idempotent: true }), [
        queued(choices, [200_000, 400_000, 580_000]),
      ]),
      pass(choices.pick([61_000, 130_000, 200_000])),
      ...reconcileTwice(choices),
      plain(buy()),
      ...obeyOften(choices, 3),
    ],
  },
  'an old response': {
    theme: obedient,
    habits: (choices) =>
      choices.happens(0.4)
        ? cacheOf(choices)
        : { cache: { ms: choices.pick([600_000, 1_200_000]), isStubborn: true } },
    steps: (choices) => {
      const { happens, pick } = choices
      return [
        plain(create()),
        ...(happens(0.5) ? [plain({ name: 'get', order: { reference } })] : []),
        expire(pick([-30_000, -100_000, -200_000])),
        plain(confirm, [faultAt('confirm', 1, pick(lost), pick([0, 0, 20_000]))]),
        expire(pick([62_000, 65_000])),
        ...reconcileTwice(choices),
        plain(buy()),
        ...obeyOften(choices, 2),
      ]
    },
  },
  'a slow response': {
    theme: obedient,
    habits: habitsOf,
    steps: (choices) => {
      const { pick } = choices
      const slow = [faultAt('get', 1, 'own', 0, pick([44_000, 80_000, 200_000, 280_000]))]
      return [
        plain(create()),
        expire(-pick([60_000, 20_000, 5_000])),
        { ...plain({ name: 'reconcile', timeout: '5m' }, slow), besideMs: 0 },
        { ...plain(confirm, [faultAt('confirm', 1, pick(lost), pick([0, 3_000]))]), besideMs: pick([5, 50]) },
        expire(pick([62_000, 65_000, 125_000])),
        plain({ name: 'reconcile' }, chooseStaleRead(choices)),
        plain(buy()),
      ]
    },
  },
  'delivered, and then shown as before': {
    theme: obedient,
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
    theme: obedient,
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
