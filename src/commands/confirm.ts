// orderctl confirm: shows what will be spent, asks where somebody can answer, and spends it once.
import type { Context } from '../context.ts'
import { parseDecimal } from '../contract/decimal.ts'
import { Failure } from '../errors.ts'
import { exitCodes } from '../exit-codes.ts'
import { confirm as confirmOrder, look } from '../operations/confirm.ts'
import { guard } from '../operations/offer.ts'
import { interruption, readSpent } from '../operations/read.ts'
import { moneyText } from '../ui/money.ts'
import { expiryText } from '../ui/time.ts'
import { arrived } from './arrived.ts'
import { flagReader, totalForm } from './flags.ts'
import { orderIds } from './order-ids.ts'
import { patiently } from './patiently.ts'
import { canAsk, openSession, type SessionFlags, sayWhere, spending } from './session.ts'
import { type ShowFlags, shower } from './show.ts'
import { showOrder } from './show-order.ts'
import { loadWhatTells } from './to-tell.ts'

export type ConfirmFlags = SessionFlags &
  ShowFlags & {
    readonly yes?: boolean
    readonly input: boolean
    readonly maxTotal?: string
    readonly minValidity?: string
    readonly idempotent?: boolean
    readonly allowDuplicate?: boolean
    readonly watch?: boolean
  }

export const confirm = async (context: Context, named: string, flags: ConfirmFlags): Promise<number> => {
  const { stderr, interrupted } = context
  const { read, duration, check } = flagReader('confirm')
  const minValidityMs = duration('--min-validity', flags.minValidity)
  const maxTotal = read('--max-total', flags.maxTotal, parseDecimal, totalForm)
  check()
  const { showIds } = shower(context, flags, { hasSpent: true })
  const session = await openSession(context, flags)
  try {
    sayWhere(context, session.account)
    const deps = await spending(session)
    await loadWhatTells({ ...flags, watch: flags.watch === true })
    const [orderId = ''] = await orderIds(context, session, [named])
    let isAgain = false
    try {
      const { order, offer, serviceTime } = await look(deps, orderId)
      const now = serviceTime()
      guard(offer, { maxTotal, minValidityMs }, now)
      const asks = flags.yes !== true && canAsk(context, flags)
      if (asks || (flags.json !== true && flags.quiet !== true)) {
        const { summaryScreen } = await import('./order-screen.ts')
        stderr.write(
          `${summaryScreen(context, order, now)}${expiryText(offer.expiresAt, now)}${offer.isGuess ? ', by the usual ten minutes' : ''}\n`,
        )
      }
      if (
        asks &&
        !(await context.confirm(`Confirm it, and spend ${moneyText(offer.total, offer.wallet)}?`))
      ) {
        throw interruption(interrupted, 'not confirmed; nothing is spent', { orderId })
      }
      // Whoever was asked may have taken their time.
      guard(offer, { maxTotal, minValidityMs }, serviceTime())
      await patiently(context, session, 'confirm', (progress) =>
        confirmOrder(deps, offer, { ...progress, allowDuplicate: flags.allowDuplicate === true }),
      )
    } catch (error) {
      if (!(flags.idempotent === true && isAlreadyConfirmed(error))) throw error
      isAgain = true
      stderr.write('it was confirmed before\n')
    }
    if (flags.watch === true) {
      const { watchOrders } = await import('./watch-orders.ts')
      return await watchOrders(context, session, [orderId], { ...flags, known: true })
    }
    if (flags.quiet === true) {
      showIds([orderId])
      await arrived(context, `the order ${orderId} is confirmed`, orderId)
      return 0
    }
    const exit = await showOrder(context, session, await readSpent(session, orderId), flags)
    // An order that was confirmed before is as good, whatever became of it.
    return isAgain ? exitCodes.ok.code : exit
  } finally {
    await session.close()
  }
}

const isAlreadyConfirmed = (error: unknown): boolean =>
  error instanceof Failure && error.details.already === true
