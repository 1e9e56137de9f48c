// The checks of the proxy: how orderctl reaches each service, and which variable says so.
import { findProxy, readProxyVariable } from '../../client/dispatcher.ts'
import type { Context } from '../../context.ts'
import { isLoopbackHost } from '../../contract/base-url.ts'
import { environmentName, type Profile } from '../../profiles/profile.ts'
import type { Check } from '../../ui/screens/doctor.ts'
import { attempt, ok, warning } from './check.ts'

type Environment = Context['environment']

const variables = ['HTTPS_PROXY', 'HTTP_PROXY']

export const checkProxies = ({ environment }: Context, profiles: readonly Profile[]): readonly Check[] => {
  const isSet = (name: string): boolean => readProxyVariable(environment, name) !== ''
  const set = variables.filter(isSet)
  const ignored = isSet('ALL_PROXY')
    ? [warning('ALL_PROXY', 'is set, but orderctl does not use it', 'Set HTTPS_PROXY instead.')]
    : []
  if (set.length === 0)
    return [ok('Proxy', 'none: HTTPS_PROXY is not set. Loopback addresses never use a proxy'), ...ignored]
  const { ORDERCTL_BASE_URL: own } = environment
  const addresses: (readonly [name: string, baseUrl: string])[] = [
    ...(own === undefined ? [] : [[environmentName, own] as const]),
    ...profiles.map(({ name, baseUrl }) => [name, baseUrl] as const),
  ]
  return [
    ok(
      'Variables',
      `${set.join(' and ')} ${set.length === 1 ? 'is' : 'are'} set. Loopback addresses never use a proxy`,
    ),
    ...addresses.flatMap(([name, baseUrl]) => checkAddress(name, baseUrl, environment)),
    ...ignored,
  ]
}

const checkAddress = (name: string, baseUrl: string, environment: Environment): readonly Check[] => {
  const url = URL.parse(baseUrl)
  // The check of the account says what is wrong.
  if (url === null) return []
  return attempt(name, () => {
    if (isLoopbackHost(url.hostname)) return [ok(name, `direct: ${url.host} is this machine`)]
    const proxy = findProxy(url, environment)
    if (proxy !== undefined) {
      // The address may have a password.
      return [ok(name, `through ${new URL(proxy.uri).host}, by ${proxy.variable}`)]
    }
    const variable = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY'
    const isSet = readProxyVariable(environment, variable) !== ''
    return [ok(name, `direct: ${isSet ? `NO_PROXY has ${url.hostname}` : `${variable} is not set`}`)]
  })
}
