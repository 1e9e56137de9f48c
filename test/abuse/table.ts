// The table as data: a row a situation, a cell a command. What stands in a cell, and how it is read.
import { type CommandName, commands } from './commands.ts'
import { situations } from './situations.ts'

export type Cell = {
  readonly situation: string
  readonly command: CommandName
  /** Which account is acted on: the one in the environment, or the profile in use. */
  readonly account: 'environment' | 'profile'
  readonly exit: number
  /** What was sent: c create, p confirm, g get. */
  readonly wire: string
  /** What is said of it, somewhere on stderr; nothing, where it is ''. */
  readonly says: string
}

const names = Object.keys(commands) as CommandName[]

/** `0`, `0 g`, `9 A`, `0 g B`: exit code, requests, and which of the row's phrases is said. */
const cellsOf = (line: string, account: Cell['account']): Cell[] => {
  const [situation = '', ...columns] = line.split('|').map((each) => each.trim())
  if (situations[situation] === undefined) throw new Error(`there is no situation like ${situation}`)
  if (columns.length !== names.length + 1) throw new Error(`a row has ${names.length} cells: ${line}`)
  const phrases = (columns.at(-1) ?? '').split(' // ')
  return names.map((command, index) => {
    const [, exit = '', wire = '', mark] =
      /^(\d+)(?: ([cgp]+))?(?: ([A-E]))?$/.exec(columns[index] ?? '') ?? []
    const says = mark === undefined ? '' : phrases['ABCDE'.indexOf(mark)]
    if (exit === '' || says === undefined) throw new Error(`no cell: ${columns[index]} in ${line}`)
    return { situation, command, account, exit: Number(exit), wire, says }
  })
}

/** A line `== ACCOUNT` says what is acted on from there on; one that begins with dashes is for the eye. */
export const cellsIn = (table: string): Cell[] => {
  let account: Cell['account'] = 'environment'
  return table.split('\n').flatMap((line) => {
    const [, named] = /^== (environment|profile)/.exec(line) ?? []
    if (named !== undefined) account = named as Cell['account']
    return named !== undefined || /^(--|\s*$)/.test(line) ? [] : cellsOf(line, account)
  })
}
