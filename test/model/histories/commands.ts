// Random commands with random faults.
import type { Choices } from './choices.ts'
import {
  type As,
  type Command,
  type Fault,
  type Kill,
  type Output,
  oddWords,
  type Response,
  type Run,
  spellings,
  type Target,
} from './steps.ts'

/** The last two are one, as two keyboards type it. */
const references = ['r1', 'r2', 'caf\u00e9', 'cafe\u0301'] as const

const referenceOf = ({ happens, below, theme }: Choices): string | undefined => {
  if (happens(theme.withoutReference)) return undefined
  return references[happens(0.6) ? 0 : below(theme.references)]
}

const productOf = ({ happens, pick }: Choices): string =>
  happens(0.7) ? 'GAME-US:25' : pick(['COFFEE-US:15/range', 'TEST-FAIL:10', 'TEST-REJECT:10', 'TEST-SLOW:10'])

const targetOf = (choices: Choices): Target =>
  choices.weigh<Target>(
    [3, () => ({ nth: choices.below(3) })],
    [2, () => ({ reference: referenceOf(choices) ?? 'r1' })],
    [2, () => 'last'],
  )

const timeoutOf = ({ happens, pick }: Choices): string | undefined =>
  happens(0.25) ? pick(['1s', '5s']) : undefined

const againOf = (choices: Choices, confirm: boolean): Command => ({
  ...{ name: 'create', product: '', confirm, watch: false, idempotent: false, allowDuplicate: false },
  again: { order: targetOf(choices), missing: choices.happens(0.2) },
})

const createOf = (choices: Choices, confirm: boolean): Command => {
  const { happens, theme } = choices
  if (happens(theme.again / 10)) return againOf(choices, confirm)
  const reference = referenceOf(choices)
  const allowDuplicate = happens(theme.duplicate)
  return {
    ...{ name: 'create', reference, product: productOf(choices), confirm, watch: confirm && happens(0.15) },
    // It finds the earlier order by the reference.
    idempotent: reference !== undefined && !allowDuplicate && happens(theme.idempotent),
    ...{ allowDuplicate, timeout: timeoutOf(choices) },
  }
}

const confirmOf = (choices: Choices): Command => {
  const { happens, theme } = choices
  return {
    ...{ name: 'confirm', order: targetOf(choices), idempotent: happens(theme.idempotent) },
    ...{ acceptChanges: happens(0.05), allowDuplicate: happens(theme.duplicate) },
    ...{ timeout: timeoutOf(choices), watch: happens(0.15) },
  }
}

export const commandOf = (choices: Choices): Command => {
  const { happens, below, pick, theme } = choices
  const order = (): Target => targetOf(choices)
  const profile = pick(['shop', 'desk'])
  return choices.weigh<Command>(
    [theme.buy, () => createOf(choices, true)],
    [theme.place, () => createOf(choices, false)],
    [theme.confirm, () => confirmOf(choices)],
    [theme.reconcile, () => ({ name: 'reconcile', ...(happens(0.3) ? { order: order() } : {}) })],
    [
      theme.read,
      () =>
        happens(0.3)
          ? { name: pick(['reconcile', 'list']) }
          : { name: pick(['get', 'watch', 'explain', 'redeem', 'reveal']), order: order() },
    ],
    [theme.obey, () => ({ name: 'printed', nth: pick([0, 0, 0, 1, 1, 2, 3, 5, 8]) })],
    [theme.settle, () => ({ name: 'settle', order: order() })],
    [theme.profile, () => ({ name: 'change profile', profile, spelling: below(spellings.length) })],
    [theme.profile / 4, () => ({ name: pick(['use profile', 'remove profile']), profile })],
  )
}

const spends = ({ name }: Command): boolean => name === 'create' || name === 'confirm'

const lost: readonly Response[] = ['never', 'reset', 'cut', 429, 405, 202, 502, 'html', 'refuse']
const confirmAnswers: readonly Response[] = [...lost, 'own', 'second', 419, 419, 404, 403, 500]

const arrivalOf = ({ weigh, pick }: Choices): Fault['arrivesMs'] =>
  weigh<Fault['arrivesMs']>(
    [5, () => 0],
    [1, () => 'never'],
    [2, () => pick([500, 3_000, 22_000, 50_000])],
    [1, () => pick([130_000, 560_000, 598_000, 640_000, 1_300_000])],
  )

export const faultAt = (
  on: Fault['on'],
  nth: number,
  response: Response,
  arrivesMs: Fault['arrivesMs'] = 0,
  responseMs = 0,
): Fault => ({ on, nth, response, arrivesMs, responseMs })

const faultsOf = (choices: Choices, command: Command): Fault[] => {
  const { happens, pick, theme } = choices
  const fault = (on: Fault['on'], nth: number, response: Response): Fault => {
    const arrivesMs = on === 'get' ? 0 : arrivalOf(choices)
    return faultAt(on, nth, response, arrivesMs, happens(0.3) ? pick([900, 8_000, 44_000]) : 0)
  }
  const confirm = (): Fault => fault('confirm', 1, pick(confirmAnswers))
  const create = (): Fault =>
    fault('create', 1, happens(theme.swapped) ? pick(['swapped', 'repeated']) : pick([...lost, 'unexpected']))
  const get = (): Fault =>
    fault(
      'get',
      pick([0, 0, 1, 2]),
      happens(theme.chooseStaleRead)
        ? 'stale'
        : pick(['never', 'reset', 502, 403, pick(oddWords), pick(oddWords), 'other', 'processing']),
    )
  return [
    ...(spends(command) && happens(theme.confirmFault) ? [confirm()] : []),
    ...(command.name === 'create' && happens(theme.createFault) ? [create()] : []),
    ...(happens(theme.getFault) ? [get()] : []),
  ]
}

const killOf = ({ pick, below, weigh }: Choices): Kill => {
  const side = (): string => pick(['before', 'after', 'after', 'response'])
  return weigh<Kill>(
    [3, () => ({ at: `${pick(['before', 'after'])} write ${1 + below(5)}` })],
    [4, () => ({ at: `${side()} ${pick(['create', 'confirm', 'confirm'])}` })],
    [2, () => ({ afterMs: pick([5, 15, 25, 45, 500, 3_000, 30_000]) })],
  )
}

const asOf = ({ happens, pick, below, theme }: Choices): As => {
  if (!happens(theme.spelling)) return {}
  return happens(0.5) ? { profile: pick(['shop', 'desk']) } : { environment: below(spellings.length) }
}

export const runOf = (choices: Choices, command: Command): Run => ({
  ...{ do: 'run', command, as: asOf(choices), faults: faultsOf(choices, command) },
  output: choices.pick<Output>(['json', 'json', 'quiet', 'plain', 'terminal']),
  ...(choices.happens(choices.theme.elsewhere) ? { isElsewhere: true } : {}),
  ...(spends(command) && choices.happens(choices.theme.kill) ? { kill: killOf(choices) } : {}),
  ...(choices.happens(choices.theme.beside) ? { besideMs: choices.pick([0, 5, 15, 30, 1_000, 20_000]) } : {}),
})
