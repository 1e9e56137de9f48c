// Rules for exit codes: what each code promises about the order.
import { exitCodes } from '../../../src/errors.ts'
import { type Sent, sentBy } from '../calls.ts'
import { mayDeceive } from '../habits.ts'
import type { History } from '../histories/steps.ts'
import { epoch } from '../service.ts'
import type { Ran, World } from '../world.ts'
import { createOf, hasAccepted, type Purchases } from './intentions.ts'

const codes = (...names: readonly (keyof typeof exitCodes)[]): readonly number[] =>
  names.map((name) => exitCodes[name].code)

const promises = {
  /** No confirm of this command took effect, and none ever will. */
  nothingSpent: codes('usage', 'unavailable', 'local-state', 'duplicate', 'not-approved'),
  /** Not confirmed so far. If a confirm was sent, the message names the time from which that is certain. */
  notSoFar: codes('refused', 'credentials', 'expired'),
  /** The order is confirmed. */
  confirmed: codes('ok', 'failed', 'partial'),
  /** A confirm was settled, or could not be. */
  settled: codes('unknown', 'refused', 'credentials', 'expired'),
  /** The order was not placed. */
  blocked: codes('unknown', 'duplicate'),
  /** A defect, or an unusable journal although it was not damaged. */
  neverSeen: codes('internal', 'local-state'),
}

/** The time in the message from which reconcile can prove what happened, by the clock of this machine. */
const safeFrom = ({ process: { stderr, wallMs } }: Ran): number | undefined => {
  const time = /\bFrom (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ), reconcile can check\b/.exec(stderr)?.[1]
  return time === undefined ? undefined : Date.parse(time) - epoch - wallMs
}

const longestSettlingMs = 80_500

/** How long a create may wait for its response. */
const underWayMs = 60_000

type Judged = World & { readonly purchases: Purchases; readonly history: History }

type Rule = (ran: Ran, exit: number, judged: Judged) => string | undefined | false

const endOf = ({ process }: Ran): number => process.endedAt ?? Number.POSITIVE_INFINITY

const mayConfirm = ({ words }: Ran): boolean =>
  words[0] === 'confirm' ||
  (words[0] === 'create' && (words.includes('--confirm') || words.includes('--watch')))

/** When a confirm of this command took effect. */
const spentAt = ({ process }: Ran, { service }: Judged): number | undefined =>
  service.effects.find(({ operation, by }) => operation === 'confirm' && by === process.id)?.at

/** Other runs of this machine that may buy the same and began before this one ended. `@last` may mean any order. */
const rivalsOf = (ran: Ran, { ran: all, purchases: { nameOfRun } }: Judged): Ran[] => {
  const name = nameOfRun(ran)
  return all.filter(
    (each) =>
      each !== ran &&
      each.process.machine === ran.process.machine &&
      each.startedAt <= endOf(ran) &&
      (createOf(each) === undefined || name === undefined || nameOfRun(each) === name),
  )
}

const minuteMs = 60_000
/** For the calls before the wait, and for get while it fails. */
const slackMs = 6 * minuteMs

const rules: Readonly<Record<string, Rule>> = {
  neverSeen: (_, exit) => promises.neverSeen.includes(exit) && 'never happens here',
  spentNothing: (ran, exit, judged) =>
    promises.nothingSpent.includes(exit) &&
    spentAt(ran, judged) !== undefined &&
    'says that nothing was spent, but it was',
  /** A valid success of the confirm is the last word. */
  believesSuccess: (ran, exit) =>
    [...promises.notSoFar, ...promises.nothingSpent].includes(exit) &&
    sentBy(ran.process, 'confirm').some(({ got, isConfirmed }) => got === 'response' && isConfirmed) &&
    'says that the order is not confirmed, although its confirm succeeded',
  notSoFar: (ran, exit, judged) => {
    const { history } = judged
    const [confirm] = sentBy(ran.process, 'confirm')
    if (!promises.notSoFar.includes(exit) || confirm === undefined) return false
    const gets = sentBy(ran.process, 'get').filter(({ at }) => at >= confirm.at)
    if (!gets.some(({ isConfirmed }) => isConfirmed === false))
      return 'says that the order is not confirmed, but no get showed it'
    const at = spentAt(ran, judged) ?? Number.POSITIVE_INFINITY
    // If get showed a stale state, only the named time has to be right.
    const isDeceived = mayDeceive(history.habits) || gets.some(({ got }) => got === 'changed')
    const isSlow = gets.some(({ at: from, endedAt = from }) => endedAt - from > 1_000)
    if (at <= endOf(ran) && !isDeceived && !isSlow) return 'says that the order is not confirmed, but it is'
    // Without a Date, only a person can settle the order.
    if (!history.isDated) return false
    const safe = safeFrom(ran)
    if (safe === undefined) return 'names no time from which ordering anew is safe'
    return at !== Number.POSITIVE_INFINITY && at > safe && 'was confirmed after the time that is called safe'
  },
  isConfirmed: (ran, exit, judged) => {
    const { ran: all, purchases } = judged
    if (!promises.confirmed.includes(exit) || !mayConfirm(ran) || hasAccepted(all)) return false
    const meant = purchases.meantBy(ran)
    if (meant === undefined) return false
    // After a repeated response to create, the order that was confirmed may be none that the run can mean.
    if (meant.length === 0 && spentAt(ran, judged) !== undefined) return false
    const isPaid = meant.some(({ confirmedAt = Number.POSITIVE_INFINITY }) => confirmedAt <= endOf(ran))
    return !isPaid && 'says that the order is confirmed, but it is not'
  },
  unknownOnlyIfSent: (ran, exit, judged) =>
    exit === exitCodes.unknown.code &&
    createOf(ran) !== undefined &&
    sentBy(ran.process, 'confirm').length === 0 &&
    !rivalsOf(ran, judged).some(mayConfirm) &&
    'says that money may be spent, but no confirm was sent',
  /** Without a response to a create, there is no order that can be confirmed. */
  notBlocked: (ran, exit, judged) => {
    if (!promises.blocked.includes(exit) || createOf(ran)?.reference === undefined) return false
    if (ran.process.sent.length > 0) return false
    const mayHold = (rival: Ran): boolean =>
      endOf(rival) > ran.startedAt ||
      (rival.process.isKilled && ran.startedAt - endOf(rival) <= underWayMs) ||
      sentBy(rival.process, 'create').some(({ got }) => got !== 'given up' && got !== 'reset') ||
      rival.words[0] === 'confirm'
    return !rivalsOf(ran, judged).some(mayHold) && 'is blocked, though no order can have been confirmed'
  },
  /** The outcome of a confirm is not called unknown while the run that sent it is still determining the outcome. */
  waitsForOthers: (ran, exit, { ran: all }) => {
    const { words, process } = ran
    if (!mayConfirm(ran) || !words.includes('--idempotent') || exit !== exitCodes.unknown.code) return false
    if (sentBy(ran.process, 'confirm').length > 0) return false
    if (process.stderr.includes('the order is confirmed, but could not be read')) return false
    const isAtWork = (other: Ran): boolean =>
      other.process.machine === process.machine &&
      endOf(other) > endOf(ran) &&
      sentBy(other.process, 'confirm').some(
        ({ at, orderId = '' }) => at < endOf(ran) && process.stderr.includes(orderId),
      )
    return all.some(isAtWork) && 'does not wait for the run that confirms the order'
  },
  settlesInTime: (ran, exit) => {
    const [lost] = sentBy(ran.process, 'confirm')
    if (!promises.settled.includes(exit) || lost?.endedAt === undefined) return false
    if (ran.words.includes('--watch')) return false
    const ms = Math.round(endOf(ran) - lost.endedAt)
    return ms > longestSettlingMs && `settles for ${ms} ms`
  },
  /** Without --timeout, waiting ends after 2 min awake if nothing more can be known, otherwise after 30. */
  waitsInTime: (ran, _, { service, purchases, history, clock }) => {
    const { words, startedAt } = ran
    const waits = words[0] === 'watch' || words.includes('--watch')
    if (!waits || words.includes('--timeout')) return false
    const meant = purchases.meantBy(ran) ?? service.orders
    // A cache still shows an order that the service has deleted.
    const cachedMs = history.habits.cache?.ms ?? 0
    const ends = meant.map(({ goneAt, expiresAt }) => (goneAt === undefined ? expiresAt : goneAt + cachedMs))
    const from = Math.max(startedAt, ...ends.map((end) => Math.min(end, endOf(ran))))
    const isGone = meant.length === 1 && meant[0]?.goneAt !== undefined
    const limitMs = isGone ? 2 * minuteMs : 30 * minuteMs
    const ms = Math.round(endOf(ran) - from) - clock.sleptMs
    return ms > limitMs + slackMs && `waits for ${ms / minuteMs} min`
  },
  /** `@last` never means an order before a newer attempt that created nothing. */
  meansLast: (ran, _, { ran: all }) => {
    const { words, process, startedAt } = ran
    if (!words.includes('@last') || !['create', 'confirm'].includes(words[0] ?? '')) return false
    const creates = (each: Ran): Sent[] => each.process.sent.filter(({ operation }) => operation === 'create')
    const before = all.findLast(
      (each) =>
        each.process.machine === process.machine && each.startedAt < startedAt && creates(each).length > 0,
    )
    if (before === undefined || endOf(before) >= startedAt) return false
    const hasNone = creates(before).every(
      ({ named, got }) => named === undefined && got !== undefined && got !== 'cut',
    )
    const isSent = process.sent.some(({ operation }) => operation !== 'get')
    return hasNone && isSent && 'acts on an order that is not the last'
  },
}

export const findWrongExits = (world: World, history: History, purchases: Purchases): string[] =>
  world.ran.flatMap((ran) => {
    const { exit, id, stderr } = ran.process
    if (exit === undefined) return []
    const problems = Object.values(rules)
      .map((rule) => rule(ran, exit, { ...world, history, purchases }))
      .filter((wrong) => typeof wrong === 'string')
    return problems.map(
      (wrong) => `exit ${exit} ${wrong}: run ${id}, ${ran.words.join(' ')}: ${stderr.trim()}`,
    )
  })
