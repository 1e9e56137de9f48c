// Returns how to draw a screen on stdout or on another output.
import type { Context } from '../../../context.ts'
import { themeFor } from '../../../ui/terminal/theme.ts'
import type { View } from '../../../ui/terminal/view.ts'

export const viewOf = (context: Context, now = context.clock.now(), output = context.stdout): View => ({
  now,
  // A getter, because Intl takes a while to answer and few screens show a time.
  get timeZone() {
    return context.timeZone
  },
  width: output.width,
  theme: themeFor(output),
})
