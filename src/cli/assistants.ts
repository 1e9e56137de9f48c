// Which environment variables say that an assistant runs the command in a shell.
import type { Context } from '../context.ts'

type Environment = Context['environment']

/** Whether a variable whose value is 1 is set. */
export const isOn = (value: string | undefined): boolean =>
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
