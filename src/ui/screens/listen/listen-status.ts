// The screen of `orderctl listen --status`.
import { sanitize } from '../../terminal/sanitize.ts'
import type { View } from '../../terminal/view.ts'
import { formatBytes } from '../../text/bytes.ts'
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
  const { theme } = view
  const renderRow = (name: string, value: string): string => `${theme.quiet(name.padEnd(11))} ${value}\n`
  return (
    renderRow('forwarding', isForwarding ? 'running' : 'not running') +
    renderRow('waiting', waiting === 0 ? 'none' : `${waiting} (${formatBytes(bytes)})`) +
    (oldestAt === null ? '' : renderRow('oldest', formatTime(oldestAt, view))) +
    (lastError === null
      ? ''
      : renderRow('last error', `${sanitize(lastError.reason)}, ${formatTime(lastError.at, view)}`)) +
    renderRow('folder', sanitize(folder)) +
    damaged.map((file) => `${theme.warning('damaged')}     ${sanitize(file)}\n`).join('') +
    (waiting > 0 && !isForwarding ? 'Send them: orderctl listen --forward-to URL\n' : '')
  )
}
