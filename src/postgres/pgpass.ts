// Finds a password in a password file of PostgreSQL, by the rules of libpq.
import type { Address } from './address.ts'

/** Splits at colons. A backslash before a colon or a backslash is removed. */
const parseLine = (line: string): string[] => {
  const fields = ['']
  for (const [text] of line.matchAll(/\\[:\\]|:|[^:\\]+|\\/g)) {
    if (text === ':') fields.push('')
    else fields.push(`${fields.pop()}${text.length === 2 && /^\\[:\\]$/.test(text) ? text[1] : text}`)
  }
  return fields
}

/** libpq looks for `localhost` if the connection uses its default Unix socket. We do so for each socket. */
const getHostNames = ({ host }: Address): string[] => (host.startsWith('/') ? [host, 'localhost'] : [host])

export const findPassword = (text: string, address: Address): string | undefined => {
  const expected = [getHostNames(address), [String(address.port)], [address.database], [address.user]]
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith('#')) continue
    const fields = parseLine(line)
    const matches = expected.every((names, index) => {
      const field = fields[index]
      return field === '*' || (field !== undefined && names.includes(field))
    })
    if (matches && fields.length > 4 && fields[4] !== '') return fields[4]
  }
  return undefined
}

/** The line that `findPassword` finds, with a word in place of the password. */
export const writePasswordLine = (address: Address): string => {
  const { port, database, user } = address
  const fields = [getHostNames(address).at(-1), port, database, user]
  return [...fields.map((field) => String(field).replace(/[:\\]/g, '\\$&')), 'PASSWORD'].join(':')
}
