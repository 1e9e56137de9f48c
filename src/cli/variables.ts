// The variables that stand for a flag: ORDERCTL_JSON=1 for --json, and so on. A flag on the line wins.
import type { Command } from 'commander'
import type { Context } from '../context.ts'

type Environment = Context['environment']

/** As a variable says yes. */
const isOn = (value: string | undefined): boolean =>
  value !== undefined && !['', '0', 'false'].includes(value)

const switches = [
  { flag: 'json', variable: 'ORDERCTL_JSON', value: true },
  { flag: 'debug', variable: 'ORDERCTL_DEBUG', value: true },
  { flag: 'allowHttp', variable: 'ORDERCTL_ALLOW_HTTP', value: true },
  { flag: 'input', variable: 'ORDERCTL_NO_INPUT', value: false },
] as const

/** Flags that ask for another form than JSON. */
const notJson = ['quiet', 'explain', 'only']

/** Before a command's action: what its flags left open. */
export const applyVariables = (command: Command, environment: Environment): void => {
  for (const { flag, variable, value } of switches) {
    if (!isOn(environment[variable])) continue
    if (!command.options.some((option) => option.attributeName() === flag)) continue
    // What was asked for on the line goes before.
    if (flag === 'json' && notJson.some((other) => command.getOptionValue(other) !== undefined)) continue
    if (command.getOptionValueSource(flag) !== 'cli') command.setOptionValueWithSource(flag, value, 'env')
  }
}

// Errors in the flags themselves must keep to these two as well, so they are looked for before all is parsed.
const own = (words: readonly string[]): readonly string[] =>
  words.includes('--') ? words.slice(0, words.indexOf('--')) : words

export const wantsJson = (words: readonly string[], environment: Environment): boolean =>
  own(words).includes('--json') || isOn(environment.ORDERCTL_JSON)

/** For a screen reader: nothing drawn again in place, choices by number. */
export const wantsAccessible = (environment: Environment): boolean => isOn(environment.ORDERCTL_ACCESSIBLE)

export const refusesColour = (words: readonly string[], environment: Environment): boolean =>
  own(words).includes('--no-color') || isOn(environment.ORDERCTL_NO_COLOR)
