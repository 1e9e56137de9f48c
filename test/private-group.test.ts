// The groups whose folders are safe although the group can write to them.
import { expect, test } from 'vitest'
import { isPrivateGroup } from '../src/private-group.ts'

const root = 'root:x:0:0:root:/root:/bin/bash'
const ana = 'ana:x:1000:1000::/home/ana:/bin/bash'
const ben = 'ben:x:1001:1001::/home/ben:/bin/bash'

type Case = [what: string, gid: number, people: string, groups: string, isPrivate: boolean]

test.each<Case>([
  ['the group of the user alone', 1000, ana, 'ana:x:1000:', true],
  ['a group with another number than the user', 70, 'ana:x:1000:70::/:', 'staff:x:70:', true],
  ['the group that lists the user, too', 1000, ana, 'ana:x:1000:ana', true],
  ['the group that root is in, too', 1000, ana, 'ana:x:1000:root,ana', true],
  ['the group that is listed twice, for the user alone', 1000, ana, 'ana:x:1000:\ncopy:x:1000:ana', true],
  ['the group that has another member', 1000, ana, 'ana:x:1000:ben', false],
  ['the group that has an unknown member', 1000, ana, 'ana:x:1000:gone', false],
  ['the group that has another member by a second name', 1000, ana, 'ana:x:1000:\ncopy:x:1000:ben', false],
  [
    'the primary group of another user, too',
    100,
    'ana:x:1000:100::/:\neve:x:7:100::/:',
    'users:x:100:',
    false,
  ],
  ['a group that only lists the user', 70, ana, 'team:x:70:ana', false],
  ['a group of which nobody is known', 70, ana, '', false],
  ['a group of LDAP, whose members are not listed', 100, '', 'users:x:100:', false],
  ['the group root', 0, ana, 'root:x:0:ben', true],
  ['the volumes of OpenShift', 1000, '', 'root:x:0:', true],
  ['the volumes of OpenShift, with an entry for the user', 1000, 'ana:x:1000:0::/:', 'root:x:0:', true],
  ['a group with the number of the user and a name', 1000, '', 'team:x:1000:', false],
  ['a number that begins like the group', 100, ana, 'ana:x:1000:', false],
])('%s', (_, gid, people, groups, isPrivate) => {
  const files: Record<string, string> = {
    '/etc/passwd': [root, ben, people, ''].join('\n'),
    '/etc/group': `${groups}\n`,
  }
  expect(isPrivateGroup(gid, 1000, (file) => (files[file] ?? '').split('\n'))).toBe(isPrivate)
})

test('no group is private if the accounts cannot be read, except that of root', () => {
  const fail = () => {
    throw new Error('EACCES')
  }
  expect([isPrivateGroup(1000, 1000, fail), isPrivateGroup(0, 1000, fail)]).toEqual([false, true])
})
