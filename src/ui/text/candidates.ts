// What the TAB key offers, as the scripts of the shells read it: a line each, `value<TAB>description`, and last
// a line that says how the shell goes on from there. A value is inserted as it stands, so it is whole or left out.
import { safeText } from '../terminal/safe-text.ts'

export type Candidate = { readonly value: string; readonly description?: string | undefined }

export type Offer = {
  readonly candidates: readonly Candidate[]
  /** More is typed behind the value in the same word; or the shell's own files, or commands, are meant. */
  readonly next?: 'nospace' | 'files' | 'command'
}

const longest = 80

const lineOf = ({ value, description }: Candidate): string => {
  const text = safeText(description ?? '')
  const characters = [...text]
  const shown = characters.length > longest ? `${characters.slice(0, longest - 1).join('')}…` : text
  return shown === '' ? value : `${value}\t${shown}`
}

export const offerText = ({ candidates, next = '' as never }: Offer): string =>
  [...candidates.filter(({ value }) => value !== '' && safeText(value) === value).map(lineOf), `:${next}`]
    .map((line) => `${line}\n`)
    .join('')
