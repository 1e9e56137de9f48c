// The known words that are most similar to an unknown one, an order of texts that is the same on every machine, and the text
// for the actor of an action.

/** A slip is a missing, added or wrong letter, or two swapped neighbours (optimal string alignment). */
const countSlips = (one: string, other: string): number => {
  const rows: number[][] = [[...other, ''].map((_, index) => index)]
  const at = (i: number, j: number): number => rows[i]?.[j] ?? 0
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i]
    rows.push(row)
    for (let j = 1; j <= other.length; j += 1) {
      const isSame = one[i - 1] === other[j - 1]
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      const swapped = isSwapped ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY
      row[j] = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + (isSame ? 0 : 1), swapped)
    }
  }
  return at(one.length, other.length)
}

const maxSlips: number = 3

/** Returns nothing if all words are too different: further away than `limit`, or than half of their letters. */
export const findNearest = (word: string, known: readonly string[], limit = (_known: string) => maxSlips) => {
  const found = known
    .map((each) => ({ each, slips: countSlips(word, each) }))
    .filter(({ each, slips }) => slips <= limit(each) && slips * 2 < Math.max(word.length, each.length) + 1)
  const least = Math.min(...found.map(({ slips }) => slips))
  return found.filter(({ slips }) => slips === least).map(({ each }) => each)
}

/** ' (did you mean create or confirm?)'; empty if no word is near. */
export const askForNearest = (near: readonly string[]): string =>
  near.length === 0 ? '' : ` (did you mean ${near.join(' or ')}?)`

export const compareTexts = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

/** The actor of an action, as the process reported. `writtenBy` comes from the database server. */
export type NamedActor = {
  /** The database role, if the journal is shared. */
  readonly role: string | null
  readonly user: string
  readonly host: string | null
  /** The database role that wrote it into a shared journal. */
  readonly writtenBy: string | null
}

/** A different role may write for the actor: for example, it copied the orders of a file. */
export const isWrittenByOther = ({ role, writtenBy }: NamedActor): boolean =>
  writtenBy !== null && writtenBy !== role

/** 'ana', or 'ana (written by bob)'. */
export const nameActor = (actor: NamedActor, name = actor.role ?? actor.user): string =>
  isWrittenByOther(actor) ? `${name} (written by ${actor.writtenBy})` : name

/** The actor of a reveal: a file contains no roles, but each reveal's login name. */
export const findRevealer = (reveal: {
  readonly who: string
  readonly by?: NamedActor | undefined
}): NamedActor => ({
  role: reveal.by?.role ?? null,
  user: reveal.who,
  host: reveal.by?.host ?? null,
  writtenBy: reveal.by?.writtenBy ?? null,
})
