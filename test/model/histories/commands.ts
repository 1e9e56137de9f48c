// A random command, with what goes wrong for it.
import type { Chance } from './chance.ts'
import {
  type Answer,
  type As,
  type Command,
  type Fault,
  type Kill,
  type Output,
  type Run,
  spellings,
  type Target,
} from './steps.ts'

/** The last two are one, as two keyboards type it. */
const references = ['r1', 'r2', 'caf\u00e9', 'cafe\u0301'] as const

const referenceOf = ({ happens, below, theme }: Chance): string | undefined => {
  if (happens(theme.withoutReference)) return undefined
  return references[happens(0.6) ? 0 : below(theme.references)]
}

const productOf = ({ happens, pick }: Chance): string =>
  happens(0.7) ? 'GAME-US:25' : pick(['COFFEE-US:15/range', 'TEST-FAIL:10', 'TEST-REJECT:10', 'TEST-SLOW:10'])

const targetOf = (chance: Chance): Target =>
  chance.weigh<Target>(
    [3, () => ({ nth: chance.below(3) })],
    [2, () => ({ reference: referenceOf(chance) ?? 'r1' })],
    [2, () => 'last'],
  )

const timeoutOf = ({ happens, pick }: Chance): string | undefined =>
  happens(0.25) ? pick(['1s', '5s']) : undefined

const createOf = (chance: Chance, confirm: boolean): Command => {
  const { happens, theme } = chance
  const reference = referenceOf(chance)
  const allowDuplicate = happens(theme.duplicate)
  return {
    ...{ name: 'create', reference, product: productOf(chance), confirm, watch: confirm && happens(0.15) },
    // It finds the earlier order by the reference.
    idempotent: reference !== undefined && !allowDuplicate && happens(theme.idempotent),
    ...{ allowDuplicate, timeout: timeoutOf(chance) },
  }
}

export const commandOf = (chance: Chance): Command => {
  const { happens, below, pick, theme } = chance
  const order = (): Target => targetOf(chance)
  const profile = pick(['shop', 'desk'])
  return chance.weigh<Command>(
    [theme.buy, () => createOf(chance, true)],
    [theme.place, () => createOf(chance, false)],
    [
      theme.confirm,
      () => ({
        ...{
          name: 'confirm',
          order: order(),
          idempotent: happens(theme.idempotent),
          acceptChanges: happens(0.05),
        },
        ...{ allowDuplicate: happens(theme.duplicate), timeout: timeoutOf(chance) },
      }),
    ],
    [theme.reconcile, () => ({ name: 'reconcile', ...(happens(0.3) ? { order: order() } : {}) })],
    [
      theme.read,
      () => (happens(0.4) ? { name: 'refresh' } : { name: pick(['get', 'watch']), order: order() }),
    ],
    [theme.settle, () => ({ name: 'settle', order: order() })],
    [theme.profile, () => ({ name: 'replace profile', profile, spelling: below(spellings.length) })],
    [theme.profile / 4, () => ({ name: pick(['use profile', 'remove profile']), profile })],
  )
}

const spends = ({ name }: Command): boolean => name === 'create' || name === 'confirm'

const lost: readonly Answer[] = ['never', 'reset', 'cut', 429, 405, 502, 'html', 'refuse']
const confirmAnswers: readonly Answer[] = [...lost, 'own', 'second', 419, 419, 404, 403, 500]

const arrivalOf = ({ weigh, pick }: Chance): Fault['arrivesMs'] =>
  weigh<Fault['arrivesMs']>(
    [5, () => 0],
    [1, () => 'never'],
    [2, () => pick([500, 3_000, 22_000, 50_000])],
    [1, () => pick([130_000, 560_000, 598_000, 640_000])],
  )

export const faultAt = (
  on: Fault['on'],
  nth: number,
  answer: Answer,
  arrivesMs: Fault['arrivesMs'] = 0,
  answerMs = 0,
): Fault => ({ on, nth, answer, arrivesMs, answerMs })

const faultsOf = (chance: Chance, command: Command): Fault[] => {
  const { happens, pick, theme } = chance
  const fault = (on: Fault['on'], nth: number, answer: Answer): Fault =>
    faultAt(
      on,
      nth,
      answer,
      on === 'get' ? 0 : arrivalOf(chance),
      happens(0.3) ? pick([900, 8_000, 44_000]) : 0,
    )
  const confirm = (): Fault => fault('confirm', 1, pick(confirmAnswers))
  const create = (): Fault =>
    fault('create', 1, happens(theme.swapped) ? 'swapped' : pick([...lost, 'unexpected']))
  const get = (): Fault =>
    fault(
      'get',
      pick([0, 0, 1, 2]),
      happens(theme.stale) ? 'stale' : pick(['never', 'reset', 502, 403, 'on_hold', 'pending', 'other']),
    )
  return [
    ...(spends(command) && happens(theme.confirmFault) ? [confirm()] : []),
    ...(command.name === 'create' && happens(theme.createFault) ? [create()] : []),
    ...(happens(theme.getFault) ? [get()] : []),
  ]
}

const killOf = ({ pick, below, weigh }: Chance): Kill =>
  weigh<Kill>(
    [3, () => ({ at: `${pick(['before', 'after'])} write ${1 + below(5)}` })],
    [
      4,
      () => ({
        at: `${pick(['before', 'after', 'after', 'answer'])} ${pick(['create', 'confirm', 'confirm'])}`,
      }),
    ],
    [2, () => ({ afterMs: pick([5, 15, 25, 45, 500, 3_000, 30_000]) })],
  )

const asOf = ({ happens, pick, below, theme }: Chance): As => {
  if (!happens(theme.spelling)) return {}
  return happens(0.5) ? { profile: pick(['shop', 'desk']) } : { environment: below(spellings.length) }
}

export const runOf = (chance: Chance, command: Command): Run => ({
  ...{ do: 'run', command, as: asOf(chance), faults: faultsOf(chance, command) },
  output: chance.pick<Output>(['json', 'json', 'quiet', 'plain']),
  ...(spends(command) && chance.happens(chance.theme.kill) ? { kill: killOf(chance) } : {}),
  ...(chance.happens(chance.theme.beside) ? { besideMs: chance.pick([0, 5, 15, 30, 1_000, 20_000]) } : {}),
})
