// What a screen depends on: the time, the reader's time zone, the terminal's width, the colours, Unicode.

import { createRequire } from 'node:module'
import type { Suggest } from '../../text/suggest.ts'

export type LocalTime = {
  /** Milliseconds since the UNIX epoch. */
  readonly now: number
  /** An IANA name, such as Europe/Berlin. */
  readonly timeZone: string
}

export type View = LocalTime & {
  /** In columns. */
  readonly width: number
  readonly theme: Theme
  readonly suggest: Suggest
}

const require = createRequire(import.meta.url)

export type Theme = Readonly<
  Record<'good' | 'warning' | 'bad' | 'strong' | 'quiet', (text: string) => string>
>

const keepText = (text: string): string => text
const plain: Theme = { good: keepText, warning: keepText, bad: keepText, strong: keepText, quiet: keepText }

/** Loaded only for colour, which scripts do not use. */
export const loadChalk = () => require('chalk') as typeof import('chalk')

export const themeFor = (output: { readonly colour: boolean }): Theme => {
  if (!output.colour) return plain
  const { Chalk } = loadChalk()
  const chalk = new Chalk({ level: 1 })
  return { good: chalk.green, warning: chalk.yellow, bad: chalk.red, strong: chalk.bold, quiet: chalk.dim }
}

type Output = { readonly width: number; readonly colour: boolean; readonly isTerminal?: boolean }

type Machine = Pick<View, 'timeZone' | 'suggest'> & {
  readonly clock: { now(): number }
  readonly stdout: Output
  readonly environment: Variables
}

/** How to draw a screen on stdout or on another output. */
export const viewOf = (machine: Machine, now = machine.clock.now(), output = machine.stdout): View => ({
  now,
  // A getter, because Intl takes a while to respond and few screens show a time.
  get timeZone() {
    return machine.timeZone
  },
  width: output.width,
  theme: themeFor(output),
  suggest: machine.suggest,
})

/**
 * For tables that programs read line by line: in a pipe or a file, no column is cut, wrapped or left out. COLUMNS sets
 * a width.
 */
export const viewOfTable = (machine: Machine): View => {
  const { stdout, environment } = machine
  const isLimited = stdout.isTerminal === true || Number(environment.COLUMNS) > 0
  return viewOf(machine, undefined, isLimited ? stdout : { colour: stdout.colour, width: Infinity })
}

type Variables = Readonly<Record<string, string | undefined>>

/** Whether the locale is UTF-8, by the POSIX order of variables. */
export const supportsUnicode = ({ TERM, LC_ALL, LC_CTYPE, LANG }: Variables, platform: string): boolean => {
  if (TERM === 'dumb') return false
  // Terminals on macOS and Windows support UTF-8, even without a locale.
  const isUtf8 = platform === 'darwin' || platform === 'win32'
  return isUtf8 || /utf-?8/i.test(LC_ALL || LC_CTYPE || LANG || '')
}

const isZone = (name: string): boolean => {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** Falls back to the machine's zone, then to UTC: TZ may hold POSIX rules (`CET-1CEST`) or a file, which Intl rejects. */
export const timeZoneOf = (given: string | undefined): string => {
  const name = (given ?? '').replace(/^:/, '')
  if (name !== '' && isZone(name)) return name
  // Undefined if TZ is invalid, although the type says otherwise.
  const own: string | undefined = Intl.DateTimeFormat().resolvedOptions().timeZone
  return own !== undefined && isZone(own) ? own : 'UTC'
}

/** Follows no-color.org and force-color.org. */
export const wantsColour = (isTerminal: boolean, environment: Variables, isRefused: boolean): boolean => {
  if (isRefused) return false
  const forced = environment.FORCE_COLOR
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false'
  if (environment.NO_COLOR !== undefined && environment.NO_COLOR !== '') return false
  return isTerminal && environment.TERM !== 'dumb'
}
