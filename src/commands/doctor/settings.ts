// The versions, where they are installed, and the environment variables that change what orderctl does.
import type { Context } from '../../context.ts'
import { findPackageFolder } from '../../package-file.ts'
import { type Found, ok, warning } from '../shared/checks/check.ts'

export const describeVersion = ({ version, node }: Context): readonly Found[] => {
  const folder = findPackageFolder()
  return [
    ok(folder === undefined ? `${version}, the single file ${node.program}` : `${version} in ${folder}`),
  ]
}

export const describeNode = ({ node: { version, program } }: Context): readonly Found[] => [
  ok(findPackageFolder() === undefined ? `${version}, included` : `${version} in ${program}`),
]

export const describeSystem = ({ platform }: Context): readonly Found[] => [ok(platform)]

const known =
  /^(ORDERCTL_\w+|PG(PASSWORD|PASSFILE|USER|SSLROOTCERT)|XDG_(CONFIG|STATE|CACHE)_HOME|(HTTPS?|NO|ALL)_PROXY|NODE_(EXTRA_CA_CERTS|TLS_REJECT_UNAUTHORIZED)|CI|(NO|FORCE)_COLOR)$/i

const ignored = new Map([
  ['ALL_PROXY', 'Set HTTPS_PROXY instead.'],
  ['NODE_TLS_REJECT_UNAUTHORIZED', 'Set NODE_EXTRA_CA_CERTS to the certificate of your authority instead.'],
])

/** Every other setting comes from the profile in use, or is the default. */
export const listSettings = ({ environment }: Context): readonly Found[] => {
  const set = Object.entries(environment).filter(([name, value]) => value !== undefined && known.test(name))
  if (set.length === 0) return [ok('no variable of orderctl is set')]
  return set.sort().map(([name, value = '']) => {
    const fix = ignored.get(name.toUpperCase())
    if (fix !== undefined && value !== '') return { ...warning('is set, but orderctl ignores it', fix), name }
    return { ...ok(describeValue(name, value)), name }
  })
}

/** The value without keys and passwords. */
const describeValue = (name: string, value: string): string => {
  if (value === '') return 'set, but empty'
  if (/KEY|PASSWORD/.test(name)) return 'set, not shown'
  return value.replace(/^([a-z][\w+.-]*:\/\/)?.*@/i, '$1').replace(/(:\/\/.*)[?#].*$/, '$1')
}
