// orderctl profile test: asks for an order that does not exist. The response shows if the address and the key work.

import { accountOf, printAccount, readStoredKey, type SessionOptions } from '../../app/account.ts'
import { probeAccount } from '../../app/checks/probe-account.ts'
import { openSession } from '../../app/session.ts'
import type { Context } from '../../context.ts'
import type { Account } from '../../profiles/account.ts'
import { runCredentialCommand } from '../../profiles/credential.ts'
import type { KeyItem } from '../../profiles/key-tools.ts'
import type { Profile } from '../../profiles/profile.ts'
import { resolveService } from '../../profiles/service-account.ts'
import { sanitize } from '../../ui/terminal/sanitize.ts'
import { renderJson } from '../../ui/text/json.ts'
import type { TestOptions } from './spec.ts'

export const testProfile = async (context: Context, { name, ...options }: TestOptions): Promise<void> => {
  const session = { ...options, profile: name ?? options.profile }
  const account = await accountOf(context, session)
  const response = await testAccount(context, account, session)
  context.stdout.write(
    options.json
      ? renderJson({ profile: account.name, address: 'responds', credentials: 'not refused', response })
      : describeSuccess(response),
  )
}

/** Tests a profile that is not saved yet. Returns the text of success. */
export const testUnsaved = async (context: Context, profile: Profile): Promise<string> => {
  const runCommand = (line: string) => runCredentialCommand(line, context)
  const readKey = (item: KeyItem) => readStoredKey(context, item)
  const account = resolveService({ environment: {}, runCommand, readStoredKey: readKey }, profile)
  const options = { allowHttp: false, debug: false, json: false }
  return describeSuccess(await testAccount(context, account, options))
}

const describeSuccess = (response: string): string =>
  `ok: the service responds and did not refuse the key (${sanitize(response)}, for an order that does not exist)\n`

/** Returns the response. Throws if it does not show that the address and the key work. */
const testAccount = async (context: Context, account: Account, options: SessionOptions): Promise<string> => {
  await using session = await openSession(context, options, account)
  printAccount(context, account)
  const { end } = session.waiting.begin(() => 'asking the service')
  const { response } = await probeAccount(session.api, account.name, context.interrupted).finally(end)
  if (response instanceof Error) throw response
  return response
}
