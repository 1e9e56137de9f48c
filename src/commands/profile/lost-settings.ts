// The settings that `profile add --replace` removes, because the new flags do not repeat them.
import { defaultAuth, formatAuth } from '../../contract/auth.ts'
import type { Profile } from '../../profiles/profile.ts'
import type { Suggest } from '../../text/suggest.ts'
import type { AddOptions } from './spec.ts'

/** A warning that names the lost settings as flags. An empty text if nothing is lost. */
export const formatLostSettings = (
  replaced: Profile,
  { name }: Pick<Profile, 'name'>,
  given: AddOptions,
  suggest: Suggest,
): string => {
  const lost = listSettings(replaced).filter(([flag]) => given[flag] === undefined)
  if (lost.length === 0) return ''
  const flags = suggest.flags(Object.fromEntries(lost))
  return `warning: the profile ${name} no longer has ${flags}. To keep a setting, replace the profile again with its flag.\n`
}

type Setting = 'account' | 'auth' | 'wallet' | 'products'

/** Those that differ from the defaults. */
const listSettings = ({ account, auth, wallet, products }: Profile): [Setting, string][] => {
  const sentAs = formatAuth(auth)
  const settings: [Setting, string | undefined][] = [
    ['account', account],
    ['auth', sentAs === formatAuth(defaultAuth) ? undefined : sentAs],
    ['wallet', wallet],
    ['products', products],
  ]
  return settings.flatMap(([flag, value]) => (value === undefined ? [] : [[flag, value]]))
}
