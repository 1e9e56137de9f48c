// The checks of the completion of each shell: the script, and the line that loads it.
import { existsSync } from 'node:fs'
import { shells } from '../../completion-scripts.ts'
import type { Context } from '../../context.ts'
import type { Fix } from '../../errors.ts'
import { attempt, type Found, ok, warning } from '../shared/checks/check.ts'
import {
  type CompletionFiles,
  findCompletionFiles,
  findLoadLines,
  readIfExists,
} from '../shared/completion-files.ts'

export const checkCompletion = async (context: Context): Promise<readonly Found[]> => {
  const all = shells.map((shell) => findCompletionFiles(context, shell)).filter((each) => each !== undefined)
  const installed = all.filter((files) => existsSync(files.script) || isLoaded(files))
  if (installed.length === 0) return [ok('not installed. To install it: orderctl completion install')]
  return Promise.all(installed.map((files) => attempt(files.shell, () => judgeShell(files))))
}

/** fish needs no startup file. */
const isLoaded = ({ profile, ...files }: CompletionFiles): boolean => {
  if (profile === undefined) return existsSync(files.script)
  const { own, others } = findLoadLines(readIfExists(profile) ?? '', files)
  return own.length + others.length > 0
}

const judgeShell = (files: CompletionFiles): Found => {
  const { shell, script, text, profile } = files
  const install: Fix = (suggest) => suggest`completion install ${shell}`
  const found = readIfExists(script)
  if (found === undefined) return warning(`${profile} loads ${script}, which does not exist`, install)
  if (!isLoaded(files)) return warning(`no line of ${profile} loads ${script}`, install)
  return found === text ? ok(script) : warning(`${script} is not the script of this version`, install)
}
