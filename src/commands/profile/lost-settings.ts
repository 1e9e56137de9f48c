// The settings that `profile add --replace` removes, because the new flags do not repeat them.
import { defaultAuth, formatAuth } from '../../contract/auth.ts'
import type { Profile } from '../../profiles/profile.ts'
import { quoteShellWord } from '../../text/shell-word.ts'

/** A warning that names the lost settings as flags. An empty text if nothing is lost. */
export const warnOfLostSettings = (replaced: Profile | undefined, profile: Profile): string => {
  const lost = replaced === undefined ? [] : listLostFlags(replaced, profile)
  if (lost.length === 0) return ''
  return `warning: the profile ${profile.name} no longer has ${lost.join(' ')}. To keep a setting, replace the profile again with its flag.\n`
}

const listLostFlags = (replaced: Profile, profile: Profile): string[] => {
  const before = toFlags(replaced)
  const after = toFlags(profile)
  return before
    .filter(([flag]) => after.every(([other]) => other !== flag))
    .map(([flag, value]) => `${flag} ${quoteShellWord(value)}`)
}

const toFlags = ({ account, auth, wallet, products }: Profile): [flag: string, value: string][] => {
  const sentAs = formatAuth(auth)
  const flags: [string, string | undefined][] = [
    ['--account', account],
    ['--auth', sentAs === formatAuth(defaultAuth) ? undefined : sentAs],
    ['--wallet', wallet],
    ['--products', products],
  ]
  return flags.flatMap(([flag, value]) => (value === undefined ? [] : [[flag, value]]))
}
