// From what a run prints and sends to the lines of a session, and the values that its lines contain.
import { versions } from '../../../src/journal/tables/list.ts'

/** Merges the fields of objects; other values, also `null`, replace what was there. */
export const merge = (value: unknown, changes: unknown): unknown => {
  if (!(changes instanceof Object) || Array.isArray(changes)) return changes
  const merged: Record<string, unknown> = { ...(value as object | undefined) }
  for (const [name, change] of Object.entries(changes)) merged[name] = merge(merged[name], change)
  return merged
}

/** Numbers what differs between runs, in the order of its appearance, and keeps its width. */
export const createNames = (home: string, team?: { readonly name: string; readonly port: number }) => {
  const numbers = new Map<string, string>()
  const idForm = /(?:sbx|bat)_[a-z0-9]{16,}/g
  const numberOf = (id: string): string => {
    const prefix = id.slice(0, 4)
    const count = [...numbers.keys()].filter((each) => each.startsWith(prefix)).length
    const known = numbers.get(id) ?? prefix + String(count + 1).padStart(id.length - 4, '0')
    numbers.set(id, known)
    return known
  }
  /** The roles and the times of a database. */
  const hideTeam = (text: string): string => {
    if (team === undefined) return text
    return text
      .replaceAll(`${team.name}_`, 'team_')
      .replaceAll(`127.0.0.1:${team.port}/${team.name}`, 'db/orders')
      .replaceAll(`127.0.0.1:${team.port}:${team.name}`, 'db:orders')
      .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z| UTC)/g, 'TIME')
      .replaceAll(/\(done, (now|\d+ s ago)\)/g, '(done, AGE)')
      .replaceAll(/TIME, (now|\d+ s ago|in \d+ (s|min|h))/g, 'TIME, AGE')
  }
  const restoreTeam = (text: string): string => {
    if (team === undefined) return text
    return text
      .replaceAll('team_', `${team.name}_`)
      .replaceAll('db/orders', `127.0.0.1:${team.port}/${team.name}`)
  }
  /** A number, because it is also a field of JSON. */
  const hideVersions = (text: string): string =>
    Object.values(versions).reduce((rest, version) => rest.replaceAll(String(version), '1'), text)
  return {
    hide: (text: string): string =>
      hideVersions(hideTeam(text.replaceAll(home, '~').replaceAll(idForm, numberOf))),
    restore: (text: string): string =>
      restoreTeam(text)
        .replace(/(?<=^|=)~(?=\/)/, home)
        .replaceAll(idForm, (shown) => [...numbers].find(([, each]) => each === shown)?.[0] ?? shown),
  }
}

export const printLines = (sign: string, text: string): string[] => {
  if (text === '') return []
  const visible = text.replaceAll('\r', '␍').replaceAll('\u001b', '␛')
  const lines = visible
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => `${sign} ${line}`.trimEnd())
  return visible.endsWith('\n') ? lines : [...lines, `${sign} \\ no newline at the end`]
}

const count = (operations: readonly string[], names: readonly string[]): string =>
  names
    .map((name) => [name, operations.filter((each) => each === name).length] as const)
    .filter(([, times]) => times > 0)
    .map(([name, times]) => `${name} ${times}`)
    .join(', ')

/** Reads are listed only if the file lists them, or says `sent nothing`. */
export const describeSent = (operations: readonly string[], expected: readonly string[]): string[] => {
  const line = expected.find((each) => each.startsWith('sent '))
  const areReadsListed = line !== undefined && /get|nothing/.test(line)
  const sent = count(operations, ['create', 'confirm', ...(areReadsListed ? ['get'] : [])])
  if (sent !== '') return [`sent ${sent}`]
  return areReadsListed ? ['sent nothing'] : []
}

/** One exit code if all are equal. */
export const formatExits = (exits: readonly number[]): string[] => {
  const [first = 0, ...others] = new Set(exits)
  if (others.length > 0) return [`? ${exits.join(', ')}`]
  return first === 0 ? [] : [`? ${first}`]
}

/** What all turns of a loop print alike stands once, with double signs: one turn alone may print it, too. */
export const formatTurns = (turns: readonly (readonly string[])[]): readonly string[] => {
  const [first = [], ...others] = turns
  const areEqual = others.length > 0 && others.every((lines) => lines.join('\n') === first.join('\n'))
  return areEqual ? first.map((line) => `${line[0]}${line}`) : turns.flat()
}
