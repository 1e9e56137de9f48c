// The failures of a watch that ends before its orders are final.
import { Failure } from '../../errors.ts'
import { interruption } from '../read.ts'

const joinIds = (open: ReadonlySet<string>): string => [...open].join(' ')

/** Scripts read the order id from the details. */
const toDetails = (open: ReadonlySet<string>) => {
  const [orderId] = open.size === 1 ? open : []
  return orderId === undefined ? {} : { orderId }
}

export const createTimedOutFailure = (open: ReadonlySet<string>): Failure =>
  new Failure('timed-out', `timed out; not final yet: ${joinIds(open)}`, {
    ...toDetails(open),
    fix: (suggest) => `Keep watching: ${suggest`watch ${[...open]}`}`,
    retryable: true,
  })

export const createStoppedFailure = (signal: AbortSignal, open: ReadonlySet<string>): Failure =>
  interruption(signal, `stopped watching; ${open.size === 1 ? 'the order goes on' : 'the orders go on'}`, {
    ...toDetails(open),
    fix: (suggest) => `Keep watching: ${suggest`watch ${[...open]}`}`,
  })
