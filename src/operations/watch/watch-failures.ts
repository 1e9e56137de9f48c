// The failures of a watch that ends before its orders are final.
import { Failure, interruption } from '../../errors.ts'

const joinIds = (open: ReadonlySet<string>): string => [...open].join(' ')

/** Scripts read the order id from the details. */
const findOnly = (open: ReadonlySet<string>): string | undefined =>
  open.size === 1 ? [...open][0] : undefined

export const createTimedOutFailure = (open: ReadonlySet<string>): Failure =>
  new Failure('timed-out', `timed out; not final yet: ${joinIds(open)}`, {
    orderId: findOnly(open),
    fix: (suggest) => `Keep watching: ${suggest`watch ${[...open]}`}`,
    retryable: true,
  })

export const createStoppedFailure = (signal: AbortSignal, open: ReadonlySet<string>): Failure =>
  interruption(signal, `stopped watching; ${open.size === 1 ? 'the order goes on' : 'the orders go on'}`, {
    orderId: findOnly(open),
    fix: (suggest) => `Keep watching: ${suggest`watch ${[...open]}`}`,
  })
