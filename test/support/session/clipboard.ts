// The tools of a clipboard, of which some are installed.
import type { Situation } from '../in-process.ts'

export const createClipboard = (...installed: readonly string[]) => {
  const calls: string[] = []
  let held = ''
  const pipe: NonNullable<Situation['pipe']> = async (command, text) => {
    calls.push(`${command.join(' ')}${text === undefined ? '' : ` < ${text}`}`.trimEnd())
    if (!installed.includes(command[0] ?? '')) throw new Error(`spawn ${command[0]} ENOENT`)
    if (text !== undefined) held = text
    if (command.includes('--clear')) held = ''
    return held
  }
  return {
    pipe,
    hold: (text: string): void => {
      held = text
    },
    /** The calls since the last look, and the text that it holds. */
    describe: (): string =>
      [...calls.splice(0), ...(held === '' ? [] : [`holds ${held}`])].map((line) => `${line}\n`).join(''),
  }
}
