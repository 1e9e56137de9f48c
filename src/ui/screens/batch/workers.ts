// Describes the workers of a batch: the processes that buy it.
import { formatUtcMinute } from '../../../contract/timestamp.ts'
import type { StoredWorker, Trouble } from '../../../journal/batches/leases.ts'
import { nameActor } from '../../../text/actor-name.ts'
import { sanitize } from '../../terminal/sanitize.ts'
import { describeCount } from '../../text/amounts.ts'
import { formatRelative } from '../../text/time.ts'

/** 'ana@ci-1, process 4711' */
export const describeHolder = ({ processId, by }: Pick<StoredWorker, 'processId' | 'by'>): string =>
  `${by === undefined ? '' : `${sanitize(nameActor(by, `${by.role ?? by.user}@${by.host}`))}, `}process ${processId}`

/** 'ana@ci-1, process 4711: 8 orders, started 2 h ago, seen 3 s ago'. */
const describeWorker = (worker: StoredWorker, now: number): string => {
  const { startedAt, seenAt, isLost, slots } = worker
  const work = isLost ? 'lost' : describeCount(slots, 'order')
  const times = `started ${formatRelative(startedAt, now)}, seen ${formatRelative(seenAt, now)}`
  const trouble = worker.trouble && !isLost ? [describeTrouble(worker.trouble)] : []
  return `${describeHolder(worker)}: ${[work, times, ...trouble].join(', ')}`
}

export const describeTrouble = ({ reason, since }: Trouble): string =>
  `waiting since ${formatUtcMinute(since)}: ${sanitize(reason)}`

const defaultMax = 20

/** One line for each, the running ones first. */
export const listWorkerLines = (
  workers: readonly StoredWorker[],
  now: number,
  max = defaultMax,
): string[] => {
  const sorted = workers.toSorted((one, other) => Number(one.isLost) - Number(other.isLost))
  const more = sorted.length - max
  return [
    ...sorted.slice(0, max).map((worker) => describeWorker(worker, now)),
    ...(more > 0 ? [`${more} more`] : []),
  ]
}
