// Reads the table: a row is a situation, a cell is a command.
import { readTable, type TableRow } from '../support/cases.ts'
import { type CommandName, commands } from './commands.ts'
import { situations } from './situations.ts'

export type Cell = {
  readonly situation: string
  readonly command: CommandName
  /** The source of the account: the environment, or the profile in use. */
  readonly account: 'environment' | 'profile'
  readonly exit: number
  /** The requests: c create, p confirm, g get. */
  readonly wire: string
  /** A phrase on stderr. If it is '', stderr has no message. */
  readonly says: string
}

const names = Object.keys(commands) as CommandName[]

/** A cell such as `0`, `0 g`, `9 A` or `0 g B`: exit code, requests, and the letter of a phrase of the row. */
const cellsOf = ({ section, line, cells: [situation = '', ...columns] }: TableRow): Cell[] => {
  const account = section as Cell['account']
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

/** A section sets the account. */
export const cellsIn = (table: string): Cell[] => readTable(table).flatMap(cellsOf)
