// Adds a line to the startup file of a shell, and removes it.
import {
  appendFileSync,
  chmodSync,
  chownSync,
  lstatSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { makeFolder } from '../../files.ts'
import { readIfExists } from '../shared/completion-files.ts'

export const appendLine = (file: string, line: string): void => {
  makeFolder(path.dirname(file))
  const found = readIfExists(file) ?? ''
  appendFileSync(file, `${found === '' || found.endsWith('\n') ? '' : '\n'}${line}\n`)
}

/** Removes the file if it has no other line, because `completion install` has created it. */
export const removeLine = (file: string, line: string): void => {
  // The file may be a link into a folder under version control.
  const target = realpathSync(file)
  // Each byte is one character, so that the other lines stay as they are in any encoding.
  const lines = readFileSync(target, 'latin1').match(/[^\n]*\n|[^\n]+$/g) ?? []
  const removed = Buffer.from(line).toString('latin1')
  const rest = lines.filter((each) => each.replace(/\r?\n$/, '') !== removed)
  if (rest.length === 0 && !lstatSync(file).isSymbolicLink()) rmSync(target)
  else replaceText(target, rest.join(''))
}

/** Renamed into place, because a shell that starts now must not read half of its startup file. */
const replaceText = (file: string, text: string): void => {
  const { mode, uid, gid } = statSync(file)
  const next = `${file}.orderctl-next`
  try {
    rmSync(next, { force: true })
    writeFileSync(next, text, { encoding: 'latin1', flag: 'wx' })
    const created = statSync(next)
    if (created.uid !== uid || created.gid !== gid) chownSync(next, uid, gid)
    chmodSync(next, mode)
    renameSync(next, file)
  } finally {
    rmSync(next, { force: true })
  }
}
