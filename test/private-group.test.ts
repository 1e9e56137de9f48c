// The groups whose folders are safe although the group can write to them.
import { expect, test } from 'vitest'
import { isPrivateGroup } from '../src/exposure.ts'
import { rowsOf } from './support/rows.ts'

const root = 'root:x:0:0:root:/root:/bin/bash'
const ana = 'ana:x:1000:1000::/home/ana:/bin/bash'
const ben = 'ben:x:1001:1001::/home/ben:/bin/bash'

// What, its number, the accounts beside root and ben, the groups, and whether it is private to the user 1000. Where a
// semicolon divides lines.
const cases = rowsOf(`
  the group of the user alone | 1000 | ANA | ana:x:1000: | yes
  a group with another number than the user | 70 | ana:x:1000:70::/: | staff:x:70: | yes
  the group that lists the user, too | 1000 | ANA | ana:x:1000:ana | yes
  the group that root is in, too | 1000 | ANA | ana:x:1000:root,ana | yes
  the group that is listed twice, for the user alone | 1000 | ANA | ana:x:1000:;copy:x:1000:ana | yes
  the group that has another member | 1000 | ANA | ana:x:1000:ben | no
  the group that has an unknown member | 1000 | ANA | ana:x:1000:gone | no
  the group that has another member by a second name | 1000 | ANA | ana:x:1000:;copy:x:1000:ben | no
  the primary group of another user, too | 100 | ana:x:1000:100::/:;eve:x:7:100::/: | users:x:100: | no
  a group that only lists the user | 70 | ANA | team:x:70:ana | no
  a group of which nobody is known | 70 | ANA | | no
  a group of LDAP, whose members are not listed | 100 | | users:x:100: | no
  the group root | 0 | ANA | root:x:0:ben | yes
  the volumes of OpenShift | 1000 | | root:x:0: | yes
  the volumes of OpenShift, with an entry for the user | 1000 | ana:x:1000:0::/: | root:x:0: | yes
  a group with the number of the user and a name | 1000 | | team:x:1000: | no
  a number that begins like the group | 100 | ANA | ana:x:1000: | no
`)

test.each(cases)('%s', (_, gid, people = '', groups = '', isPrivate) => {
  const accounts = `${root};${ben};${people.replace('ANA', ana)}`
  const files: Record<string, string> = { '/etc/passwd': accounts, '/etc/group': groups }
  expect(isPrivateGroup(Number(gid), 1000, (file) => (files[file] ?? '').split(';'))).toBe(
    isPrivate === 'yes',
  )
})

test('no group is private if the accounts cannot be read, except that of root', () => {
  const fail = () => {
    throw new Error('EACCES')
  }
  expect([isPrivateGroup(1000, 1000, fail), isPrivateGroup(0, 1000, fail)]).toEqual([false, true])
})
