// Rules for exit codes: what each code promises about the order.
import { exitCodes } from '../../../src/exit-codes.ts'
import { hasLeft, type Sent } from '../calls.ts'
import type { Response } from '../histories/steps.ts'
import { epoch } from '../service.ts'
import type { Ran, World } from '../world.ts'
import { createOf, hasAccepted, type Purchases } from './intentions.ts'

const code = (name: keyof typeof exitCodes): number => exitCodes[name].code

const promises = {
  /** No confirm of this command took effect, and none ever will. */
  nothingSpent: [code('usage'), code('unavailable'), code('local-state'), code('duplicate')],
  /** Not confirmed so far. If a confirm was sent, the message names the time from which that is certain. */
  notSoFar: [code('refused'), code('credentials'), code('expired')],
  /** The order is confirmed. */
  confirmed: [code('ok'), code('failed'), code('partial')],
  /** A confirm was settled, or could not be. */
  settled: [code('unknown'), code('refused'), code('credentials'), code('expired')],
  /** The order was not placed. */
  blocked: [code('unknown'), code('duplicate')],
  /** A defect, or an unusable journal although it was not damaged. */
  neverSeen: [code('internal'), code('local-state')],
} satisfies Readonly<Record<string, readonly number[]>>

/** The time in the message from which ordering again is safe, by the clock of this machine. */
const safeFrom = ({ process: { stderr, wallMs } }: Ran): number | undefined => {
  const time = /\bsafe\w*\W[^.]*?(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)/.exec(stderr)?.[1]
  return time === undefined ? undefined : Date.parse(time) - epoch - wallMs
}

const longestSettlingMs = 80_500

/** How long a create may wait for its response. */
const underWayMs = 60_000

type Judged = World & { readonly purchases: Purchases }

type Rule = (ran: Ran, exit: number, judged: Judged) => string | undefined | false

const sentBy = ({ process }: Ran, operation: Sent['operation']): Sent[] =>
  process.sent.filter((sent) => sent.operation === operation && hasLeft(sent))

const endOf = ({ process }: Ran): number => process.endedAt ?? Number.POSITIVE_INFINITY

const hadResponse = ({ run }: Ran, ...responses: Response[]): boolean =>
  run.faults.some(({ response }) => responses.includes(response))

const mayConfirm = ({ run: { command } }: Ran): boolean =>
  command.name === 'confirm' || (command.name === 'create' && (command.confirm || command.watch))

/** When a confirm of this command took effect. */
const spentAt = ({ process }: Ran, { service }: Judged): number | undefined =>
  service.effects.find(({ operation, by }) => operation === 'confirm' && by === process.id)?.at

/** Other runs that may buy the same and began before this one ended. */
const rivalsOf = (ran: Ran, { ran: all, purchases: { names } }: Judged): Ran[] =>
  all.filter(
    (each) =>
      each !== ran &&
      each.startedAt <= endOf(ran) &&
      (createOf(each) === undefined || names.get(each.process.id) === names.get(ran.process.id)),
  )

const neverSeen: Rule = (_, exit) => promises.neverSeen.includes(exit) && 'never happens here'

const spentNothing: Rule = (ran, exit, judged) =>
  promises.nothingSpent.includes(exit) &&
  spentAt(ran, judged) !== undefined &&
  'says that nothing was spent, but it was'

const notSoFar: Rule = (ran, exit, judged) => {
  if (!promises.notSoFar.includes(exit) || sentBy(ran, 'confirm').length === 0) return false
  const at = spentAt(ran, judged) ?? Number.POSITIVE_INFINITY
  // If get showed a stale state, only the named time has to be right.
  const isDeceived = sentBy(ran, 'get').some(({ got }) => got === 'changed')
  if (at <= endOf(ran) && !isDeceived) return 'says that the order is not confirmed, but it is'
  const safe = safeFrom(ran)
  if (safe === undefined) return 'names no time from which ordering anew is safe'
  return at !== Number.POSITIVE_INFINITY && at > safe && 'was confirmed after the time that is called safe'
}

const isConfirmed: Rule = (ran, exit, { ran: all, service, purchases }) => {
  if (!promises.confirmed.includes(exit) || !mayConfirm(ran)) return false
  if (hadResponse(ran, 'swapped') || hasAccepted(all)) return false
  const name = purchases.names.get(ran.process.id)
  const isMeant = (id: string): boolean =>
    name === undefined ? ran.words[1] === id : purchases.nameOf(id) === name
  const meant = [...service.orders.keys()].filter(isMeant)
  // `@last` and `ref:` name an order that only the journal knows.
  if (meant.length === 0 && name === undefined) return false
  const isPaid = meant.some((id) => (service.confirmedAt(id) ?? Number.POSITIVE_INFINITY) <= endOf(ran))
  return !isPaid && 'says that the order is confirmed, but it is not'
}

const unknownOnlyIfSent: Rule = (ran, exit, judged) =>
  exit === code('unknown') &&
  createOf(ran) !== undefined &&
  sentBy(ran, 'confirm').length === 0 &&
  !rivalsOf(ran, judged).some(mayConfirm) &&
  'says that money may be spent, but no confirm was sent'

const noUsageError: Rule = (ran, exit, { ran: all }) =>
  exit === code('usage') &&
  createOf(ran) !== undefined &&
  !all.some(({ run }) => run.command.name === 'remove profile') &&
  'calls it wrong usage, but nothing is wrong with the flags'

/** Without a response to a create, there is no order that can be confirmed. */
const notBlocked: Rule = (ran, exit, judged) => {
  if (!promises.blocked.includes(exit) || createOf(ran)?.reference === undefined) return false
  if (ran.process.sent.length > 0) return false
  const mayHold = (rival: Ran): boolean =>
    endOf(rival) > ran.startedAt ||
    (rival.process.isKilled && ran.startedAt - endOf(rival) <= underWayMs) ||
    sentBy(rival, 'create').some(({ got }) => got !== 'given up' && got !== 'reset') ||
    rival.run.command.name === 'confirm'
  return !rivalsOf(ran, judged).some(mayHold) && 'is blocked, though no order can have been confirmed'
}

/** The outcome of a confirm is not called unknown while the run that sent it is still determining the outcome. */
const waitsForOthers: Rule = (ran, exit, { ran: all }) => {
  const { command } = ran.run
  const isIdempotent = (command.name === 'create' || command.name === 'confirm') && command.idempotent
  if (!isIdempotent || exit !== code('unknown') || sentBy(ran, 'confirm').length > 0) return false
  const isAtWork = (other: Ran): boolean =>
    endOf(other) > endOf(ran) &&
    sentBy(other, 'confirm').some(
      ({ at, orderId = '' }) => at < endOf(ran) && ran.process.stderr.includes(orderId),
    )
  return all.some(isAtWork) && 'does not wait for the run that confirms the order'
}

const settlesInTime: Rule = (ran, exit) => {
  const [lost] = sentBy(ran, 'confirm')
  if (!promises.settled.includes(exit) || lost?.endedAt === undefined) return false
  const ms = Math.round(endOf(ran) - lost.endedAt)
  return ms > longestSettlingMs && `settles for ${ms} ms`
}

const rules = [
  neverSeen,
  spentNothing,
  notSoFar,
  isConfirmed,
  unknownOnlyIfSent,
  noUsageError,
  notBlocked,
  waitsForOthers,
  settlesInTime,
]

export const findWrongExits = (world: World, purchases: Purchases): string[] =>
  world.ran.flatMap((ran) => {
    const { exit, id, stderr } = ran.process
    if (exit === undefined) return []
    const problems = rules
      .map((rule) => rule(ran, exit, { ...world, purchases }))
      .filter((wrong) => typeof wrong === 'string')
    return problems.map(
      (wrong) => `exit ${exit} ${wrong}: run ${id}, ${ran.words.join(' ')}: ${stderr.trim()}`,
    )
  })
