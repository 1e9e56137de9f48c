// Rules for the requests that were sent.
import { hasLeft, isLost, type Sent } from '../calls.ts'
import type { Ran, World } from '../world.ts'

type Spent = Sent & { readonly ran: Ran }

const sentBy = (all: readonly Ran[], wanted: Sent['operation']): Spent[] =>
  all.flatMap((ran) =>
    ran.process.sent
      .filter((sent) => sent.operation === wanted && hasLeft(sent))
      .map((sent) => ({ ...sent, ran })),
  )

const nameOf = ({ process, words }: Ran): string => `run ${process.id}, ${words.join(' ')}`

/** The journal knew that the order is confirmed, or that the outcome of an earlier confirm is open. */
const confirmedAgain = ({ ran: all, network }: World): string[] => {
  const sent = sentBy(all, 'confirm')
  const settled = all.filter(({ run }) => run.command.name === 'settle').flatMap(({ words }) => words)
  return sent.flatMap((each, index) => {
    const { orderId = '', at, ran } = each
    const isKnown = (network.known.get(orderId) ?? Number.POSITIVE_INFINITY) < at
    const isOpen = sent
      .slice(0, index)
      .some(
        (other) => other.orderId === orderId && other.at < at && isLost(other) && !settled.includes(orderId),
      )
    return isKnown || isOpen ? [`a confirm was sent again: of ${orderId}, by ${nameOf(ran)}`] : []
  })
}

const createdAgain = ({ ran: all }: World): string[] =>
  all
    .filter((ran) => sentBy([ran], 'create').length > 1)
    .map((ran) => `a create was sent again: by ${nameOf(ran)}`)

/** The last look before the confirm showed another order than the one that was placed. */
const confirmedOthers = ({ ran: all }: World): string[] =>
  all.flatMap((ran) => {
    const { process, run } = ran
    const at = process.sent.findIndex(({ operation }) => operation === 'confirm')
    const last = process.sent.slice(0, Math.max(at, 0)).findLast(({ operation }) => operation === 'get')
    const isOther = last?.got === 'changed' && run.faults.some(({ response }) => response === 'other')
    const isAccepted = run.command.name === 'confirm' && run.command.acceptChanges
    const wasPlaced = all.some((each) => each.process.recorded.has(last?.orderId ?? ''))
    return isOther && wasPlaced && !isAccepted
      ? [`confirmed another order than was placed: ${nameOf(ran)}`]
      : []
  })

export const findSpendingErrors = (world: World): string[] => [
  ...confirmedAgain(world),
  ...createdAgain(world),
  ...confirmedOthers(world),
]
