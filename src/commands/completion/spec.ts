// The command `orderctl completion`: the arguments, flags and help of each subcommand.
import { shells } from '../../app/completion-files.ts'
import { noInput, yes } from '../../cli/flags.ts'
import { defineCommand, defineSpec, type OptionsOf } from '../../cli/spec.ts'

const form = `[${shells.join('|')}]`
const takesShell = { usage: `[flags] ${form}`, args: { shell: { form } } }

const completion = defineSpec({
  description:
    'Print the script that lets the TAB key complete commands, flags, your orders, products and profiles. ' +
    'Completion never calls the service and never runs what you typed.',
  ...takesShell,
  examples: [
    'orderctl completion install',
    'source <(orderctl completion bash)',
    'orderctl completion fish > ~/.config/fish/completions/orderctl.fish',
  ],
})

const install = defineSpec({
  summary: 'Install the script for your shell',
  description:
    'Install the completion script for a shell (default: your shell). orderctl first lists the files that it ' +
    'will change, and prompts on a terminal. If completion is already installed, orderctl updates only the script.',
  ...takesShell,
  flags: { yes: { ...yes, help: 'do not prompt' }, noInput },
  examples: ['orderctl completion install', 'orderctl completion install zsh --yes'],
})

export type CompletionOptions = OptionsOf<typeof completion>
export type InstallOptions = OptionsOf<typeof install>

export const command = defineCommand(completion, async () => (await import('./run.ts')).printCompletion, {
  install: defineCommand(install, async () => (await import('./run.ts')).installCompletion),
})
