// Colour with a meaning; nothing is said by colour alone.
import { Chalk } from 'chalk'

export type Theme = Readonly<
  Record<'good' | 'warning' | 'bad' | 'strong' | 'quiet', (text: string) => string>
>

/** Whether colour is wanted is judged for each output stream apart. */
export const themeFor = (output: { readonly colour: boolean }): Theme => {
  const chalk = new Chalk({ level: output.colour ? 1 : 0 })
  return { good: chalk.green, warning: chalk.yellow, bad: chalk.red, strong: chalk.bold, quiet: chalk.dim }
}
