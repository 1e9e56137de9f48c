// Rules for the requests that were sent.
import { isLost, type Sent, sentBy } from '../calls.ts'
import type { Ran, World } from '../world.ts'
import { normalised } from './intentions.ts'

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

export const findSpendingErrors = (world: World): string[] => [
  ...confirmedAgain(world),
  ...createdAgain(world),
  ...confirmedUnread(world),
  ...confirmedOthers(world),
]
