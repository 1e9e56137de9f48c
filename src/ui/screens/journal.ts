// Renders the status of the journal: where it is, its version and size, who uses it, and unsent outcomes.
import { sanitize } from '../terminal/sanitize.ts'
import type { View } from '../terminal/view.ts'
import { formatBytes } from '../text/bytes.ts'
import { describeCount } from '../text/counts.ts'
import { renderFields, renderSection } from '../text/fields.ts'
import { renderTable } from '../text/table.ts'
import { formatRelative, toInstant } from '../text/time.ts'

export type JournalReport = {
  readonly kind: 'file' | 'postgres'
  /** A file or an address. */
  readonly place: string
  readonly state: 'missing' | 'current' | 'unreachable'
  readonly version: number | null
  /** Null if the journal is unreachable. */
  readonly bytes: number | null
  readonly orders: number | null
  readonly batches: number | null
  /** The note of the newest call that this machine has seen, if the journal does not have the call. */
  readonly restored?: string | null
  /** Why orderctl does not order with the file. */
  readonly refused?: string | null
  // Only of a shared journal.
  readonly role?: string
  readonly isStandby?: boolean
  readonly tls?: string
  readonly isCertificateChecked?: boolean
  readonly users?: readonly User[] | null
  readonly connections?: readonly Connection[]
  /** Who this machine is for the journal. */
  readonly machine?: { readonly user: string; readonly host: string }
  /** The newest call of the journal that this machine has seen. */
  readonly lastCallAt?: string | null
  readonly unsent: readonly Unsent[]
}

type User = {
  readonly role: string | null
  readonly user: string
  readonly host: string
  readonly lastOrderAt: string | null
}

type Connection = { readonly role: string; readonly host: string | null; readonly count: number }

type Unsent = {
  readonly file: string
  readonly order?: string
  readonly operation?: string
  readonly outcome?: string
  readonly at?: string | null
  /** The address of the journal that it belongs to. */
  readonly journal?: string
  readonly problem?: string
}

const absent = '–'

export const renderJournal = (report: JournalReport, view: View): string => {
  const { users, connections, unsent } = report
  const sections = [
    users?.length ? renderSection('Users', renderUsers(users, view), view) : '',
    connections?.length ? renderSection('Connections', renderConnections(connections, view), view) : '',
    unsent.length > 0
      ? renderSection('Outcomes not yet recorded', renderUnsent(unsent, report.place, view), view)
      : '',
  ].filter(Boolean)
  return [renderSummary(report, view), ...sections].join('\n')
}

const renderSummary = (report: JournalReport, view: View): string => {
  const { kind, place, state, bytes, orders, batches, role, tls, unsent, machine, lastCallAt, restored } =
    report
  const { refused } = report
  return renderFields(
    [
      ['Journal', view.theme.strong(sanitize(place))],
      ['Kind', kind === 'file' ? 'file of this machine' : 'shared, in PostgreSQL'],
      ['Version', describeVersion(report)],
      ['Refused', refused ? sanitize(refused) : undefined],
      ['Size', state === 'missing' || bytes === null ? undefined : formatBytes(bytes)],
      ['Orders', orders === null ? undefined : String(orders)],
      ['Batches', batches === null ? undefined : String(batches)],
      ['Role', role === undefined ? undefined : sanitize(role)],
      ['TLS', tls === undefined ? undefined : describeTls(report)],
      ['Server', report.isStandby === true ? 'standby: read-only. Use the primary server' : undefined],
      ['Machine', machine === undefined ? undefined : sanitize(`${machine.user} on ${machine.host}`)],
      [
        'Last call',
        lastCallAt ? `${formatAgo(lastCallAt, view.now)}, as far as this machine knows` : undefined,
      ],
      ['Restored', restored ? describeRestored(restored) : undefined],
      ['Not yet recorded', kind === 'postgres' || unsent.length > 0 ? describeUnsent(unsent) : undefined],
    ],
    view,
  )
}

const describeVersion = ({ kind, state, version }: JournalReport): string => {
  switch (state) {
    case 'missing':
      return kind === 'file'
        ? 'no journal yet. Your first order creates it'
        : 'no tables yet. Create them: orderctl journal migrate'
    case 'unreachable':
      return 'unknown, because the database cannot be used'
    case 'current':
      return String(version)
  }
}

const describeRestored = (file: string): string =>
  'this machine has seen a newer call than the journal has. It was probably restored from a backup, and this ' +
  `machine sends nothing with it. Run orderctl reconcile, and check which orders are missing. Then delete ${sanitize(file)}`

const describeTls = ({ tls = '', isCertificateChecked }: JournalReport): string => {
  if (tls === 'disable') return 'not used'
  const warning = isCertificateChecked === false ? '. The certificate is not checked' : ''
  return `used (sslmode=${sanitize(tls)})${warning}`
}

const describeUnsent = ({ length }: JournalReport['unsent']): string => describeCount(length, 'outcome')

const formatAgo = (time: string | null | undefined, now: number): string => {
  const ms = time ? toInstant(time) : undefined
  return ms === undefined ? absent : formatRelative(ms, now)
}

const renderUsers = (users: readonly User[], view: View): string =>
  renderTable(
    [{ title: 'ROLE' }, { title: 'USER' }, { title: 'HOST', narrow: 'wrap' }, { title: 'LAST ORDER' }],
    users.map(({ role, user, host, lastOrderAt }) => [
      role ?? absent,
      user,
      host,
      formatAgo(lastOrderAt, view.now),
    ]),
    view,
  )

const renderConnections = (connections: readonly Connection[], view: View): string =>
  renderTable(
    [{ title: 'ROLE' }, { title: 'FROM', narrow: 'wrap' }, { title: 'COUNT', align: 'right' }],
    connections.map(({ role, host, count }) => [role, host ?? absent, String(count)]),
    view,
  )

/** One outcome after the other: a path that a table breaks into lines cannot be copied. */
const renderUnsent = (unsent: readonly Unsent[], place: string, view: View): string =>
  unsent
    .map(({ order = absent, operation, outcome = '', at, journal, file, problem = '' }) => {
      const result =
        operation === undefined
          ? problem.replace(/^is /, '')
          : [`${operation}: ${outcome}`, ...(at ? [formatAgo(at, view.now)] : [])].join(', ')
      const isElsewhere = journal !== undefined && journal !== place
      const lines = [
        `${view.theme.strong(sanitize(order))}  ${sanitize(result)}`,
        ...(isElsewhere ? [`  Journal ${sanitize(journal)}`] : []),
        `  File ${sanitize(file)}`,
      ]
      return lines.map((line) => `${line}\n`).join('')
    })
    .join('')
