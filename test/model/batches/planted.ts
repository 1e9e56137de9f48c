// Defects of a batch that are planted into the source. The histories must find each of them.
import type { Defect } from '../planted.ts'

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
    text: 'const ofBatch = cap && spent && approvedCaps ?',
    becomes: 'const ofBatch = claim && cap && spent && approvedCaps ?',
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
