// Every command: its line in `orderctl --help`, and where its description is. Only the description of the command that
// runs is loaded.
import type { CommandNode } from '../commands/shared/spec.ts'

type Entry = {
  readonly name: string
  readonly summary: string
  /** The heading under which `orderctl --help` lists it. */
  readonly group: 'Orders' | 'Accounts' | 'Other'
  readonly load: () => Promise<{ readonly command: CommandNode }>
}

export const entries: readonly Entry[] = [
  {
    name: 'create',
    summary: 'Place an order from flags, a file or the wizard',
    group: 'Orders',
    load: () => import('../commands/create/spec.ts'),
  },
  {
    name: 'confirm',
    summary: 'Confirm an order and spend its total',
    group: 'Orders',
    load: () => import('../commands/confirm/spec.ts'),
  },
  {
    name: 'get',
    summary: 'Show orders and their state',
    group: 'Orders',
    load: () => import('../commands/get/spec.ts'),
  },
  {
    name: 'redeem',
    summary: 'Show, copy or export the cards of an order',
    group: 'Orders',
    load: () => import('../commands/redeem/spec.ts'),
  },
  {
    name: 'watch',
    summary: 'Wait until orders are final',
    group: 'Orders',
    load: () => import('../commands/watch/spec.ts'),
  },
  {
    name: 'list',
    summary: 'List the orders in the journal',
    group: 'Orders',
    load: () => import('../commands/list/spec.ts'),
  },
  {
    name: 'find',
    summary: 'Find the order that a code, PIN or link is from',
    group: 'Orders',
    load: () => import('../commands/find/spec.ts'),
  },
  {
    name: 'report',
    summary: 'Report what was charged, by month, person or product',
    group: 'Orders',
    load: () => import('../commands/report/spec.ts'),
  },
  {
    name: 'reconcile',
    summary: 'Settle orders whose outcome is open or unknown',
    group: 'Orders',
    load: () => import('../commands/reconcile/spec.ts'),
  },
  {
    name: 'batch',
    summary: 'Buy hundreds of cards from a file, and export them',
    group: 'Orders',
    load: () => import('../commands/batch/spec.ts'),
  },
  {
    name: 'listen',
    summary: 'Receive webhooks, and forward them',
    group: 'Orders',
    load: () => import('../commands/listen/spec.ts'),
  },
  {
    name: 'profile',
    summary: 'Add, list, test and choose the accounts you order with',
    group: 'Accounts',
    load: () => import('../commands/profile/spec.ts'),
  },
  {
    name: 'journal',
    summary: 'Show, create or copy the journal, on this machine or of a team',
    group: 'Accounts',
    load: () => import('../commands/journal/spec.ts'),
  },
  {
    name: 'sandbox',
    summary: 'Show, reset or advance the built-in service',
    group: 'Other',
    load: () => import('../commands/sandbox/spec.ts'),
  },
  {
    name: 'serve-mock',
    summary: 'Run a mock of the service locally, for tests',
    group: 'Other',
    load: () => import('../commands/serve-mock/spec.ts'),
  },
  {
    name: 'completion',
    summary: 'Print or install the script for the TAB key',
    group: 'Other',
    load: () => import('../commands/completion/spec.ts'),
  },
  {
    name: 'doctor',
    summary: 'Check this machine, and list the files of orderctl',
    group: 'Other',
    load: () => import('../commands/doctor/spec.ts'),
  },
]
