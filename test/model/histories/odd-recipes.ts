// Dangerous sequences with services that behave in undocumented ways, and with an operator who obeys. Their details are
// random.
import { faultAt, runOf } from './commands.ts'
import {
  buy,
  buyAgain,
  confirm,
  create,
  elsewhere,
  expire,
  obeyOften,
  pass,
  pauses,
  plain,
  queued,
  reference,
} from './moves.ts'
import type { Recipe } from './recipes.ts'
import { codeOf, foreignOf, habitsOf, templateOf, walletOf } from './services.ts'
import type { Command } from './steps.ts'
import { themes } from './themes.ts'

export const oddRecipes: Readonly<Record<string, Recipe>> = {
  'cards before they are paid': {
    habits: templateOf,
    steps: (choices, { pick, happens } = choices) => [
      plain(create()),
      ...(happens(0.6)
        ? [plain({ name: pick(['get', 'watch', 'redeem'] as const), order: { reference } })]
        : []),
      plain(confirm, [faultAt('confirm', 1, pick([400, 400, 403, 429, 502, 'reset']), 'never')]),
      ...obeyOften(choices, 2),
      runOf(choices, buy({ idempotent: true, watch: happens(0.3) })),
      ...obeyOften(choices, 2),
    ],
  },
  'a wallet by another spelling': {
    theme: { ...themes.obedient, spelling: 0, references: 4 },
    habits: walletOf,
    steps: (choices, { happens, pick } = choices) => [
      plain({ name: 'budget', amount: pick(['30', '60']) }),
      plain(buy(), happens(0.3) ? [queued(choices, [0, 60_000])] : []),
      ...['r2', 'r3'].flatMap((each) => [
        plain(create({ reference: each })),
        plain({ ...confirm, order: { reference: each }, acceptChanges: happens(0.6) }),
      ]),
      plain(buy({ reference: 'caf\u00e9' })),
      ...obeyOften(choices, 3),
    ],
  },
  'another order after a reset': {
    habits: habitsOf,
    steps: (choices, { happens, pick, sometimes } = choices) => [
      plain(create({ confirm: happens(0.3) }), happens(0.2) ? [queued(choices, [0])] : []),
      ...sometimes(0.3, () => pass(pick(pauses))),
      { do: 'reset', orders: [{ ...foreignOf(choices), reference: 'theirs' }, foreignOf(choices)] },
      ...sometimes(0.5, () => pass(pick([5_000, 61_000]))),
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
    ],
  },
  'a repeated response to create': {
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
    habits: habitsOf,
    steps: (choices, { happens, pick, sometimes } = choices) => [
      plain(create({ confirm: happens(0.5) })),
      plain(create({ reference: 'r2', confirm: true }), [
        faultAt('create', 0, pick(['refuse', 'refuse', 400, 403, 'reset', 502]), 'never'),
      ]),
      ...sometimes(0.4, () => expire(pick([61_000, 3_000]))),
      plain(buyAgain(pick(['last', 'last', { reference }] as const), happens(0.2))),
      plain({ ...confirm, order: pick(['last', { reference }] as const) }),
      ...obeyOften(choices, 4),
    ],
  },
  'budgets and doubtful orders': {
    theme: { ...themes.obedient, spelling: 0 },
    habits: habitsOf,
    steps: (choices) => {
      const { happens, pick, sometimes } = choices
      const refused = [faultAt('confirm', 1, pick([403, 429, 400, 'busy']), pick([100_000, 300_000]))]
      return [
        ...sometimes(0.5, () => plain({ name: 'budget', amount: pick(['30', '60']) })),
        plain(buy(), happens(0.6) ? refused : [queued(choices, [0, 30_000, 120_000])]),
        ...sometimes(0.5, () => plain({ name: 'budget', amount: '20' })),
        plain(buy({ reference: 'r2' })),
        plain(happens(0.5) ? confirm : buy({ idempotent: true })),
        ...obeyOften(choices, 3),
      ]
    },
  },
  'a damaged journal': {
    theme: { ...themes.obedient, spelling: 0 },
    steps: (choices) => {
      const { happens, pick } = choices
      const what = pick(['outcome', 'reference', 'whole reference', 'standing', 'total', 'total'] as const)
      const again = plain(buy({ idempotent: happens(0.3) }))
      const other = plain(buy({ reference: 'r2' }))
      return [
        plain({ name: 'budget', amount: pick(['30', '60']) }),
        what === 'outcome'
          ? { ...plain(create()), kill: { at: 'after create' } }
          : plain(buy(), happens(0.4) ? [queued(choices, [0, 30_000])] : []),
        { do: 'damage', what },
        // The first one of them may repair what is damaged.
        ...(happens(0.5) ? [again, other] : [other, again]),
        ...obeyOften(choices, 2),
        plain(buy({ reference: 'r3' })),
      ]
    },
  },
  'an order that the service forgot': {
    habits: habitsOf,
    steps: (choices, { happens, pick, sometimes } = choices) => [
      plain(create({ confirm: happens(0.7) }), happens(0.2) ? [queued(choices, [0])] : []),
      ...sometimes(0.3, () => pass(pick(pauses))),
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
    ],
  },
  'a code in a wrong place': {
    habits: codeOf,
    steps: (choices, { happens, pick } = choices) => [
      plain(buy({ watch: happens(0.7) })),
      pass(5_000),
      plain({ name: pick(['get', 'watch', 'explain'] as const), order: { reference } }),
      plain({ name: pick(['refresh', 'list', 'reconcile'] as const) }),
      ...obeyOften(choices, 2),
    ],
  },
}
