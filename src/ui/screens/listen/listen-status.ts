// The screen of `orderctl listen --status`.
import { sanitize } from '../../terminal/sanitize.ts'
import type { View } from '../../terminal/view.ts'
import { formatBytes } from '../../text/bytes.ts'
import { type Field, renderFields } from '../../text/fields.ts'
import { formatTime } from '../../text/time.ts'

export type ListenStatus = {
  readonly isForwarding: boolean
  readonly folder: string
  readonly waiting: number
  readonly bytes: number
  readonly oldestAt: number | null
  readonly lastError: { readonly at: number; readonly reason: string; readonly tries: number } | null
  /** Files that cannot be read. */
  readonly damaged: readonly string[]
}

export const renderListenStatus = (status: ListenStatus, view: View): string => {
  const { isForwarding, folder, waiting, bytes, oldestAt, lastError, damaged } = status
  const fields: Field[] = [
    ['forwarding', isForwarding ? 'running' : 'not running'],
    ['waiting', waiting === 0 ? 'none' : `${waiting} (${formatBytes(bytes)})`],
    ['oldest', oldestAt === null ? undefined : formatTime(oldestAt, view)],
    [
      'last error',
      lastError === null ? undefined : `${sanitize(lastError.reason)}, ${formatTime(lastError.at, view)}`,
    ],
    ['folder', sanitize(folder)],
    ...damaged.map((file): Field => ['damaged', view.theme.warning(sanitize(file))]),
  ]
  const next = waiting > 0 && !isForwarding ? 'Send them: orderctl listen --forward-to URL\n' : ''
  return renderFields(fields, view) + next
}
