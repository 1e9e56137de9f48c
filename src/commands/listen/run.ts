// The steps of `orderctl listen`: options → account → journal → received until interrupted.
import type { Context } from '../../context.ts'
import { Failure } from '../../errors.ts'
import { exitCodes } from '../../exit-codes.ts'
import { accountOf, openSession } from '../shared/session.ts'
import type { ListenFlags } from './flags.ts'
import { readListenOptions, refuseWithStatus } from './options.ts'

/** Returns the exit code. */
export const listen = async (context: Context, flags: ListenFlags): Promise<number> => {
  if (flags.status === true) {
    refuseWithStatus(flags)
    const { showStatus } = await import('./status.ts')
    return showStatus(context, flags)
  }
  const options = await readListenOptions(context, flags)
  const account = await accountOf(context, options.session)
  if (account.kind === 'sandbox') {
    throw new Failure('usage', 'the sandbox sends no webhooks, so there is nothing to listen for', {
      field: '--profile',
      fix: 'Select another profile with --profile, or test with the local service: orderctl serve-mock',
    })
  }
  const session = await openSession(context, options.session, account)
  try {
    const { receive } = await import('./receive.ts')
    await receive(context, session, options)
  } finally {
    await session.close()
  }
  if (!context.interrupted.aborted) return exitCodes.ok.code
  return context.interrupted.reason === 'SIGTERM' ? exitCodes.terminated.code : exitCodes.interrupted.code
}
