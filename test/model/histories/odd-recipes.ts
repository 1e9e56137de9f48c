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
import { foreignOf, habitsOf, templateOf } from './services.ts'
import type { Command } from './steps.ts'

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
}
