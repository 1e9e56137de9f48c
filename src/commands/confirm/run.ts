// orderctl confirm: shows what will be spent, asks for consent on a terminal, and spends it once.
import type { Context } from '../../context.ts'
import { parseDecimal } from '../../contract/decimal.ts'
import { exitCodes } from '../../exit-codes.ts'
import { type Difference, differenceText, refuseChanges } from '../../operations/compare.ts'
import { readForConfirm } from '../../operations/confirm.ts'
import type { Spending } from '../../operations/deps.ts'
import { type Guards, guard } from '../../operations/offer.ts'
import { interruption, readSpent } from '../../operations/read.ts'
import { safeText } from '../../ui/terminal/safe-text.ts'
import { moneyText } from '../../ui/text/money.ts'
import { expiryText } from '../../ui/text/time.ts'
import { confirmOrder, wasConfirmedBefore } from '../shared/confirm-order.ts'
import { arrived } from '../shared/ensure-delivered.ts'
import { flagReader, totalForm } from '../shared/flag-reader.ts'
import { orderIds } from '../shared/order-ids.ts'
import { type ShowFlags, shower } from '../shared/output.ts'
import { loadWhatTells } from '../shared/preload-output.ts'
import { openSession, type Session, type SessionFlags, sayWhere, spending } from '../shared/session.ts'
import { showOrder } from '../shared/show-order.ts'
import { askConsent, isAsked, requireConsent } from './consent.ts'

export type ConfirmFlags = SessionFlags &
  ShowFlags & {
    readonly yes?: boolean
    readonly input: boolean
    readonly maxTotal?: string
    readonly minValidity?: string
    readonly idempotent?: boolean
    readonly allowDuplicate?: boolean
    readonly acceptChanges?: boolean
    readonly watch?: boolean
  }

export const confirm = async (context: Context, named: string, flags: ConfirmFlags): Promise<number> => {
  const guards = guardsOf(flags)
  const { showIds } = shower(context, flags, { hasSpent: true })
  await requireConsent(context, flags)
  const session = await openSession(context, flags)
  try {
    sayWhere(context, session.account)
    const deps = await spending(session)
    await loadWhatTells({ ...flags, watch: flags.watch === true })
    const [orderId = ''] = await orderIds(context, session, [named])
    const work = { deps, orderId, guards, flags }
    const wasConfirmed = await wasConfirmedBefore(context, flags.idempotent === true, () =>
      readAskConfirm(context, session, work),
    )
    if (flags.watch === true) {
      const { watchOrders } = await import('../shared/watch-orders.ts')
      return await watchOrders(context, session, [orderId], { ...flags, known: true })
    }
    if (flags.quiet === true) {
      showIds([orderId])
      await arrived(context, `the order ${orderId} is confirmed`, orderId)
      return exitCodes.ok.code
    }
    const exit = await showOrder(context, session, await readSpent(session, orderId), flags)
    return wasConfirmed ? exitCodes.ok.code : exit
  } finally {
    await session.close()
  }
}

const guardsOf = (flags: ConfirmFlags): Guards => {
  const { read, duration, check } = flagReader('confirm')
  const minValidityMs = duration('--min-validity', flags.minValidity)
  const maxTotal = read('--max-total', flags.maxTotal, parseDecimal, totalForm)
  check()
  return { minValidityMs, maxTotal }
}

type Work = {
  readonly deps: Spending
  readonly orderId: string
  readonly guards: Guards
  readonly flags: ConfirmFlags
}

const readAskConfirm = async (
  context: Context,
  session: Session,
  { deps, orderId, guards, flags }: Work,
): Promise<void> => {
  const { order, offer, serviceTime, differences } = await readForConfirm(deps, orderId)
  guard(offer, guards, serviceTime())
  if (flags.acceptChanges !== true && !isAsked(context, flags)) refuseChanges(orderId, differences)
  const consent = await askConsent(context, flags, {
    account: session.account,
    summary: async (there) => {
      const { summaryScreen } = await import('../shared/order-screen.ts')
      const guess = offer.isGuess ? ' (assumed: ten minutes)' : ''
      const now = serviceTime()
      return `${summaryScreen(there, order, now)}${expiryText(offer.expiresAt, now)}${guess}\n`
    },
    warning: changesText(differences),
    message: `Confirm it, and spend ${moneyText(offer.total, offer.wallet)}?`,
  })
  if (consent === 'refused') {
    throw interruption(context.interrupted, 'not confirmed; nothing was spent', { orderId })
  }
  // The answer may have taken a while.
  guard(offer, guards, serviceTime())
  const allowDuplicate = flags.allowDuplicate === true
  await confirmOrder(context, session, { deps, offer, allowDuplicate, accepted: differences })
}

const changesText = (differences: readonly Difference[]): string => {
  if (differences.length === 0) return ''
  const lines = differences.map((each) => `  ${safeText(differenceText(each))}\n`)
  return `warning: this is not the order that was placed:\n${lines.join('')}`
}
