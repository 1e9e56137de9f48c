// Reads the fault matrix: a row is a fault, a cell is a situation.
import { readTable, type TableRow } from '../support/rows.ts'
import type { Entry } from './proxy.ts'
import { type SituationName, situations } from './situations.ts'

export type Cell = {
  readonly entry: Entry
  readonly fault: string
  readonly situation: SituationName
  readonly exit: number
  /** The requests: a letter each (a capital if it failed), X for a failed connection, then a count. */
  readonly wire: string
  /** The state in the journal. Undefined if the order was never in the journal. */
  readonly state: string | undefined
  readonly says: string
}

const marks: Readonly<Record<string, string>> = {
  '*': 'created',
  $: 'confirmed',
  '?': 'unknown',
  '~': 'lost',
  '!': 'not-sent',
  x: 'refused',
}

/** The state for a cell without a mark: a failed read changes nothing, a successful one records the state. */
const stateWithoutMark = (
  situation: SituationName,
  exit: number,
  wire: string,
  entry: Entry,
): string | undefined => {
  const isElsewhere = entry === 'nowhere' || situation === 'watch'
  if (isElsewhere || situation.startsWith('confirm')) return undefined
  return exit === 0 || wire.includes('g') ? 'confirmed' : 'created'
}

const names = Object.keys(situations) as SituationName[]

const cellsOf = ({ section, cells: [fault = '', ...columns] }: TableRow): Cell[] => {
  const entry = section as Entry
  const says = columns.at(-1) ?? ''
  if (columns.length !== names.length + 1) throw new Error(`a row has ${names.length} cells: ${fault}`)
  return names.flatMap((situation, index) => {
    const text = columns[index] ?? ''
    if (text === '.') return []
    const [, exit = '', wire = '', mark] = /^(\d+) (\S+)(?: (\S+))?$/.exec(text) ?? []
    if (exit === '' || (mark !== undefined && marks[mark] === undefined)) throw new Error(`no cell: ${text}`)
    const state = mark === undefined ? stateWithoutMark(situation, Number(exit), wire, entry) : marks[mark]
    return [{ entry, fault, situation, exit: Number(exit), wire: wire === '-' ? '' : wire, state, says }]
  })
}

/** A section sets how the client connects. */
export const cellsIn = (table: string): Cell[] => readTable(table).flatMap(cellsOf)

/** Writes repeated letters with a count, as in `gPg6`. */
export const compressWire = (wire: string): string =>
  wire.replace(/(.)\1+/g, (run, letter: string) => `${letter}${run.length}`)

/** In a cell, `+` means one or more. */
export const matches = (wire: string, wanted: string): boolean =>
  new RegExp(`^${wanted.replace(/(\w)(\d+)/g, '$1{$2}')}$`).test(wire)

/** The name of its row. */
export const rowOf = ({ entry, fault }: Cell): string => (entry === 'http' ? fault : `${entry}: ${fault}`)
