// orderctl confirm: shows what will be spent, asks where somebody can answer, and spends it once.
import type { Context } from '../context.ts'
import { parseDecimal } from '../contract/decimal.ts'
import { Failure } from '../errors.ts'
import { confirm as confirmOrder, look } from '../operations/confirm.ts'
import { guard } from '../operations/offer.ts'
import { interruption, readSpent } from '../operations/read.ts'
import { moneyText } from '../ui/money.ts'
import { orderSummaryText } from '../ui/order.ts'
import { expiryText } from '../ui/time.ts'
import { arrived } from './arrived.ts'
import { totalForm } from './create.ts'
import { flagReader } from './flags.ts'
import { orderIds } from './order-ids.ts'
import { patiently } from './patiently.ts'
import { canAsk, openSession, type SessionFlags, sayWhere, spending, viewOf } from './session.ts'
import { type ShowFlags, shower } from './show.ts'
import { showOrder } from './show-order.ts'
import { watchOrders } from './watch-orders.ts'

export type ConfirmFlags = SessionFlags &
  ShowFlags & {
    readonly yes?: boolean
    readonly input: boolean
    readonly maxTotal?: string
    readonly minValidity?: string
    readonly idempotent?: boolean
    readonly watch?: boolean
  }

export const confirm = async (context: Context, named: string, flags: ConfirmFlags): Promise<number> => {
  const { stderr, interrupted } = context
  const { read, duration, check } = flagReader('confirm')
  const minValidityMs = duration('--min-validity', flags.minValidity)
  const maxTotal = read('--max-total', flags.maxTotal, parseDecimal, totalForm)
  check()
  const { show } = shower(context, flags, { hasSpent: true })
  const session = await openSession(context, flags)
  try {
    sayWhere(context, session.account)
    const deps = await spending(session)
    const [orderId = ''] = await orderIds(context, session, [named])
    try {
      const { order, offer, serviceTime } = await look(deps, orderId)
      const now = serviceTime()
      guard(offer, { maxTotal, minValidityMs }, now)
      const asks = flags.yes !== true && canAsk(context, flags)
      if (asks || (flags.json !== true && flags.quiet !== true)) {
        const view = viewOf(context, now, stderr)
        stderr.write(
          `${orderSummaryText(order, view)}${expiryText(offer.expiresAt, now)}${offer.isGuess ? ', by the usual ten minutes' : ''}\n`,
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
      await patiently(context, 'confirm', (onSettling) => confirmOrder(deps, offer, { onSettling }))
    } catch (error) {
      if (!(flags.idempotent === true && isAlreadyConfirmed(error))) throw error
      stderr.write('it was confirmed before\n')
    }
    if (flags.watch === true) return await watchOrders(context, session, [orderId], { ...flags, known: true })
    if (flags.quiet === true) {
      show({ data: undefined, ids: [orderId], screen: () => '' })
      await arrived(context, `the order ${orderId} is confirmed`, orderId)
    } else await showOrder(context, session, await readSpent(session, orderId), flags)
    return 0
  } finally {
    await session.close()
  }
}

const isAlreadyConfirmed = (error: unknown): boolean =>
  error instanceof Failure && error.details.already === true
