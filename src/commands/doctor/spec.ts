// The command `orderctl doctor`: its flags and help.
import { callFlags, timeout } from '../../cli/flags.ts'
import { defineCommand, defineSpec, type OptionsOf } from '../../cli/spec.ts'

const spec = defineSpec({
  guide: 'troubleshooting',
  description:
    'Check this machine: the installation, completion, the journal, and the profiles with their services and keys. ' +
    'It lists the files of orderctl with their sizes. It changes nothing and never prompts. It runs the credential and password commands of the profiles. ' +
    'The exit code is 9 if there is a problem, and 0 if there are only warnings.',
  flags: {
    timeout: { ...timeout, help: 'time limit of one call (default: 5s)', default: 5_000 },
    allowHttp: callFlags.allowHttp,
  },
  examples: ['orderctl doctor', 'orderctl doctor --json', 'orderctl doctor --timeout 20s'],
})

export type DoctorOptions = OptionsOf<typeof spec>

export const command = defineCommand(spec, async () => (await import('./run.ts')).runDoctor)
