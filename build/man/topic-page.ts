// The man page of a help topic.
import type { Part } from '../../src/ui/screens/topic.ts'
import { renderNameSection } from './command-page.ts'
import { entry, heading, literal, paragraphs, references } from './roff.ts'

const renderPart = (part: Part): string => {
  if ('rows' in part) return part.rows.map(([name, meaning]) => entry(name.trim(), meaning)).join('')
  return 'code' in part ? literal(part.code) : `.PP\n${paragraphs(part.text)}`
}

export const renderTopicPage = (name: string, summary: string, parts: readonly Part[]): string =>
  [
    renderNameSection(name, summary),
    heading('DESCRIPTION'),
    ...parts.map(renderPart),
    heading('SEE ALSO'),
    references([{ name: 'orderctl', section: 1 }]),
  ].join('')
