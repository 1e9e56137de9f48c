// What a screen depends on: the time, the reader's time zone, the terminal's width, the colours.

import { createRequire } from 'node:module'
import type { Suggest } from '../../text/suggest.ts'

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

// Loaded only for colour, which scripts do not use.
const require = createRequire(import.meta.url)

export type Theme = Readonly<
  Record<'good' | 'warning' | 'bad' | 'strong' | 'quiet', (text: string) => string>
>

const keepText = (text: string): string => text
const plain: Theme = { good: keepText, warning: keepText, bad: keepText, strong: keepText, quiet: keepText }

export const themeFor = (output: { readonly colour: boolean }): Theme => {
  if (!output.colour) return plain
  const { Chalk } = require('chalk') as typeof import('chalk')
  const chalk = new Chalk({ level: 1 })
  return { good: chalk.green, warning: chalk.yellow, bad: chalk.red, strong: chalk.bold, quiet: chalk.dim }
}
