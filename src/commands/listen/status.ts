// orderctl listen --status: the deliveries that wait to be forwarded. It asks neither the service nor the journal.
import type { Context } from '../../context.ts'
import { exitCodes } from '../../exit-codes.ts'
import { type ListenStatus, renderListenStatus } from '../../ui/screens/listen/listen-status.ts'
import { renderJson } from '../../ui/text/json.ts'
import { openSpool } from '../../webhooks/spool.ts'
import { isSpoolLocked } from '../../webhooks/spool-lock.ts'
import { isoTime } from '../shared/journal/entry-data.ts'
import { ownerOf } from '../shared/journal/owner-of.ts'
import { viewOf } from '../shared/output/view-of.ts'
import { accountOf } from '../shared/session.ts'
import type { ListenFlags } from './flags.ts'
import { findSpoolFolder } from './spool-folder.ts'

/** Returns the exit code. */
export const showStatus = async (context: Context, { profile, json }: ListenFlags): Promise<number> => {
  const account = await accountOf(context, { profile, allowHttp: true }, { needsKey: false })
  const status = readStatus(findSpoolFolder(context, ownerOf(account).account))
  context.stdout.write(
    json === true ? renderJson(toData(status)) : renderListenStatus(status, viewOf(context)),
  )
  return exitCodes.ok.code
}

const readStatus = (folder: string): ListenStatus => {
  const spool = openSpool(folder)
  const { files, damaged } = spool.listWithDamaged()
  return {
    isForwarding: isSpoolLocked(folder),
    folder,
    waiting: files.length,
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    oldestAt: files[0]?.at ?? null,
    lastError: (files.length === 0 ? undefined : spool.readError()) ?? null,
    damaged,
  }
}

const toData = ({ oldestAt, lastError, ...status }: ListenStatus) => ({
  ...status,
  oldestAt: oldestAt === null ? null : isoTime(oldestAt),
  lastError: lastError === null ? null : { ...lastError, at: isoTime(lastError.at) },
})
