import { expect, test } from 'vitest'
import { type FolderOptions, findProfilesFolder } from '../../src/profiles/store.ts'
import { rowsOf } from '../support/rows.ts'
import { failureOf } from './failure-of.ts'

/** The environment as `NAME=VALUE` words. A missing home is `-`. */
const find = (platform = '', home = '', environment = '') =>
  findProfilesFolder({
    platform: platform as FolderOptions['platform'],
    environment: Object.fromEntries(environment.split(' ').map((word) => word.split('='))),
    ...(home === '-' ? {} : { home }),
  })

test.each(
  rowsOf(String.raw`
    linux | /home/me | | /home/me/.config/orderctl
    freebsd | /home/me | | /home/me/.config/orderctl
    darwin | /Users/me | | /Users/me/Library/Application Support/orderctl
    win32 | C:\Users\me | | C:\Users\me\AppData\Roaming\orderctl
    win32 | C:\me | APPDATA=D:\Data | D:\Data\orderctl
    linux | /home/me | APPDATA=/tmp/x | /home/me/.config/orderctl
    linux | /home/me | XDG_CONFIG_HOME=/xdg | /xdg/orderctl
    darwin | - | XDG_CONFIG_HOME=/xdg | /xdg/orderctl
    linux | - | ORDERCTL_CONFIG_DIR=/own XDG_CONFIG_HOME=/xdg | /own
    linux | /home/me | ORDERCTL_CONFIG_DIR= XDG_CONFIG_HOME= | /home/me/.config/orderctl
  `),
)('on %s with the home %s and %j, the profiles folder is %s', (platform, home, environment, folder) => {
  expect(find(platform, home, environment)).toBe(folder)
})

test.each(
  rowsOf(`
    linux | - | | ORDERCTL_CONFIG_DIR | cannot store profiles: there is no home folder
    win32 | | | ORDERCTL_CONFIG_DIR | cannot store profiles: there is no home folder
    linux | me | | the home folder | the home folder is "me", which is not an absolute path
    linux | /home/me | ORDERCTL_CONFIG_DIR=own | ORDERCTL_CONFIG_DIR \
      | ORDERCTL_CONFIG_DIR is "own", which is not an absolute path
    linux | /home/me | XDG_CONFIG_HOME=~/x | XDG_CONFIG_HOME | XDG_CONFIG_HOME is "~/x", which is not an absolute path
    win32 | - | APPDATA=x | APPDATA | APPDATA is "x", which is not an absolute path
  `),
)(
  'on %s with the home %s and %j, there is none, because of %s: %s',
  async (platform, home, environment, ...said) => {
    const { kind, message, details } = await failureOf(() => find(platform, home, environment))
    expect([kind, details.field, message]).toEqual(['local-state', ...said])
    expect(details.advice).toBeTruthy()
  },
)
