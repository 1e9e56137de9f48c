import { describe, expect, test } from 'vitest'
import { type FolderOptions, findProfilesFolder } from '../../src/profiles/folder.ts'
import { failureOf } from './failure-of.ts'

describe('the profiles folder is', () => {
  test.each<[string, FolderOptions]>([
    ['/home/me/.config/orderctl', { environment: {}, platform: 'linux', home: '/home/me' }],
    ['/home/me/.config/orderctl', { environment: {}, platform: 'freebsd', home: '/home/me' }],
    [
      '/Users/me/Library/Application Support/orderctl',
      { environment: {}, platform: 'darwin', home: '/Users/me' },
    ],
    [
      'C:\\Users\\me\\AppData\\Roaming\\orderctl',
      { environment: {}, platform: 'win32', home: 'C:\\Users\\me' },
    ],
    ['D:\\Data\\orderctl', { environment: { APPDATA: 'D:\\Data' }, platform: 'win32', home: 'C:\\me' }],
    [
      '/home/me/.config/orderctl',
      { environment: { APPDATA: '/tmp/x' }, platform: 'linux', home: '/home/me' },
    ],
    ['/xdg/orderctl', { environment: { XDG_CONFIG_HOME: '/xdg' }, platform: 'linux', home: '/home/me' }],
    ['/xdg/orderctl', { environment: { XDG_CONFIG_HOME: '/xdg' }, platform: 'darwin' }],
    ['/own', { environment: { ORDERCTL_CONFIG_DIR: '/own', XDG_CONFIG_HOME: '/xdg' }, platform: 'linux' }],
    [
      '/home/me/.config/orderctl',
      {
        environment: { ORDERCTL_CONFIG_DIR: '', XDG_CONFIG_HOME: '' },
        platform: 'linux',
        home: '/home/me',
      },
    ],
  ])('%s', (folder, place) => expect(findProfilesFolder(place)).toBe(folder))
})

describe('the profiles folder is not found', () => {
  test.each<[string, string, FolderOptions]>([
    [
      'cannot store profiles: there is no home folder',
      'ORDERCTL_CONFIG_DIR',
      { environment: {}, platform: 'linux' },
    ],
    [
      'cannot store profiles: there is no home folder',
      'ORDERCTL_CONFIG_DIR',
      { environment: {}, platform: 'win32', home: '' },
    ],
    [
      'the home folder is "me", which is not an absolute path',
      'the home folder',
      { environment: {}, platform: 'linux', home: 'me' },
    ],
    [
      'ORDERCTL_CONFIG_DIR is "own", which is not an absolute path',
      'ORDERCTL_CONFIG_DIR',
      { environment: { ORDERCTL_CONFIG_DIR: 'own' }, platform: 'linux', home: '/home/me' },
    ],
    [
      'XDG_CONFIG_HOME is "~/x", which is not an absolute path',
      'XDG_CONFIG_HOME',
      { environment: { XDG_CONFIG_HOME: '~/x' }, platform: 'linux', home: '/home/me' },
    ],
    [
      'APPDATA is "x", which is not an absolute path',
      'APPDATA',
      { environment: { APPDATA: 'x' }, platform: 'win32' },
    ],
  ])('%s', async (message, field, place) => {
    const failure = await failureOf(() => findProfilesFolder(place))
    expect([failure.kind, failure.message, failure.details.field]).toEqual(['local-state', message, field])
    expect(failure.details.fix).toBeTruthy()
  })
})
