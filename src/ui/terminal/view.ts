// What a screen depends on: the time, the reader's time zone, the terminal's width, the colours.
import type { Suggest } from '../../text/suggest.ts'
import type { Theme } from './theme.ts'

export type Here = {
  /** Milliseconds since the UNIX epoch. */
  readonly now: number
  /** An IANA name, such as Europe/Berlin. */
  readonly timeZone: string
}

export type View = Here & {
  /** In columns. */
  readonly width: number
  readonly theme: Theme
  readonly suggest: Suggest
}
