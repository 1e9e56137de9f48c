// The flags of `orderctl doctor`.
import type { Command } from '@commander-js/extra-typings'
import { type FlagsOf, withBasics } from '../shared/flags.ts'

export const defineFlags = (command: Command) =>
  withBasics(
    command
      .description(
        'Check this machine: the installation, the settings, the folders, the journal, the profiles and their services, and completion. ' +
          'It lists every file of orderctl with its size. It changes nothing and never prompts. It runs the credential and password commands of the profiles. ' +
          'The exit code is 9 if there is a problem, and 0 if there are only warnings.',
      )
      .option('--full', 'check the whole journal, even if it is large')
      .option('--timeout <duration>', 'time limit of each service and shared journal (default: 5s)')
      .option('--allow-http', 'allow sending the key over plain http to another machine'),
  )

export type DoctorFlags = FlagsOf<typeof defineFlags>
