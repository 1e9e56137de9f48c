// What the environment says about the terminal and the time zone.
import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { expect, test } from 'vitest'
import { timeZoneOf } from '../../../src/ui/terminal/view.ts'

test.each(['Europe/Berlin', ':Europe/Berlin', 'EST5EDT', 'UTC'])(
  'TZ=%s is the zone of that name',
  (given) => {
    expect(timeZoneOf(given)).toBe(given.replace(':', ''))
  },
)

// In another process, because the zone of the machine also comes from TZ.
test('every other TZ is a zone for which times can be formatted', () => {
  const zones = [':/etc/localtime', 'CET-1CEST', 'EST5EDT,M3.2.0,M11.1.0', 'UTC+3', 'Foo/Bar', ':', ' ', '']
  const script = `
    import { timeZoneOf } from ${JSON.stringify(path.resolve('src/ui/terminal/view.ts'))}
    const found = ${JSON.stringify(zones)}.map((zone) => {
      process.env.TZ = zone
      const timeZone = timeZoneOf(zone)
      new Intl.DateTimeFormat('en-US', { timeZone })
      return typeof timeZone
    })
    console.log(found.join())`
  const words = ['--input-type=module', '--eval', script]
  const stdout = execFileSync(process.execPath, words, { encoding: 'utf8' })
  expect(stdout).toBe(`${zones.map(() => 'string').join()}\n`)
})
