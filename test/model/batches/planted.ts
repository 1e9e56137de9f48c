// Defects of a batch that are planted into the source. The histories must find each of them.
import type { Defect } from '../planted.ts'

export const cardDefects: readonly Defect[] = [
  {
    name: 'the first new cards of an order count as the additional ones',
    file: 'batch/buy/delivery.ts',
    text: 'return isUnsure ? unsureError : undefined',
    becomes: 'return undefined',
    found: 'one card for two rows',
  },
  {
    name: 'a row has each listing of its card',
    file: 'batch/buy/delivery.ts',
    text: "byHash.delete(key ?? '')",
    becomes: '',
    found: 'one card for two rows',
  },
  {
    name: 'a card that replaces a given card does not keep a row',
    file: 'batch/buy/delivery.ts',
    text: 'const error = next?.error ?? (hidesCards ? hiddenError : undefined)',
    becomes: 'const error = hidesCards ? hiddenError : undefined',
    found: 'bought again',
  },
  {
    name: 'late cards are not recorded before failed cards are bought again',
    file: 'batch/buy/collect-cards.ts',
    text: 'if (!shown.view.isFinal) return\n',
    becomes: 'if (slot > 0) return\n',
    found: 'bought again',
  },
]

export const batchDefects: readonly Defect[] = [
  {
    name: 'two orders of a slot may be confirmed',
    file: 'journal/batches/slots.ts',
    text: "if (by !== undefined) return { kind: 'slot-taken', by }\n  // A late response",
    becomes: '// A late response',
    found: 'bought twice',
  },
  {
    name: 'the cap is not checked',
    file: 'journal/orders/calls.ts',
    text: 'findExceeded([...caps, ',
    becomes: 'findExceeded([',
    found: 'exceeded the cap',
  },
  {
    name: 'the cap is not checked for a confirm by hand',
    file: 'journal/orders/calls.ts',
    text: 'const caps = cap && spent ?',
    becomes: 'const caps = claim && cap && spent ?',
    found: 'exceeded the cap',
  },
  {
    name: 'a lost order of a batch is confirmed by hand',
    file: 'journal/orders/entries.ts',
    text: 'if (known?.batch === undefined && other.batch !== undefined) return true',
    becomes: '',
    found: 'bought twice',
  },
]
