// Rules for the requests that were sent.
import { isLost, type Sent, sentBy } from '../calls.ts'
import type { History } from '../histories/steps.ts'
import { hostOf, webhookHostOf } from '../service.ts'
import type { Ran, World } from '../world.ts'
import { flagOf, normalised } from './intentions.ts'

type Spent = Sent & { readonly ran: Ran }

const confirmsOf = (all: readonly Ran[]): Spent[] =>
  all.flatMap((ran) => sentBy(ran.process, 'confirm').map((sent) => ({ ...sent, ran })))

const nameOf = ({ process, words }: Ran): string => `run ${process.id}, ${words.join(' ')}`

/** The journal knew that the order is confirmed, or that the outcome of an earlier confirm is open. */
const confirmedAgain = ({ ran: all }: World): string[] => {
  const sent = confirmsOf(all)
  const settled = all.filter(({ run }) => run.command.name === 'settle').flatMap(({ words }) => words)
  return sent.flatMap((each, index) => {
    const { orderId = '', order, at, ran } = each
    const { machine } = ran.process
    const isKnown = (order?.knownAt.get(machine) ?? Number.POSITIVE_INFINITY) < at
    const isOpen = sent.slice(0, index).some((other) => {
      const isSame =
        other.orderId === orderId && other.order === order && other.ran.process.machine === machine
      return isSame && other.at < at && isLost(other) && !settled.includes(orderId)
    })
    return isKnown || isOpen ? [`a confirm was sent again: of ${orderId}, by ${nameOf(ran)}`] : []
  })
}

const createdAgain = ({ ran: all }: World): string[] =>
  all
    .filter((ran) => sentBy(ran.process, 'create').length > 1)
    .map((ran) => `a create was sent again: by ${nameOf(ran)}`)

/** The service has a different order under the id in a response to create. */
const confirmedUnread = ({ ran: all }: World): string[] =>
  all.flatMap((ran) => {
    const [create] = sentBy(ran.process, 'create')
    const isOther = sentBy(ran.process, 'confirm').some(
      ({ order }) =>
        order !== undefined &&
        create?.reference !== undefined &&
        normalised(order.reference) !== normalised(create.reference),
    )
    return isOther ? [`confirmed another order than was placed: ${nameOf(ran)}`] : []
  })

/** The last read before the confirm showed a different order than the one that was placed. */
const confirmedOthers = ({ ran: all }: World): string[] =>
  all.flatMap((ran) => {
    const { process, run } = ran
    const at = process.sent.findIndex(({ operation }) => operation === 'confirm')
    const last = process.sent
      .slice(0, Math.max(at, 0))
      .findLast(({ operation, orderId }) => operation === 'get' && orderId === process.sent[at]?.orderId)
    const isOther = last?.got === 'changed' && run.faults.some(({ response }) => response === 'other')
    const isAccepted = run.command.name === 'confirm' && run.command.acceptChanges
    // A different journal contains nothing to compare the order with.
    const wasPlaced = all.some(
      (each) => each.process.machine === process.machine && each.process.recorded.has(last?.orderId ?? ''),
    )
    return isOther && wasPlaced && !isAccepted
      ? [`confirmed another order than was placed: ${nameOf(ran)}`]
      : []
  })

/** No one accepted the host that gets the codes. A different machine's journal does not know it. */
const confirmedUnaccepted = ({ ran: all, service, ownerOf }: World): string[] =>
  service.effects.flatMap(({ operation, by, order }) => {
    const ran = all[by - 1]
    const host = webhookHostOf(order)
    if (operation !== 'confirm' || ran === undefined || host === undefined) return []
    const accepted = flagOf(ran.words, '--accept-webhook')
    if ((accepted && hostOf(`https://${accepted}`) === host) || ownerOf(order) !== ran.process.machine)
      return []
    return [`sends codes to a host that no one accepted: ${host}, of ${order.id}, by ${nameOf(ran)}`]
  })

/** An order has a webhook only by its order file, and only a person may place it. An assistant confirms nothing. */
const actedUnasked = ({ ran: all, service }: World): string[] =>
  all.flatMap((ran) => {
    const { isAssistant } = ran.run
    const confirms = sentBy(ran.process, 'confirm').length > 0
    const hasFile = ran.words.includes('-')
    const hasWebhook = service.orders.some(
      (order) => order.by === ran.process.id && webhookHostOf(order) !== undefined,
    )
    return [
      ...(isAssistant && confirms ? [`an assistant confirms: ${nameOf(ran)}`] : []),
      ...(isAssistant && hasWebhook ? [`an assistant sets a webhook: ${nameOf(ran)}`] : []),
      ...(hasWebhook && !hasFile ? [`sets a webhook unasked: ${nameOf(ran)}`] : []),
    ]
  })

const dayMs = 86_400_000
/** The histories begin at noon. */
const dayOf = (at: number): number => Math.floor((at + dayMs / 2) / dayMs)

/** What one day may cost, as the history set it at its beginning. Clocks that are wrong count other days. */
const overBudget = ({ ran: all, service }: World, { steps }: History): string[] => {
  const [first] = all
  if (first?.run.command.name !== 'budget' || first.process.exit !== 0) return []
  if (steps.some((step) => step.do === 'wall' || step.do === 'suspend')) return []
  const limit = Number(first.run.command.amount)
  const lifted = all.findIndex(({ run }, index) => index > 0 && run.command.name === 'budget')
  const days = new Map<number, number>()
  for (const { order, at, ran } of confirmsOf(all.slice(0, lifted === -1 ? undefined : lifted))) {
    const isTaken = ran.process.machine === 1 && order !== undefined && order.confirmedBy === ran.process.id
    if (isTaken) days.set(dayOf(at), (days.get(dayOf(at)) ?? 0) + order.total)
  }
  return [...days]
    .filter(([, sum]) => sum > limit)
    .map(([day, sum]) => `over the budget: ${sum} of ${limit} on day ${day}, ${service.orders.length} orders`)
}

export const findSpendingErrors = (world: World, history: History): string[] => [
  ...confirmedAgain(world),
  ...createdAgain(world),
  ...confirmedUnread(world),
  ...confirmedOthers(world),
  ...confirmedUnaccepted(world),
  ...actedUnasked(world),
  ...overBudget(world, history),
]
