// Writes the commands that messages suggest. Such a command reaches the same account. It is safe to paste into bash, zsh, fish
// and PowerShell, whatever its values contain: order ids come from the service and may contain anything. Also says what to
// do about an order that may be paid, until that is proven.

/**
 * For bash, zsh and fish. Between single quotes, fish reads a backslash differently, and zsh may read two quotes as
 * one. So both characters are outside of the quotes.
 */
export const quoteShellWord = (text: string): string => {
  // A word that ends like a clause is quoted, because messages wrap after a clause.
  if (/^[\w./@:,+-][\w./@:,+=%-]*(?<![.,])$/.test(text)) return text
  return text === ''
    ? "''"
    : text.replaceAll(/[^'\\]+|['\\]/g, (part) => (/['\\]/.test(part) ? `\\${part}` : `'${part}'`))
}

type Value = string | readonly string[] | Flags | undefined

/** Flags by their names without the dashes. A flag without a value is `true`. */
export type Flags = Readonly<Record<string, string | readonly string[] | boolean | undefined>>

/** The flags of the command line that choose the account. */
type AccountFlags = { readonly profile?: string | undefined; readonly allowHttp?: boolean | undefined }

export type Suggest = {
  /**
   * suggest`batch run ${name} ${{ 'max-total': cap }} --yes`: the command, its arguments, then its flags. Quotes each
   * value. A value that cannot be shown or pasted unchanged becomes a placeholder.
   */
  (words: TemplateStringsArray, ...values: readonly Value[]): string
  quote(value: string): string
  flags(flags: Flags): string
  /** Suggests commands for this profile instead of the profile in use. */
  onProfile(name: string): Suggest
  /** Called once the flags of the command line are known. */
  setFlags(flags: AccountFlags): void
  setWords(words: readonly string[]): void
  /**
   * The command as it was typed, for the same account. `changed` has words that replace others. Undefined if
   * orderctl suggests none of its flags to anyone.
   */
  typed(changed?: ReadonlyMap<string, readonly string[]>): string | undefined
  /** The saved profile that the command acts on. Undefined if there is none, or several. */
  profileName(): string | undefined
  addProfile(name: string): void
}

type Shell = {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The value of process.platform. */
  readonly platform: string
}

/** A person must decide to buy twice, to accept a changed order or a webhook, or that an order was paid. */
const neverSuggested = /^--(allow-duplicate|accept-changes|accept-webhook|settle)(=|$)/

const withoutProfile = new Set(['profile', 'sandbox', 'serve-mock', 'completion', 'doctor', 'help'])

const withAllowHttp = new Set(
  (
    'create, confirm, get, redeem, watch, list, find, explain, reconcile, listen, doctor, batch plan, batch run, ' +
    'batch export, listen replay, profile add, profile set, profile test'
  ).split(', '),
)

export const createSuggest = (shell: Shell): Suggest => {
  let flags: AccountFlags = {}
  let typed: readonly string[] = []
  const profiles = new Set<string>()
  const writeValue = createQuote(shell)
  const create = (named?: string): Suggest => {
    const write = (words: TemplateStringsArray, ...values: readonly Value[]): string => {
      // A variable may be set for one command only, so the profile that it selects is written, too.
      const profile = named ?? flags.profile ?? (shell.environment.ORDERCTL_PROFILE || undefined)
      return writeCommand(words, values, { profile, allowHttp: flags.allowHttp }, writeValue)
    }
    return Object.assign(write, {
      quote: (value: string) => writeValue(value, '…'),
      flags: (all: Flags) => writeFlags(all, writeValue).join(' '),
      onProfile: create,
      setFlags: (given: AccountFlags) => {
        flags = given
      },
      setWords: (words: readonly string[]) => {
        typed = words
      },
      typed: (changed?: ReadonlyMap<string, readonly string[]>) => {
        if (typed.some((word) => neverSuggested.test(word))) return undefined
        const profile = shell.environment.ORDERCTL_PROFILE || (profiles.size === 1 && [...profiles][0])
        const isNamed = !profile || flags.profile !== undefined || withoutProfile.has(typed[0] ?? '')
        const all = isNamed ? typed : [...typed, '--profile', profile]
        const words = all.flatMap((word) => changed?.get(word) ?? word)
        return ['orderctl', ...words.map((word) => writeValue(word, '…'))].join(' ')
      },
      profileName: () => named ?? (profiles.size === 1 ? [...profiles][0] : undefined),
      addProfile: (name: string) => void profiles.add(name),
    })
  }
  return create()
}

/** Returns the placeholder if the value cannot be quoted. */
type Quote = (value: string, placeholder: string) => string

const writeCommand = (
  parts: readonly string[],
  values: readonly Value[],
  account: AccountFlags,
  quote: Quote,
): string => {
  const [command, given, flags]: [string[], string[], string[]] = [[], [], []]
  parts.forEach((part, index) => {
    for (const word of part.split(' ').filter(Boolean)) {
      const isFlag = word.startsWith('-') || flags.length > 0
      ;(isFlag ? flags : given.length > 0 ? given : command).push(word)
    }
    const value = values[index] ?? []
    if (typeof value === 'string') given.push(value)
    else if (isList(value)) given.push(...value)
    else flags.push(...writeFlags(value, quote))
  })
  const nameOf = (flag: string): string => flag.split(/[ =]/)[0] ?? ''
  const names = new Set(flags.map(nameOf))
  const accountFlags = names.has('--help') ? [] : writeFlags(findAccountFlags(command, account), quote)
  flags.push(...accountFlags.filter((flag) => !names.has(nameOf(flag))))
  const shown = given.map((value) => quote(value, command[0] === 'batch' ? 'BATCH' : 'ORDER'))
  // A value that looks like a flag comes last.
  const rest = given.some((value) => value.startsWith('-'))
    ? [...flags, quote('--', ''), ...shown]
    : [...shown, ...flags]
  return ['orderctl', ...command, ...rest].join(' ')
}

const isList = (value: unknown): value is readonly string[] => Array.isArray(value)

const writeFlags = (flags: Flags, quote: Quote): string[] =>
  Object.entries(flags).flatMap(([name, values]) =>
    [values].flat().flatMap((value) => {
      if (typeof value !== 'string') return value === true ? [`--${name}`] : []
      const placeholder = name.toUpperCase()
      return value.startsWith('-')
        ? [quote(`--${name}=${value}`, `--${name} ${placeholder}`)]
        : [`--${name} ${quote(value, placeholder)}`]
    }),
  )

const findAccountFlags = ([name = '', action]: readonly string[], account: AccountFlags): Flags => ({
  profile: withoutProfile.has(name) ? undefined : account.profile,
  'allow-http':
    account.allowHttp === true && [name, `${name} ${action}`].some((path) => withAllowHttp.has(path)),
})

const createQuote = ({ environment, platform }: Shell): Quote => {
  // On Windows, a user without PowerShell most likely has a shell of MSYS, such as Git Bash.
  const isPowerShell =
    platform === 'win32' ? environment.MSYSTEM === undefined : environment.PSModulePath !== undefined
  const quote = isPowerShell ? quoteForPowerShell : quoteShellWord
  return (value, placeholder) => (isShowable(value) ? quote(value) : undefined) ?? placeholder
}

const maxLength = 200

/** Whether each character is visible or a space, so that a terminal shows what is pasted. */
const isShowable = (value: string): boolean =>
  value.length <= maxLength &&
  (/^[\x20-\x7e]+$/.test(value) ||
    /^[[\p{L}\p{M}\p{N}\p{P}\p{S} ]--[\p{Default_Ignorable_Code_Point}--[\ufe0e\ufe0f]]]+$/v.test(value))

/**
 * In PowerShell, typographic quotes also end a quoted text. Older versions change a double quote, and a backslash at the
 * end, when they pass a value to a program.
 */
const quoteForPowerShell = (text: string): string | undefined => {
  if (/^[a-z][\w./-]*(?<!\.)$/i.test(text)) return text
  return /"|\\$/.test(text) ? undefined : `'${text.replaceAll(/['\u2018-\u201b]/g, '$&$&')}'`
}

/** `provenAt`: from when a proof is possible, as text. */
export const writeProofAdvice = (provenAt: string | undefined): string =>
  provenAt === undefined
    ? 'Do not order again. Only a person who has checked the wallet can settle it, with reconcile and --settle.'
    : `Do not order again. From ${provenAt}, reconcile can check whether money was spent.`
