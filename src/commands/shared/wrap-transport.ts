// Wraps the transport of a session: --debug shows its requests, and an observer learns how each attempt ended.
import type { Attempt } from '../../client/observe-transport.ts'
import type { Context } from '../../context.ts'
import type { Transport } from '../../contract/transport.ts'

type Wrapping = {
  readonly baseUrl: string
  readonly isTraced: boolean
  readonly onAttempt: ((attempt: Attempt) => void) | undefined
}

export const wrapTransport = async (
  context: Pick<Context, 'clock' | 'stderr'>,
  transport: Transport,
  { baseUrl, isTraced, onAttempt }: Wrapping,
): Promise<Transport> => {
  const observed = onAttempt === undefined ? transport : await observeAttempts(context, transport, onAttempt)
  return isTraced ? traceTo(context, observed, baseUrl) : observed
}

const observeAttempts = async (
  { clock }: Pick<Context, 'clock'>,
  transport: Transport,
  onAttempt: (attempt: Attempt) => void,
): Promise<Transport> => {
  const { withObserver } = await import('../../client/observe-transport.ts')
  return withObserver(transport, { clock, onAttempt })
}

const traceTo = async (
  { clock, stderr }: Pick<Context, 'clock' | 'stderr'>,
  transport: Transport,
  baseUrl: string,
): Promise<Transport> => {
  const { withTracing } = await import('../../client/trace.ts')
  const { renderTrace } = await import('../../ui/screens/trace-line.ts')
  return withTracing(transport, { clock, baseUrl, onRequest: (event) => stderr.write(renderTrace(event)) })
}
