// The checks of the completion of each shell: the script, and the line that loads it.
import { shells } from '../../completion-scripts.ts'
import type { Context } from '../../context.ts'
import type { Check } from '../../ui/screens/doctor.ts'
import {
  type CompletionFiles,
  findCompletionFiles,
  findLoadLines,
  readIfExists,
} from '../shared/completion-files.ts'
import { attempt, ok, warning } from './check.ts'

export const checkCompletion = (context: Context): readonly Check[] => {
  const all = shells.map((shell) => findCompletionFiles(context, shell)).filter((each) => each !== undefined)
  const found = all.flatMap((files) => attempt(files.shell, () => checkShell(files)))
  return found.length > 0
    ? found
    : [ok('Completion', 'not installed. To install it: orderctl completion install')]
}

const checkShell = (files: CompletionFiles): readonly Check[] => {
  const { shell, script, text, profile } = files
  const found = readIfExists(script)
  const startup = profile === undefined ? undefined : (readIfExists(profile) ?? '')
  const lines = startup === undefined ? undefined : findLoadLines(startup, files)
  const isLoaded = lines === undefined || lines.own.length + lines.others.length > 0
  const install = `orderctl completion install ${shell}`
  if (found === undefined)
    return lines !== undefined && isLoaded
      ? [warning(shell, `${profile} loads ${script}, which does not exist`, install)]
      : []
  if (!isLoaded) return [warning(shell, `no line of ${profile} loads ${script}`, install)]
  return [
    found === text
      ? ok(shell, script)
      : warning(shell, `${script} is not the script of this version`, install),
  ]
}
