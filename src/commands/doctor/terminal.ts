// The checks of the terminal: its width, its colours, its characters and its clipboard.
import { accessSync, constants } from 'node:fs'
import path from 'node:path'
import type { Context } from '../../context.ts'
import type { Check } from '../../ui/screens/doctor.ts'
import { supportsUnicode } from '../../ui/terminal/unicode.ts'
import { findClipboards } from '../shared/clipboard.ts'
import { ok, warning } from './check.ts'

export const checkTerminal = (context: Context): readonly Check[] => [
  checkWidth(context),
  ok('Colour', describeColour(context)),
  checkCharacters(context),
  checkClipboard(context),
]

const narrowest = 60

const checkWidth = ({ stdout }: Context): Check => {
  const detail = stdout.isTerminal
    ? `${stdout.width} columns`
    : `the output is not a terminal: ${stdout.width} columns`
  return stdout.width >= narrowest
    ? ok('Width', detail)
    : warning('Width', `${detail}: tables become lists`, `Use a terminal of ${narrowest} columns or more.`)
}

const describeColour = ({ stdout, environment }: Context): string => {
  const { FORCE_COLOR: forced, NO_COLOR: refused, ORDERCTL_NO_COLOR: own, TERM: type } = environment
  if (stdout.colour) return forced ? 'on, by FORCE_COLOR' : 'on'
  if (forced) return 'off, by FORCE_COLOR'
  if (refused) return 'off, by NO_COLOR'
  if (own) return 'off, by ORDERCTL_NO_COLOR'
  if (type === 'dumb') return 'off, because TERM is dumb'
  return stdout.isTerminal ? 'off, by --no-color' : 'off, because the output is not a terminal'
}

const checkCharacters = ({ environment, platform }: Context): Check => {
  if (supportsUnicode(environment, platform)) return ok('Characters', 'UTF-8')
  if (environment.TERM === 'dumb') return ok('Characters', 'ASCII, because TERM is dumb')
  return warning('Characters', 'the locale is not UTF-8', 'export LANG=C.UTF-8')
}

const checkClipboard = (context: Context): Check => {
  const usable = findClipboards(context).find(({ name }) => name.includes(' ') || isProgram(name, context))
  if (usable !== undefined) return ok('Clipboard', usable.name)
  if (!context.stdout.isTerminal && !context.stderr.isTerminal)
    return ok('Clipboard', 'none without a terminal')
  return warning(
    'Clipboard',
    'none: redeem --copy does not work here',
    'Install wl-copy, xclip or xsel, or use a terminal with OSC 52.',
  )
}

const isProgram = (name: string, { environment, platform }: Context): boolean =>
  (environment.PATH ?? '')
    .split(platform === 'win32' ? ';' : ':')
    .filter((folder) => path.isAbsolute(folder))
    .some((folder) => {
      try {
        accessSync(path.join(folder, name), constants.X_OK)
        return true
      } catch {
        return false
      }
    })
