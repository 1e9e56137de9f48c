// Completion candidates in the format of the shell scripts: a line `value<TAB>description` for each candidate, then a
// line `:next`. The shell inserts a value as it is, so an unsafe value is left out rather than escaped.
import { sanitize } from '../terminal/text.ts'

export type Completion = { readonly value: string; readonly description?: string | undefined }

export type CompletionList = {
  readonly candidates: readonly Completion[]
  /** `nospace`: the word goes on after the value. `files`, `command`: the shell completes files or commands itself. */
  readonly next?: 'nospace' | 'files' | 'command'
}

const maxDescription = 80

const renderLine = ({ value, description }: Completion): string => {
  const text = sanitize(description ?? '')
  const characters = [...text]
  const shown =
    characters.length > maxDescription ? `${characters.slice(0, maxDescription - 1).join('')}…` : text
  return shown === '' ? value : `${value}\t${shown}`
}

export const renderCandidates = ({ candidates, next = '' as never }: CompletionList): string =>
  [...candidates.filter(({ value }) => value !== '' && sanitize(value) === value).map(renderLine), `:${next}`]
    .map((line) => `${line}\n`)
    .join('')
