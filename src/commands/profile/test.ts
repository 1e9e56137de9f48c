// orderctl profile test: asks for an order that does not exist. The answer shows if the address and the key work.
import type { Context } from '../../context.ts'
import { exitCodes } from '../../exit-codes.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { renderJson } from '../../ui/text/json.ts'
import { sessionOf } from '../shared/options.ts'
import { judgeProbe, probeAccount } from '../shared/probe-account.ts'
import { openSession, printAccount } from '../shared/session.ts'
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
    const answer = judgeProbe(outcome)
    if (answer instanceof Error) throw answer
    const result = {
      profile: session.account.name,
      address: 'answers',
      credentials: 'not refused',
      answer,
    }
    context.stdout.write(
      options.json
        ? renderJson(result)
        : `ok: the service answers and did not refuse the key (${sanitize(answer)}, for an order that does not exist)\n`,
    )
    return exitCodes.ok.code
  } finally {
    await session.close()
  }
}
