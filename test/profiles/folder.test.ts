import { expect, test } from 'vitest'
import { type FolderOptions, findProfilesFolder } from '../../src/profiles/folder.ts'
import { failureOf } from './failure-of.ts'

type Row = [
  expected: string,
  platform: FolderOptions['platform'],
  home: string | undefined,
  environment?: object,
]

const find = (platform: FolderOptions['platform'], home: string | undefined, environment: object = {}) =>
  findProfilesFolder({ platform, environment: { ...environment }, ...(home === undefined ? {} : { home }) })

test.each<Row>([
  ['/home/me/.config/orderctl', 'linux', '/home/me'],
  ['/home/me/.config/orderctl', 'freebsd', '/home/me'],
  ['/Users/me/Library/Application Support/orderctl', 'darwin', '/Users/me'],
  ['C:\\Users\\me\\AppData\\Roaming\\orderctl', 'win32', 'C:\\Users\\me'],
  ['D:\\Data\\orderctl', 'win32', 'C:\\me', { APPDATA: 'D:\\Data' }],
  ['/home/me/.config/orderctl', 'linux', '/home/me', { APPDATA: '/tmp/x' }],
  ['/xdg/orderctl', 'linux', '/home/me', { XDG_CONFIG_HOME: '/xdg' }],
  ['/xdg/orderctl', 'darwin', undefined, { XDG_CONFIG_HOME: '/xdg' }],
  ['/own', 'linux', undefined, { ORDERCTL_CONFIG_DIR: '/own', XDG_CONFIG_HOME: '/xdg' }],
  ['/home/me/.config/orderctl', 'linux', '/home/me', { ORDERCTL_CONFIG_DIR: '', XDG_CONFIG_HOME: '' }],
])('the profiles folder is %s on %s with the home %j and %j', (folder, platform, home, environment) => {
  expect(find(platform, home, environment)).toBe(folder)
})

const homeless = 'cannot store profiles: there is no home folder'
const relative = (what: string) => `${what}, which is not an absolute path`

test.each<[field: string, ...Row]>([
  ['ORDERCTL_CONFIG_DIR', homeless, 'linux', undefined],
  ['ORDERCTL_CONFIG_DIR', homeless, 'win32', ''],
  ['the home folder', relative('the home folder is "me"'), 'linux', 'me'],
  [
    'ORDERCTL_CONFIG_DIR',
    ...([
      relative('ORDERCTL_CONFIG_DIR is "own"'),
      'linux',
      '/home/me',
      { ORDERCTL_CONFIG_DIR: 'own' },
    ] as Row),
  ],
  ['XDG_CONFIG_HOME', relative('XDG_CONFIG_HOME is "~/x"'), 'linux', '/home/me', { XDG_CONFIG_HOME: '~/x' }],
  ['APPDATA', relative('APPDATA is "x"'), 'win32', undefined, { APPDATA: 'x' }],
])('without a folder, %s is reported: %s', async (field, message, platform, home, environment) => {
  const failure = await failureOf(() => find(platform, home, environment))
  expect([failure.kind, failure.message, failure.details.field]).toEqual(['local-state', message, field])
  expect(failure.details.advice).toBeTruthy()
})
