// Dangerous sequences with services that do what no document says, and with an operator who obeys. Their details are random.
import type { Choices } from './choices.ts'
import { faultAt, runOf } from './commands.ts'
import {
  chooseStaleRead,
  confirm,
  create,
  expire,
  pass,
  plain,
  type Recipe,
  reference,
  wall,
} from './recipes.ts'
import { behindOf, cacheOf, codeOf, expiryOf, foreignOf, habitsOf, templateOf, walletOf } from './services.ts'
import type { Command, Fault, Response, Run, Step, Target } from './steps.ts'
import { type Theme, themes } from './themes.ts'

const elsewhere = (run: Run, isElsewhere = true): Run => ({ ...run, isElsewhere })

const lost: readonly Response[] = ['never', 'reset', 202, 502, 500, 'html', 429, 404]

/** The response to confirm is lost, and the confirm takes effect later. */
const queued = ({ pick }: Choices, afterMs: readonly number[]): Fault =>
  faultAt('confirm', 1, pick(lost), pick(afterMs))

/** A person sees more commands than a script. */
const spoken = ({ pick }: Choices, run: Run): Run => ({ ...run, output: pick(['json', 'plain', 'terminal']) })

const obey = (choices: Choices): Run =>
  spoken(choices, plain({ name: 'printed', nth: choices.pick([0, 0, 0, 1, 1, 2, 3]) }))

const pauses = [0, 0, 1_000, 40_000, 61_000, 130_000, 661_000, 960_000]

const obeyOften = (choices: Choices, most: number): Step[] =>
  Array.from({ length: 1 + choices.below(most) }).flatMap(() => [
    ...(choices.happens(0.5) ? [pass(choices.pick(pauses))] : []),
    obey(choices),
  ])

const buy = (more: Partial<Extract<Command, { name: 'create' }>> = {}): Command =>
  create({ confirm: true, ...more })

const buyAgain = (order: Target, missing: boolean): Command =>
  buy({ reference: undefined, again: { order, missing } })

const reconcileTwice = ({ pick, happens }: Choices): Step[] => [
  plain({ name: 'reconcile' }),
  pass(pick([61_000, 65_000, 130_000])),
  plain({ name: 'reconcile' }),
  ...(happens(0.3) ? [pass(61_000), plain({ name: 'reconcile' })] : []),
]

const obedient = themes.obedient as Theme

export const oddRecipes: Readonly<Record<string, Recipe>> = {
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
  'cards before they are paid': {
    theme: obedient,
    habits: templateOf,
    steps: (choices) => {
      const { pick, happens } = choices
      return [
        plain(create()),
        ...(happens(0.6)
          ? [plain({ name: pick(['get', 'watch', 'redeem'] as const), order: { reference } })]
          : []),
        plain(confirm, [faultAt('confirm', 1, pick([400, 400, 403, 429, 502, 'reset']), 'never')]),
        ...obeyOften(choices, 2),
        runOf(choices, buy({ idempotent: true, watch: happens(0.3) })),
        ...obeyOften(choices, 2),
      ]
    },
  },
  'a wallet by another spelling': {
    theme: { ...obedient, spelling: 0, references: 4 },
    habits: walletOf,
    steps: (choices) => [
      plain({ name: 'budget', amount: choices.pick(['30', '60']) }),
      plain(buy(), choices.happens(0.3) ? [queued(choices, [0, 60_000])] : []),
      ...['r2', 'r3'].flatMap((each) => [
        plain(create({ reference: each })),
        plain({ ...confirm, order: { reference: each }, acceptChanges: choices.happens(0.6) }),
      ]),
      plain(buy({ reference: 'caf\u00e9' })),
      ...obeyOften(choices, 3),
    ],
  },
  'another order after a reset': {
    theme: obedient,
    habits: habitsOf,
    steps: (choices) => {
      const { happens, pick } = choices
      return [
        plain(create({ confirm: happens(0.3) }), happens(0.2) ? [queued(choices, [0])] : []),
        ...(happens(0.3) ? [pass(pick(pauses))] : []),
        { do: 'reset', orders: [{ ...foreignOf(choices), reference: 'theirs' }, foreignOf(choices)] },
        ...(happens(0.5) ? [pass(pick([5_000, 61_000]))] : []),
        plain(
          pick<Command>([
            { ...confirm, idempotent: true, watch: happens(0.3) },
            { name: 'reveal', order: { reference } },
            buy({ idempotent: true, reveal: true }),
            buyAgain({ reference }, happens(0.5)),
            { name: 'watch', order: { reference }, isEndless: true },
          ]),
        ),
        ...obeyOften(choices, 3),
        runOf(choices, buy({ idempotent: happens(0.5), reveal: happens(0.3) })),
      ]
    },
  },
  'a repeated response to create': {
    theme: obedient,
    habits: habitsOf,
    steps: (choices) => {
      const { happens, pick } = choices
      const isElsewhere = happens(0.7)
      return [
        plain(create({ reference: 'r2', confirm: happens(0.3) })),
        elsewhere(
          plain(create({ confirm: happens(0.7), watch: happens(0.2) }), [faultAt('create', 1, 'repeated')]),
          isElsewhere,
        ),
        ...(happens(0.6)
          ? [elsewhere(plain(pick<Command>([confirm, { ...confirm, idempotent: true }])), isElsewhere)]
          : []),
        elsewhere(plain({ name: pick(['reveal', 'get'] as const), order: { reference } }), isElsewhere),
        plain({ ...confirm, order: { reference: 'r2' } }),
        ...obeyOften(choices, 3).map((step) => (step.do === 'run' ? elsewhere(step, happens(0.5)) : step)),
        elsewhere(plain(buy({ idempotent: happens(0.5) })), isElsewhere),
      ]
    },
  },
  'ordered again': {
    theme: obedient,
    habits: habitsOf,
    steps: (choices) => {
      const { happens, pick } = choices
      return [
        plain(create({ confirm: happens(0.5) })),
        plain(create({ reference: 'r2', confirm: true }), [
          faultAt('create', 1, pick(['refuse', 'refuse', 400, 403, 'reset', 502]), 'never'),
        ]),
        ...(happens(0.4) ? [expire(pick([61_000, 3_000]))] : []),
        plain(buyAgain(pick(['last', 'last', { reference }] as const), happens(0.2))),
        plain({ ...confirm, order: pick(['last', { reference }] as const) }),
        ...obeyOften(choices, 4),
      ]
    },
  },
  'budgets and doubtful orders': {
    theme: { ...obedient, spelling: 0 },
    habits: habitsOf,
    steps: (choices) => {
      const { happens, pick } = choices
      const refused = [faultAt('confirm', 1, pick([403, 429, 400, 'busy']), pick([100_000, 300_000]))]
      return [
        ...(happens(0.5) ? [plain({ name: 'budget', amount: pick(['30', '60']) })] : []),
        plain(buy(), happens(0.6) ? refused : [queued(choices, [0, 30_000, 120_000])]),
        ...(happens(0.5) ? [plain({ name: 'budget', amount: '20' })] : []),
        plain(buy({ reference: 'r2' })),
        plain(happens(0.5) ? confirm : buy({ idempotent: true })),
        ...obeyOften(choices, 3),
      ]
    },
  },
  'a damaged journal': {
    theme: { ...obedient, spelling: 0 },
    steps: (choices) => {
      const { happens, pick } = choices
      const what = pick(['outcome', 'reference', 'whole reference', 'standing', 'total'] as const)
      return [
        plain({ name: 'budget', amount: pick(['30', '60']) }),
        what === 'outcome'
          ? { ...plain(create()), kill: { at: 'after create' } }
          : plain(buy(), happens(0.4) ? [queued(choices, [0, 30_000])] : []),
        { do: 'damage', what },
        plain(buy({ idempotent: happens(0.3) })),
        plain(buy({ reference: 'r2' })),
        ...obeyOften(choices, 2),
        plain(buy({ reference: 'r3' })),
      ]
    },
  },
  'an old response': {
    theme: obedient,
    habits: cacheOf,
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
  'an order that the service forgot': {
    theme: obedient,
    habits: habitsOf,
    steps: (choices) => {
      const { happens, pick } = choices
      return [
        plain(create({ confirm: happens(0.7) }), happens(0.2) ? [queued(choices, [0])] : []),
        ...(happens(0.3) ? [pass(pick(pauses))] : []),
        { do: 'forget', nth: 0 },
        plain(
          pick<Command>([
            buy({ idempotent: true, watch: true }),
            { ...confirm, idempotent: true, watch: true },
            { name: 'watch', order: { reference }, isEndless: true },
            { ...confirm },
          ]),
        ),
        ...obeyOften(choices, 3),
        runOf(choices, buy()),
      ]
    },
  },
  'a code in a wrong place': {
    theme: obedient,
    habits: codeOf,
    steps: (choices) => [
      plain(buy({ watch: choices.happens(0.7) })),
      pass(5_000),
      plain({ name: choices.pick(['get', 'watch', 'explain'] as const), order: { reference } }),
      plain({ name: choices.pick(['refresh', 'list', 'reconcile'] as const) }),
      ...obeyOften(choices, 2),
    ],
  },
}
