// Every command: its line in `orderctl --help`, and where its description is. Only the description of the command that
// runs is loaded.
import type { CommandNode, Spec } from '../cli/spec.ts'

type Load = () => Promise<{ readonly command: CommandNode }>

const loads = {
  create: () => import('../commands/create/spec.ts'),
  confirm: () => import('../commands/confirm/spec.ts'),
  get: () => import('../commands/get/spec.ts'),
  redeem: () => import('../commands/redeem/spec.ts'),
  watch: () => import('../commands/watch/spec.ts'),
  list: () => import('../commands/list/spec.ts'),
  find: () => import('../commands/find/spec.ts'),
  report: () => import('../commands/report/spec.ts'),
  reconcile: () => import('../commands/reconcile/spec.ts'),
  batch: () => import('../commands/batch/spec.ts'),
  listen: () => import('../commands/listen/spec.ts'),
  mcp: () => import('../commands/mcp/spec.ts'),
  profile: () => import('../commands/profile/spec.ts'),
  journal: () => import('../commands/journal/spec.ts'),
  sandbox: () => import('../commands/sandbox/spec.ts'),
  'serve-mock': () => import('../commands/serve-mock/spec.ts'),
  completion: () => import('../commands/completion/spec.ts'),
  doctor: () => import('../commands/doctor/spec.ts'),
} satisfies Record<string, Load>

/** By the headings of `orderctl --help`. */
const summaries: Readonly<Record<string, { readonly [Name in keyof typeof loads]?: string }>> = {
  Orders: {
    create: 'Place an order from flags, a file or the wizard',
    confirm: 'Confirm an order and spend its total',
    get: 'Show orders and their state',
    redeem: 'Show, copy or export the cards of an order',
    watch: 'Wait until orders are final',
    list: 'List the orders in the journal',
    find: 'Find the order that a code, PIN or link is from',
    report: 'Report what was charged, by month, person or product',
    reconcile: 'Settle orders whose outcome is open or unknown',
    batch: 'Buy hundreds of cards from a file, and export them',
    listen: 'Receive webhooks, and forward them',
    mcp: 'Let an assistant read and prepare orders, never confirm them',
  },
  'Accounts and tools': {
    profile: 'Add, list, test and choose the accounts you order with',
    journal: 'Show, create or copy the journal, on this machine or of a team',
    sandbox: 'Show, reset or advance the built-in service',
    'serve-mock': 'Run a mock of the service locally, for tests',
    completion: 'Print or install the script for the TAB key',
    doctor: 'Check this machine, and list the files of orderctl',
  },
}

export const entries = Object.entries(summaries).flatMap(([group, commands]) =>
  Object.entries(commands).map(([name, summary]) => {
    const load: Load = loads[name as keyof typeof loads]
    return { name, summary, group, load }
  }),
)

/** The description of a command, such as `batch plan`. */
export const loadSpec = async (path: string): Promise<Spec> => {
  const [name, ...names] = path.split(' ')
  const load: Load = loads[name as keyof typeof loads]
  const { command } = await load()
  return names.reduce((node, each) => node.commands[each] as CommandNode, command).spec
}
