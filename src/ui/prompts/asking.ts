// What can be asked of a person, however it is drawn. Each answer is undefined where the question is left.

/** What says that one wants back, typed or chosen. */
export const back = '<'

/** The last of a list. */
export const backChoice = { value: back, name: `${back} back` } as const

export type Question = {
  readonly message: string
  /** What Enter alone says. */
  readonly initial?: string | undefined
  /** What is wrong with an answer; undefined where nothing is. */
  check(text: string): string | undefined
}

export type Choice<Value = string> = {
  readonly value: Value
  readonly name: string
  /** Why it cannot be chosen. */
  readonly unfit?: string | undefined
}

/** One of these, or what else is typed. */
export type Search = Question & { readonly choices: readonly Choice[] }

export type Ask = {
  line(question: Question): Promise<string | undefined>
  search(question: Search): Promise<string | undefined>
  choose<Value>(message: string, choices: readonly Choice<Value>[]): Promise<Value | undefined>
  yesOrNo(message: string): Promise<boolean | undefined>
  /** Not shown while it is typed. */
  secret(message: string): Promise<string | undefined>
}

/** The choices that have what is typed in their names, and what is typed itself. */
export const matching = ({ choices, check }: Search, typed = ''): Choice[] => {
  const own = typed.trim()
  // The TAB key types a name as it was drawn, cut where it was too long.
  const isCut = own.endsWith('…')
  const wanted = (isCut ? own.slice(0, -1) : own).toLowerCase()
  const isMeant = ({ value }: Choice): boolean => value.toLowerCase() === wanted
  const isFound = (choice: Choice): boolean =>
    // The way back is no product: a part of its name does not find it.
    choice.value === back
      ? ['', back, choice.name].includes(wanted)
      : choice.name.toLowerCase().includes(wanted)
  const found = choices
    .filter(isFound)
    // Whoever types the whole of one means it, and not a longer one.
    .toSorted((one, other) => Number(isMeant(other)) - Number(isMeant(one)))
  const isThere =
    own === '' ||
    (isCut && found.length > 0) ||
    found.some(({ value, name }) => value === own || name === own)
  return isThere ? found : [...found, { value: own, name: own, unfit: check(own) }]
}
