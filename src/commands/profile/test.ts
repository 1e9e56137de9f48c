// orderctl profile test: asks for an order that does not exist. The response shows if the address and the key work.
import type { Context } from '../../context.ts'
import { exitCodes } from '../../exit-codes.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { renderJson } from '../../ui/text/json.ts'
import { printAccount } from '../shared/account.ts'
import { judgeProbe, probeAccount } from '../shared/checks/probe-account.ts'
import { sessionOf } from '../shared/options.ts'
import { openSession } from '../shared/session.ts'
import type { TestOptions } from './spec.ts'

/** Returns the exit code. */
export const testProfile = async (
  context: Context,
  { name, ...options }: Omit<TestOptions, 'noColor'>,
): Promise<number> => {
  const session = await openSession(context, { ...sessionOf(options), profile: name ?? options.profile })
  try {
    printAccount(context, session.account)
    const { end } = session.waiting.begin(() => 'asking the service')
    const outcome = await probeAccount(session.api, context.interrupted).finally(end)
    const response = judgeProbe(outcome)
    if (response instanceof Error) throw response
    const result = {
      profile: session.account.name,
      address: 'responds',
      credentials: 'not refused',
      response,
    }
    context.stdout.write(
      options.json
        ? renderJson(result)
        : `ok: the service responds and did not refuse the key (${sanitize(response)}, for an order that does not exist)\n`,
    )
    return exitCodes.ok.code
  } finally {
    await session.close()
  }
}
