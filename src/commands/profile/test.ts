// orderctl profile test: asks for an order that does not exist. The answer shows if the address and the key work.
import type { Context } from '../../context.ts'
import { exitCodes } from '../../exit-codes.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { renderJson } from '../../ui/text/json.ts'
import { createFlagReader } from '../shared/flag-reader.ts'
import { readSessionOptions } from '../shared/options.ts'
import { judgeProbe, probeAccount } from '../shared/probe-account.ts'
import { openSession, printAccount } from '../shared/session.ts'
import type { TestFlags } from './flags.ts'

/** Returns the exit code. */
export const testProfile = async (
  context: Context,
  name: string | undefined,
  flags: TestFlags,
): Promise<number> => {
  const reader = createFlagReader('profile test')
  const options = readSessionOptions(reader, flags)
  reader.check()
  const session = await openSession(context, { ...options, profile: name ?? options.profile })
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
      flags.json === true
        ? renderJson(result)
        : `ok: the service answers and did not refuse the key (${sanitize(answer)}, for an order that does not exist)\n`,
    )
    return exitCodes.ok.code
  } finally {
    await session.close()
  }
}
