// Colour with a meaning; nothing is said by colour alone.
import { createRequire } from 'node:module'

// Required where there is colour: most runs of a script have none.
const require = createRequire(import.meta.url)

export type Theme = Readonly<
  Record<'good' | 'warning' | 'bad' | 'strong' | 'quiet', (text: string) => string>
>

const same = (text: string): string => text
const plain: Theme = { good: same, warning: same, bad: same, strong: same, quiet: same }

/** Whether colour is wanted is judged for each output stream apart. */
export const themeFor = (output: { readonly colour: boolean }): Theme => {
  if (!output.colour) return plain
  const { Chalk } = require('chalk') as typeof import('chalk')
  const chalk = new Chalk({ level: 1 })
  return { good: chalk.green, warning: chalk.yellow, bad: chalk.red, strong: chalk.bold, quiet: chalk.dim }
}
