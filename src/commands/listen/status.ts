// orderctl listen --status: the deliveries that wait to be forwarded. It asks neither the service nor the journal.
import type { Context } from '../../context.ts'
import { exitCodes } from '../../exit-codes.ts'
import { formatAccount } from '../../operations/listen/accept-delivery.ts'
import { renderListenStatus } from '../../ui/screens/listen.ts'
import { renderJson } from '../../ui/text/json.ts'
import { readListenStatus } from '../../webhooks/delivery-table.ts'
import { isoTime } from '../shared/journal/entry-data.ts'
import { ownerOf } from '../shared/journal/owner-of.ts'
import { stateFolderPath } from '../shared/journal/state-folder.ts'
import { viewOf } from '../shared/output/view-of.ts'
import { accountOf } from '../shared/session.ts'
import type { ListenFlags } from './flags.ts'

/** Returns the exit code. */
export const showStatus = async (context: Context, { profile, json }: ListenFlags): Promise<number> => {
  const account = await accountOf(context, { profile, allowHttp: true }, { needsKey: false })
  const status = readListenStatus(stateFolderPath(context), formatAccount(ownerOf(account).account))
  const { oldestAt } = status
  const data = { ...status, oldestAt: oldestAt === null ? null : isoTime(oldestAt) }
  context.stdout.write(json === true ? renderJson(data) : renderListenStatus(status, viewOf(context)))
  return exitCodes.ok.code
}
