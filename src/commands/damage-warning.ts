// A warning on stderr for each damaged row of the journal, once per command.
import type { Context } from '../context.ts'
import type { DamagedRow } from '../journal/damage.ts'
import { safeText } from '../ui/safe-text.ts'

/** A command may open the journal more than once. */
const warnedIn = new WeakMap<Context, Set<string>>()

export const damageWarning = (context: Context): ((row: DamagedRow) => void) => {
  const warned = warnedIn.get(context) ?? new Set()
  warnedIn.set(context, warned)
  return (row) => {
    const text = warningText(row)
    if (warned.has(text)) return
    warned.add(text)
    context.stderr.write(text)
  }
}

const warningText = ({ kind, number, orderId, columns }: DamagedRow): string =>
  `warning: ${named[kind](number ?? 0, safeText(orderId ?? 'without id'))} is damaged in the journal: cannot read ${columns.join(', ')}\n`

const named = {
  order: (number: number, orderId: string) => `the order ${orderId} (entry ${number})`,
  call: (number: number) => `a call of entry ${number}`,
  reveal: (_number: number, orderId: string) => `a reveal of the order ${orderId}`,
} as const
