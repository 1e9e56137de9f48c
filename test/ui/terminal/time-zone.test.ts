// The time zone from TZ.
import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { expect, test } from 'vitest'
import { timeZoneOf } from '../../../src/ui/terminal/time-zone.ts'

test.each([
  ['Europe/Berlin', 'Europe/Berlin'],
  [':Europe/Berlin', 'Europe/Berlin'],
  ['EST5EDT', 'EST5EDT'],
  ['UTC', 'UTC'],
])('TZ=%s is %s', (given, zone) => {
  expect(timeZoneOf(given)).toBe(zone)
})

// In a process of its own: what Intl takes for the machine's zone is read from TZ, too.
test.each([':/etc/localtime', 'CET-1CEST', 'EST5EDT,M3.2.0,M11.1.0', 'UTC+3', 'Foo/Bar', ':', ' ', ''])(
  'TZ=%j is a zone that times can be told in',
  (given) => {
    const module = path.resolve('src/ui/terminal/time-zone.ts')
    const script = `
    import { timeZoneOf } from ${JSON.stringify(module)}
    const zone = timeZoneOf(process.env.TZ)
    new Intl.DateTimeFormat('en-US', { timeZone: zone })
    console.log(typeof zone)`
    const said = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
      env: { ...process.env, TZ: given },
      encoding: 'utf8',
    })
    expect(said).toBe('string\n')
  },
)
