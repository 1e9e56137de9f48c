// The command `orderctl list`: its flags and help.

import { callFlags, noInput, oneOfWords, output, positiveCount } from '../../cli/flags.ts'
import { moment } from '../../cli/read-moment.ts'
import { defineCommand, defineSpec, type OptionsOf } from '../../cli/spec.ts'
import { stateNames } from '../../contract/states.ts'
import { journalStates } from '../../journal/orders/standings.ts'

const notReveals = { reveals: '' } as const

const spec = defineSpec({
  guide: 'tasks',
  description: 'List the orders in the journal, newest first. It calls the service only with --refresh.',
  flags: {
    state: {
      ...oneOfWords([...stateNames, ...journalStates]),
      takes: '<state>',
      help: 'only orders in this state: a state of the service, or unknown, creating, not-sent, refused, lost, stranger, unwanted, expired, not-spent',
      excludes: notReveals,
    },
    since: { ...moment, help: 'only orders since a date, a date and time, or an age such as 30d' },
    until: { ...moment, help: 'only orders up to a date, a date and time, or an age' },
    reference: {
      takes: '<text>',
      help: 'only orders with this reference',
      excludes: notReveals,
      completes: 'references',
    },
    batch: {
      takes: '<batch>',
      help: 'only orders of this batch: its name or id',
      excludes: notReveals,
    },
    profile: {
      takes: '<name>',
      help: 'only orders of this profile (default: only those of the sandbox if it is in use and has orders, otherwise all others)',
    },
    by: {
      takes: '<user>',
      help: 'only orders of this user: a database role or a login name',
      completes: 'actors',
    },
    mine: { help: 'only orders that you placed' },
    unfinished: {
      help: 'only orders that are not final, or whose outcome is unknown',
      excludes: notReveals,
    },
    all: {
      help: 'also list attempts that never became an order: refused and not-sent',
      excludes: notReveals,
    },
    limit: {
      ...positiveCount,
      takes: '<count>',
      help: 'maximum number of orders (default: 30)',
      default: 30,
    },
    refresh: { help: 'first update the orders that are not final', excludes: notReveals },
    reveals: { help: 'list the orders whose codes were shown or found, by whom and when' },
    order: {
      takes: '<order>',
      help: 'with --reveals: only this order, by its id',
      needs: { oneOf: ['reveals'] },
    },
    csv: {
      help: 'print CSV: one line per order, with all columns',
      excludes: { json: '', quiet: '', reveals: '' },
    },
    noInput,
    ...callFlags,
    ...output('id,state', 'ids'),
  },
  examples: [
    'orderctl list',
    'orderctl list --unfinished --refresh',
    'orderctl list --all --since 24h',
    'orderctl list --since 2026-11-01',
    'orderctl list --since 24h --json --fields id,state,total',
  ],
})

export type OrderListOptions = OptionsOf<typeof spec>

export const command = defineCommand(spec, async () => (await import('./run.ts')).list)
