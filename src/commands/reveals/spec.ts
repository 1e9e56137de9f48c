// The command `orderctl reveals`: its arguments, flags and help.
import { listedOrderForms, noInput, output } from '../../cli/flags.ts'
import { recordFlags } from '../../cli/read-moment.ts'
import { defineCommand, defineSpec, type OptionsOf } from '../../cli/spec.ts'

const spec = defineSpec({
  guide: 'tasks',
  description:
    'List who showed, copied, exported, forwarded or found codes, and when, newest first. It reads only the journal.',
  args: { order: { form: '[order]', help: listedOrderForms } },
  flags: {
    ...recordFlags('reveals'),
    profile: { takes: '<name>', help: 'only reveals with this profile' },
    noInput,
    ...output('revealedAt,by,orderId', 'the ids of the orders'),
  },
  examples: ['orderctl reveals', 'orderctl reveals ref:desk-8', 'orderctl reveals --since 24h --by ana'],
})

export type RevealsOptions = OptionsOf<typeof spec>

export const command = defineCommand(spec, async () => (await import('./run.ts')).showReveals)
