// Environment variables: those that say that an assistant runs the command, and those that set a flag, such as
// ORDERCTL_JSON=1 for --json. A flag overrides its variable.

import type { Command } from 'commander'
import type { Context } from '../context.ts'

type Environment = Context['environment']

/** Whether a variable whose value is 1 is set. */
const isOn = (value: string | undefined): boolean =>
  value !== undefined && !['', '0', 'false'].includes(value)

/**
 * The variables that assistants set for the programs they start: those of @vercel/detect-agent 1.2.7, without what a person's
 * editor or shell may also set.
 */
export const assistants: Readonly<Record<string, (value: string) => boolean>> = {
  AI_AGENT: isOn,
  ANTIGRAVITY_AGENT: isOn,
  AUGMENT_AGENT: isOn,
  CLAUDECODE: isOn,
  CLAUDE_CODE: isOn,
  CODEX_CI: isOn,
  CODEX_SANDBOX: isOn,
  CODEX_THREAD_ID: isOn,
  CURSOR_AGENT: isOn,
  CURSOR_EXTENSION_HOST_ROLE: (value) => value === 'agent-exec',
  GEMINI_CLI: isOn,
  OPENCODE: isOn,
}

/** The variable that says that an assistant runs the command. Undefined if a person has allowed what it does. */
export const findAssistant = (environment: Environment): string | undefined => {
  if (isOn(environment.ORDERCTL_ALLOW_AGENT)) return undefined
  return Object.entries(assistants).find(([name, isSet]) => isSet(environment[name] ?? ''))?.[0]
}

const switches = [
  { flag: 'json', variable: 'ORDERCTL_JSON', value: true },
  { flag: 'debug', variable: 'ORDERCTL_DEBUG', value: true },
  { flag: 'allowHttp', variable: 'ORDERCTL_ALLOW_HTTP', value: true },
  { flag: 'input', variable: 'ORDERCTL_NO_INPUT', value: false },
] as const

/** Flags that choose a format other than JSON. */
const notJson = ['quiet', 'only']

/** Sets the flags that were not given on the command line. Called before the command's action. */
export const applyVariables = (command: Command, environment: Environment): void => {
  for (const { flag, variable, value } of switches) {
    if (!isOn(environment[variable])) continue
    if (!command.options.some((option) => option.attributeName() === flag)) continue
    if (flag === 'json' && notJson.some((other) => command.getOptionValue(other) !== undefined)) continue
    if (command.getOptionValueSource(flag) !== 'cli') command.setOptionValueWithSource(flag, value, 'env')
  }
}

/** The words before `--`. Some flags also apply to errors of the command line, so they are read before it is parsed. */
const ownWords = (words: readonly string[]): readonly string[] =>
  words.includes('--') ? words.slice(0, words.indexOf('--')) : words

export const wantsJson = (words: readonly string[], environment: Environment): boolean =>
  ownWords(words).includes('--json') || isOn(environment.ORDERCTL_JSON)

export const wantsDebug = (words: readonly string[], environment: Environment): boolean =>
  ownWords(words).includes('--debug') || isOn(environment.ORDERCTL_DEBUG)

/** For screen readers: nothing is redrawn in place, and choices have numbers. */
export const wantsAccessible = (environment: Environment): boolean =>
  isOn(environment.ORDERCTL_ACCESSIBLE ?? environment.ACCESSIBLE)

export const refusesColour = (words: readonly string[], environment: Environment): boolean =>
  ownWords(words).includes('--no-color') || isOn(environment.ORDERCTL_NO_COLOR)
