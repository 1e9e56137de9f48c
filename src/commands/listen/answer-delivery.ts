// Answers a delivery: its signature is checked, then it is accepted, then its order waits for a check.
import type { Accepted, Refused } from '../../operations/listen/accept-delivery.ts'
import type { CheckQueue } from '../../operations/listen/check-queue.ts'
import type { Delivery } from '../../webhooks/delivery.ts'
import type { Answer } from '../../webhooks/delivery-handler.ts'
import { createSignatureCheck } from '../../webhooks/signature.ts'
import type { Log } from './log.ts'

type Options = {
  readonly secret: string | undefined
  readonly accept: (delivery: Delivery) => Promise<Accepted | Refused>
  readonly checks: Pick<CheckQueue, 'add'>
  readonly log: Pick<Log, 'writeRefused' | 'writeDuplicate'>
}

export const createDeliveryAnswer = ({ secret, accept, checks, log }: Options) => {
  const checkSignature = secret === undefined ? undefined : createSignatureCheck(secret)

  const refuse = (status: number, reason: string, text = reason): Answer => {
    log.writeRefused({ status, text: reason })
    return { status, text }
  }

  return async (delivery: Delivery): Promise<Answer> => {
    const problem = checkSignature?.(delivery)
    if (problem !== undefined) return refuse(401, problem)
    const result = await accept(delivery)
    if (result.kind === 'refused') {
      const { status, reason } = result
      // The reason of a 503 may name files of this machine.
      return refuse(status, reason, status === 503 ? 'Send it again later.' : undefined)
    }
    if (result.kind === 'duplicate') log.writeDuplicate(result)
    if (result.needsCheck) checks.add(result)
    return { status: 200, text: result.kind }
  }
}
