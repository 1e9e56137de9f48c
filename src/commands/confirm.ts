// orderctl confirm: shows what will be spent, asks where somebody can answer, and spends it once.
import type { Context } from '../context.ts'
import { Failure } from '../errors.ts'
import { confirm as confirmOrder, guard, look } from '../operations/confirm.ts'
import { dataOf } from '../operations/failure-of.ts'
import { orderSummaryText } from '../ui/order.ts'
import { expiryText } from '../ui/time.ts'
import { readMaxTotal } from './create.ts'
import { flagReader } from './flags.ts'
import { openSession, type SessionFlags, sayWhere, viewOf } from './session.ts'
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

export const confirm = async (context: Context, orderId: string, flags: ConfirmFlags): Promise<number> => {
  const { clock, interrupted, stderr, stdin, environment } = context
  const reader = flagReader('confirm')
  const minValidityMs = reader.duration('--min-validity', flags.minValidity)
  reader.check()
  const maxTotal = readMaxTotal(flags.maxTotal)
  const { show } = shower(context, flags)
  const session = await openSession(context, flags)
  const { api } = session
  try {
    sayWhere(context, session.account)
    const deps = { api, clock, interrupted }
    try {
      const { order, offer, now } = await look(deps, orderId)
      guard(offer, { maxTotal, minValidityMs }, now)
      const view = viewOf(context, now)
      if (flags.json !== true && flags.quiet !== true) {
        stderr.write(
          `${orderSummaryText(order, view)}${expiryText(offer.expiresAt, now)}, by the usual ten minutes\n`,
        )
      }
      const canAsk =
        stdin.isTerminal &&
        stderr.isTerminal &&
        flags.input &&
        flags.yes !== true &&
        flags.json !== true &&
        !environment.CI
      if (canAsk && !(await context.confirm('Confirm it, and spend this?'))) {
        throw new Failure('interrupted', 'not confirmed; nothing is spent', { orderId })
      }
      await confirmOrder(deps, orderId)
    } catch (error) {
      if (!(flags.idempotent === true && isAlreadyConfirmed(error))) throw error
      stderr.write('it was confirmed before\n')
    }
    if (flags.watch === true) return await watchOrders(context, api, [orderId], flags)
    if (flags.quiet === true) {
      show({ data: undefined, id: orderId, screen: () => '' })
      return 0
    }
    const after = dataOf(await api.get(orderId), { orderId })
    showOrder(context, after, flags)
    return 0
  } finally {
    await session.close()
  }
}

const isAlreadyConfirmed = (error: unknown): boolean =>
  error instanceof Failure && error.details.already === true
