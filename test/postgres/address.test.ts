// Addresses of databases: their parts, their one spelling, and what is refused.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isPostgresAddress, isSameDatabase, parseAddress } from '../../src/postgres/address.ts'
import { isAllRun } from '../support/cases.ts'
import { rowsOf } from '../support/rows.ts'

const parse = (text: string) => parseAddress(text, { user: 'os-user' })

const refusalOf = (text: string): string => {
  try {
    parse(text)
  } catch (error) {
    const { kind, message, details } = error as { kind: string; message: string; details: { advice: string } }
    expect(kind).toBe('usage')
    return `${message}. ${details.advice}`
  }
  throw new Error(`${text} was accepted`)
}

// The text, its one spelling, and the host, port, database, user and TLS of it.
test.each(
  rowsOf(`
    postgres://ana@db.example:6432/orders | postgres://ana@db.example:6432/orders \
      | ["db.example", 6432, "orders", "ana", {"mode": "verify-full"}]
    postgresql://DB.example:5432/orders | postgres://os-user@db.example/orders \
      | ["db.example", 5432, "orders", "os-user", {"mode": "verify-full"}]
    postgres://ana@[0:0:0:0:0:0:0:1]:6432/orders | postgres://ana@[::1]:6432/orders \
      | ["::1", 6432, "orders", "ana", {"mode": "disable"}]
    postgres://ana@localhost/orders?sslmode=require | postgres://ana@localhost/orders?sslmode=require \
      | ["localhost", 5432, "orders", "ana", {"mode": "require"}]
    postgres://ana@%2Frun%2Fpostgresql:6432/orders | postgres://ana@%2Frun%2Fpostgresql:6432/orders \
      | ["/run/postgresql", 6432, "orders", "ana", {"mode": "disable"}]
    postgres://a%40b@db.example/my%20orders?sslrootcert=/etc/root%20ca.pem&sslmode=require \
      | postgres://a%40b@db.example/my%20orders?sslmode=require&sslrootcert=/etc/root%20ca.pem \
      | ["db.example", 5432, "my orders", "a@b", {"mode": "require", "rootCertificate": "/etc/root ca.pem"}]
  `),
)('%s is %s: %s', (text = '', canonical = '', parts = '') => {
  const [host, port, database, user, tls] = JSON.parse(parts)
  expect(parse(text)).toEqual({ host, port, database, user, tls, text: canonical })
  expect(parse(canonical)).toEqual(parse(text))
})

test('PGSSLROOTCERT is used if the address has no certificate, and is not part of it', () => {
  const defaults = { user: 'ana', rootCertificate: '/default.pem' }
  const { tls, text } = parseAddress('postgres://db.example/orders', defaults)
  expect({ tls, text }).toEqual({
    tls: { mode: 'verify-full', rootCertificate: '/default.pem' },
    text: 'postgres://ana@db.example/orders',
  })
  const chosen = parseAddress('postgres://db.example/orders?sslrootcert=/own.pem', defaults)
  expect(chosen.tls.rootCertificate).toBe('/own.pem')
})

test.each(
  rowsOf(`
    mysql://db.example/orders | is not a valid address. Write it as postgres://user@host/database.
    postgres:db | has no host. Write it as postgres://user@host/database. For a Unix socket, write its folder
    postgres://db.example/orders#part | is not a valid address.
    postgres://[::1/orders | is not a valid address.
    postgres://one,two/orders | has an invalid host. Use one host
    postgres:///orders | has no host.
    postgres://ana@/orders | is not a valid address.
    postgres://db.example | has no database. Add the database name.
    postgres://db.example/ | has no database.
    postgres://db.example:65536/orders | is not a valid address.
    postgres://db.example/%zz | has an invalid database.
    postgres://db.example/a%00b | has an invalid database.
    postgres://db.example/orders?sslmode=prefer | has an invalid sslmode. Allowed values: disable, require,
    postgres://db.example/orders?sslmode= | has an invalid sslmode.
    postgres://db.example/orders?sslmode=require&sslmode=disable | has a parameter twice.
    postgres://db.example/orders?sslcert=a | has an unknown parameter. Allowed parameters: sslmode,
  `),
)('%s is refused: it %s', (text = '', expected) => {
  expect(refusalOf(text)).toContain(`the PostgreSQL address ${expected}`)
})

test('a user without a name is refused', () => {
  expect(() => parseAddress('postgres://db.example/orders', { user: '' })).toThrow('has no user')
})

describe('a password', () => {
  test.each([
    'postgres://ana:SECRET@db.example/orders',
    'postgres://ana:SE/CR@ET@db.example/orders',
    'postgres://:SECRET@db.example/orders',
    'postgres://db.example/orders?password=SECRET',
    'postgresql://ana:SECRET@db.example:99999/orders?what=ever',
  ])('in %s is refused, and its place is reported', (text) => {
    const refusal = refusalOf(text)
    expect(refusal).toContain('the PostgreSQL address contains a password. Put the password into ~/.pgpass')
  })

  test('is never in a message', () => {
    const junk = fc.string({ unit: fc.constantFrom(...'@:/?#[]%&=,-. ax'), maxLength: 12 })
    const property = fc.property(junk, junk, junk, (before, between, after) => {
      const text = `postgres://${before}:SECRET${between}@db.example/${after}`
      let message = ''
      try {
        parse(text)
      } catch (error) {
        message = JSON.stringify([(error as Error).message, (error as { details: object }).details])
      }
      expect(message.toLowerCase()).not.toContain('secret')
    })
    fc.assert(property, { numRuns: isAllRun ? 2_000 : 300 })
  })
})

test.each([
  ['postgres://ana@db.example/orders', 'postgresql://ben@DB.EXAMPLE:5432/orders?sslmode=require', true],
  ['postgres://localhost/orders', 'postgres://127.0.0.1/orders', true],
  ['postgres://[::1]/orders', 'postgres://localhost/orders', true],
  ['postgres://db.example/orders', 'postgres://db.example:6432/orders', false],
  ['postgres://db.example/orders', 'postgres://db.example/Orders', false],
  ['postgres://db.example/orders', 'postgres://db2.example/orders', false],
])('%s and %s are the same database: %s', (one, other, expected) => {
  expect(isSameDatabase(parse(one), parse(other))).toBe(expected)
})

test.each([
  ['postgres://x', true],
  ['PostgreSQL://x', true],
  ['/var/lib/postgres', false],
  ['postgres', false],
])('%s is meant as an address: %s', (text, expected) => {
  expect(isPostgresAddress(text)).toBe(expected)
})
