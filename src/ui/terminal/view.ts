// What a screen is drawn for: the moment, the reader's clock, the terminal's width, the colours.
import type { Theme } from './theme.ts'

/** When and where the reader looks at a clock. */
export type Here = {
  /** Milliseconds since the UNIX epoch. */
  readonly now: number
  /** An IANA name such as Europe/Berlin. */
  readonly timeZone: string
}

export type View = Here & {
  /** In columns. */
  readonly width: number
  readonly theme: Theme
}
