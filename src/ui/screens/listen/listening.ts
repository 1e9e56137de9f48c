// The message that `orderctl listen` prints when it is listening.
import { sanitize } from '../../terminal/sanitize.ts'
import type { Theme } from '../../terminal/theme.ts'
import { type Field, renderFields } from '../../text/fields.ts'

export type Listening = {
  readonly url: string
  readonly isSigned: boolean
  /** The target of --forward-to. */
  readonly target: string | undefined
  /** The deliveries that an earlier process has left in the spool. */
  readonly waiting: number
}

export const renderListening = ({ url, isSigned, target, waiting }: Listening, theme: Theme): string => {
  const left = waiting === 0 ? '' : ` (${waiting} waiting from an earlier run)`
  const fields: Field[] = [
    ['url', theme.strong(sanitize(url))],
    ['signed', isSigned ? 'required' : 'not checked: anyone who knows the URL can send a delivery'],
    ['forward', target === undefined ? undefined : `${sanitize(target)}${left}`],
  ]
  return (
    `${theme.strong('Listening for webhooks.')}\n` +
    renderFields(fields, { theme }, '  ') +
    `${theme.quiet('Each delivery is logged below. Press Ctrl-C to stop.')}\n`
  )
}
