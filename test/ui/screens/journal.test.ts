// The status of a journal: what it says about the certificate, and about outcomes that are not recorded.
import { expect, test } from 'vitest'
import { type JournalReport, renderJournal } from '../../../src/ui/screens/journal.ts'
import { viewOf } from '../screens.ts'

const report: JournalReport = {
  ...{
    kind: 'postgres',
    place: 'postgres://ana@db/orders',
    state: 'current',
    version: 1,
    expectedVersion: 1,
  },
  ...{ bytes: 0, orders: 0, batches: 0, unsent: [] },
}

test.each([
  ['disable', false, 'not used'],
  ['require', false, 'used (sslmode=require). The certificate is not checked'],
  ['require', true, 'used (sslmode=require)'],
  ['verify-full', true, 'used (sslmode=verify-full)'],
])('TLS with %s', (tls, isCertificateChecked, expected) => {
  const screen = renderJournal({ ...report, tls, isCertificateChecked }, viewOf())
  expect(/^TLS +(.*)$/m.exec(screen)?.[1]).toBe(expected)
})

test('an outcome for another journal names the journal', () => {
  const file = `/home/ana/${'folder/'.repeat(20)}x.json`
  const outcome = { file, order: 'sbx_1', operation: 'confirm', outcome: 'done' }
  const screen = renderJournal(
    {
      ...report,
      unsent: [
        { ...outcome, journal: report.place },
        { ...outcome, journal: 'postgres://ana@db/other' },
      ],
    },
    viewOf(),
  )
  expect(screen).toContain('Not yet recorded  2 outcomes\n')
  expect(screen.slice(screen.indexOf('Outcomes not yet recorded'))).toBe(`Outcomes not yet recorded
sbx_1  confirm: done
  File ${file}
sbx_1  confirm: done
  Journal postgres://ana@db/other
  File ${file}
`)
})
