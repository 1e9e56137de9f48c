// orderctl completion: prints the script of a shell.
import { type Shell, scriptOf, shells } from '../../completion-scripts.ts'
import type { Context } from '../../context.ts'
import { Failure } from '../../errors.ts'
import { findNearest } from '../../text/nearest-words.ts'

export const printCompletion = async ({ stdout }: Context, shell: string): Promise<number> => {
  stdout.write(scriptOf(knownShell(shell)).text)
  return 0
}

export const knownShell = (name: string, before = 'completion'): Shell => {
  const shell = shells.find((each) => each === name)
  if (shell !== undefined) return shell
  const near = findNearest(name, before === 'completion' ? ['install', 'uninstall', ...shells] : shells)
  throw new Failure('usage', `orderctl has no completion for '${name}'`, {
    fix: [...near, `shells: ${shells.join(', ')}`].join('; '),
  })
}
