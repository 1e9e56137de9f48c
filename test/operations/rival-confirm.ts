// A process that confirms one order in each round, while another process does the same.
import { createApi } from '../../src/client/api.ts'
import { withCredentials } from '../../src/client/credentials.ts'
import { createNetwork } from '../../src/client/network.ts'
import { Failure } from '../../src/errors.ts'
import { confirm } from '../../src/operations/confirm/confirm.ts'
import { readForConfirm } from '../../src/operations/confirm/read-for-confirm.ts'
import type { Spending } from '../../src/operations/deps.ts'
import { findJournalKind } from '../journal/journals.ts'
import { owner } from '../journal/order-desk.ts'
import { apiKey } from '../support/embedded.ts'
import { realClock as clock } from '../support/in-process.ts'
import { timed } from './timed.ts'

const [kind = '', address = '', baseUrl = ''] = process.argv.slice(2)
const network = createNetwork({ baseUrl, environment: {} })
const api = createApi(withCredentials(network, { kind: 'bearer' }, apiKey), { clock, random: Math.random })
const deps: Spending = {
  ...timed(api, clock),
  ...{ clock, interrupted: new AbortController().signal, owner },
  journal: await findJournalKind(kind).openAt(address),
}

/** Returns 'done', or the kind of the failure. */
const confirmOne = async (orderId: string): Promise<string> => {
  const { offer } = await readForConfirm(deps, orderId)
  process.send?.('read')
  await new Promise((resolve) => process.once('message', resolve))
  try {
    await confirm(deps, offer)
    return 'done'
  } catch (error) {
    if (error instanceof Failure) return error.kind
    throw error
  }
}

const rounds = async (): Promise<void> => {
  for (;;) {
    const orderId = await new Promise((resolve) => process.once('message', resolve))
    if (typeof orderId !== 'string') return
    const end = await confirmOne(orderId)
    process.send?.(end)
  }
}

process.send?.('ready')
await rounds()
await deps.journal.close()
await network.close()
process.disconnect?.()
