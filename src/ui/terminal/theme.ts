// Colours by meaning. Colour never carries information that the text lacks.
import { createRequire } from 'node:module'

// Loaded only for colour, which scripts do not use.
const require = createRequire(import.meta.url)

export type Theme = Readonly<
  Record<'good' | 'warning' | 'bad' | 'strong' | 'quiet', (text: string) => string>
>

const keepText = (text: string): string => text
const plain: Theme = { good: keepText, warning: keepText, bad: keepText, strong: keepText, quiet: keepText }

export const themeFor = (output: { readonly colour: boolean }): Theme => {
  if (!output.colour) return plain
  const { Chalk } = require('chalk') as typeof import('chalk')
  const chalk = new Chalk({ level: 1 })
  return { good: chalk.green, warning: chalk.yellow, bad: chalk.red, strong: chalk.bold, quiet: chalk.dim }
}
