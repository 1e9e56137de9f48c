// Opens the transport to an account: the network, or the sandbox in process.
import { join } from 'node:path'
import type { Attempt } from '../../client/observe-transport.ts'
import type { Context } from '../../context.ts'
import { sandboxAddress } from '../../contract/account-id.ts'
import type { Transport } from '../../contract/transport.ts'
import type { Session } from '../../operations/session.ts'
import type { Account } from '../../profiles/account.ts'
import { renderTrace } from '../../ui/screens/trace-line.ts'
import { openStateFolder } from './journal/state-folder.ts'

type Connection = Pick<Session, 'containsSecret'> & {
  readonly transport: Transport
  readonly baseUrl: string
  close(): Promise<void>
}

/** `isTraced`: prints each request. */
export const openTransport = async (
  context: Context,
  account: Account,
  { isTraced, onAttempt }: { isTraced: boolean; onAttempt: ((attempt: Attempt) => void) | undefined },
): Promise<Connection> => {
  const { clock, stderr } = context
  const connection = await connectTo(context, account)
  let { transport } = connection
  if (onAttempt !== undefined) {
    const { withObserver } = await import('../../client/observe-transport.ts')
    transport = withObserver(transport, { clock, onAttempt })
  }
  if (isTraced) {
    const { withTracing } = await import('../../client/trace.ts')
    const { baseUrl } = connection
    transport = withTracing(transport, {
      clock,
      baseUrl,
      onRequest: (event) => stderr.write(renderTrace(event)),
    })
  }
  return { ...connection, transport }
}

const connectTo = async (context: Context, account: Account): Promise<Connection> => {
  if (account.kind === 'sandbox') {
    const { transport, close } = await openSandbox(context)
    return { transport, baseUrl: sandboxAddress, containsSecret: undefined, close: async () => close() }
  }
  const { baseUrl, allowHttp, auth } = account
  const { createSecretTest, withCredentials } = await import('../../client/credentials.ts')
  const network = await context.openNetwork({
    baseUrl,
    allowHttp,
    environment: context.environment,
    userAgent: `orderctl/${context.version}`,
  })
  const key = await account.getKey()
  const transport = withCredentials(network, auth, key)
  return { transport, baseUrl, containsSecret: createSecretTest(auth, key), close: network.close }
}

/** The embedded service in process. Its state is a file, so the next command continues with it. */
export const openSandbox = async (context: Context) => {
  const { openEmbedded } = await import('../../service/embedded.ts')
  const { builtInCatalogue } = await import('../../service/catalogue.ts')
  const { transport, failureOf, close } = openEmbedded({
    clock: context.clock,
    catalogue: builtInCatalogue(),
    stateFile: join(openStateFolder(context), 'sandbox.db'),
  })
  const safe: Transport = (request) =>
    transport(request).catch((error) => {
      throw failureOf(error)
    })
  return { transport: safe, close }
}
