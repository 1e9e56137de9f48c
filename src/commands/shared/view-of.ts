// For whose eyes something is printed.
import type { Context } from '../../context.ts'
import { themeFor } from '../../ui/terminal/theme.ts'
import type { View } from '../../ui/terminal/view.ts'

/** For what is printed on stdout, unless it says otherwise. */
export const viewOf = (context: Context, now = context.clock.now(), output = context.stdout): View => ({
  now,
  // Asked for only where a time is shown: to know it takes a while.
  get timeZone() {
    return context.timeZone
  },
  width: output.width,
  theme: themeFor(output),
})
