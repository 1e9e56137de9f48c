// Returns how to draw a screen on stdout or on another output.
import type { Context } from '../../context.ts'
import { themeFor, type View } from '../../ui/terminal/view.ts'

type Output = Pick<Context['stdout'], 'width' | 'colour'>

export const viewOf = (
  context: Context,
  now = context.clock.now(),
  output: Output = context.stdout,
): View => ({
  now,
  // A getter, because Intl takes a while to respond and few screens show a time.
  get timeZone() {
    return context.timeZone
  },
  width: output.width,
  theme: themeFor(output),
  suggest: context.suggest,
})

/**
 * For tables that programs read line by line: in a pipe or a file, no column is cut, wrapped or left out. COLUMNS sets
 * a width.
 */
export const viewOfTable = (context: Context): View => {
  const { stdout, environment } = context
  const isLimited = stdout.isTerminal || Number(environment.COLUMNS) > 0
  return viewOf(context, undefined, isLimited ? stdout : { colour: stdout.colour, width: Infinity })
}
