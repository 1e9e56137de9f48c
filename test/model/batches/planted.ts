// Defects of a batch that are planted into the source. The histories must find each of them.
import type { Defect } from '../planted.ts'

export const batchDefects: readonly Defect[] = [
  {
    name: 'two orders of a slot may be confirmed',
    file: 'journal/batches/slot-guard.ts',
    text: "if (by !== undefined) return { kind: 'slot-taken', by }\n  // A late response",
    becomes: '// A late response',
    found: 'bought twice',
  },
  {
    name: 'the cap is not checked',
    file: 'operations/confirm/confirm.ts',
    text: 'findLeftOfCap(use).gte(total)',
    becomes: 'true',
    found: 'exceeded the cap',
  },
  {
    name: 'the cap is not checked for a confirm by hand',
    file: 'operations/confirm/confirm.ts',
    text: 'findLeftOfCap(use).gte(total)',
    becomes: 'claim === undefined || findLeftOfCap(use).gte(total)',
    found: 'exceeded the cap',
  },
  {
    name: 'a lost order of a batch is confirmed by hand',
    file: 'journal/orders/queries.ts',
    text: 'if (known?.batch === undefined && other.batch !== undefined) return other',
    becomes: '',
    found: 'bought twice',
  },
]
