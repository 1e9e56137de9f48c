// The folder of the deliveries of an account that wait to be forwarded.
import path from 'node:path'
import type { Context } from '../../context.ts'
import type { AccountId } from '../../contract/account-id.ts'
import { nameSpool } from '../../webhooks/spool-name.ts'
import { stateFolderPath } from '../shared/journal/state-folder.ts'

/** Throws if there is no valid path. */
export const findSpoolFolder = (context: Context, account: AccountId): string =>
  path.join(stateFolderPath(context), 'forward', nameSpool(account))
