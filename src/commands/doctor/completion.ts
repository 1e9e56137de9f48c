// The completion of each shell: its script, and the line that loads it.
import { existsSync } from 'node:fs'
import { shells } from '../../completion-scripts.ts'
import type { Context } from '../../context.ts'
import type { Fix } from '../../errors.ts'
import { attempt, type Found, ok, warning } from '../shared/checks/check.ts'
import { type CompletionFiles, findCompletionFiles, readIfExists } from '../shared/completion-files.ts'

export const listCompletionFiles = (context: Context): readonly CompletionFiles[] =>
  shells.map((shell) => findCompletionFiles(context, shell)).filter((each) => each !== undefined)

export const readStartupLines = ({ profile }: CompletionFiles): readonly string[] =>
  ((profile && readIfExists(profile)) ?? '').split(/\r?\n/)

/** fish needs no startup file. */
const isLoaded = (files: CompletionFiles): boolean =>
  files.profile === undefined
    ? existsSync(files.script)
    : readStartupLines(files).some((each) => each === files.line || each.includes(files.script))

export const checkCompletion = async (context: Context): Promise<Found | readonly Found[]> => {
  const installed = listCompletionFiles(context).filter(
    (files) => existsSync(files.script) || isLoaded(files),
  )
  if (installed.length === 0) return ok('not installed. To install it: orderctl completion install')
  return Promise.all(installed.map((files) => attempt(files.shell, () => judgeShell(files))))
}

const judgeShell = (files: CompletionFiles): Found => {
  const { shell, script, text, profile } = files
  const install: Fix = (suggest) => suggest`completion install ${shell}`
  const found = readIfExists(script)
  if (found === undefined) return warning(`${profile} loads ${script}, which does not exist`, install)
  if (!isLoaded(files)) return warning(`no line of ${profile} loads ${script}`, install)
  return found === text ? ok(script) : warning(`${script} is not the script of this version`, install)
}
