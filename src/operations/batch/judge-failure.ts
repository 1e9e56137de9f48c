// Decides whether a slot is tried again after a failure, or the batch stops.
import { Failure } from '../../errors.ts'
import type { BatchRun, SlotEnd } from './batch-run.ts'

const shortWaitMs = 1_000
const longWaitMs = 5_000

/** Returns how the attempt ends after a failed step. */
export const judgeFailure = ({ deps }: BatchRun, error: unknown): SlotEnd => {
  if (!(error instanceof Failure)) throw error
  const { claim } = error.details
  if (claim === 'lost') return { kind: 'lost' }
  if (claim === 'cancelled') return { kind: 'stopped', reason: 'cancelled' }
  switch (error.kind) {
    case 'interrupted':
    case 'terminated':
      return { kind: 'interrupted' }
    case 'stopped':
      return { kind: 'stopped', reason: 'cap' }
    case 'not-approved': {
      const { budget } = error.details
      return budget === undefined
        ? { kind: 'stopped', reason: 'approval' }
        : { kind: 'stopped', reason: 'budget', budget }
    }
    case 'unknown':
      return deps.interrupted.aborted
        ? { kind: 'interrupted' }
        : { kind: 'unknown', failure: error, isConfirmed: false, isNew: true }
    case 'duplicate':
      return { kind: 'later', ms: shortWaitMs, failure: error }
    // The pace has recorded the failure, and waits longer each time.
    case 'unavailable':
      return { kind: 'later', ms: 0, failure: error }
    case 'expired':
      return { kind: 'later', ms: longWaitMs, failure: error }
    case 'refused':
      return judgeRefusal(error)
    default:
      return { kind: 'stopped', reason: error }
  }
}

const judgeRefusal = (failure: Failure): SlotEnd => {
  const { refusal, status, orderId } = failure.details
  if (refusal === 'insufficient-funds') return { kind: 'stopped', reason: 'funds' }
  if (status === 429 || status === 503) return { kind: 'later', ms: 0, failure }
  // Other orders may work. A create that the service refused concerns the account or orderctl itself.
  return orderId === undefined && status !== undefined
    ? { kind: 'stopped', reason: failure }
    : { kind: 'later', ms: longWaitMs, failure }
}
