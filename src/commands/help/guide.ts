// orderctl help --guide: prints a guide of docs/, which the package contains. Its pictures become their descriptions, and its
// links to other guides their texts.

import { printPaged } from '../../app/output/output.ts'
import type { Context } from '../../context.ts'
import { readPackageFile } from '../../package-file.ts'
import { wrapProse } from '../../ui/terminal/text.ts'

const renderPlain = (markdown: string): string =>
  markdown
    .replace(/<picture>.*?<img alt="([^"]*)".*?<\/picture>/gs, '(Picture: $1)')
    .replace(/!\[([^\]]*)\]\([^)]*\)/g, '(Picture: $1)')
    .replace(/\[([^\]]*)\]\((?!https?:)[^)]*\)/g, '$1')

/** Wraps prose and lists. Examples and tables keep their lines. */
const wrapGuide = (text: string, width: number): string => {
  let isExample = false
  const lines = text.split('\n').flatMap((line) => {
    const isFence = line.startsWith('```')
    if (isFence) isExample = !isExample
    return isFence || isExample || line.startsWith('|') ? line : wrapProse(line, width)
  })
  return lines.join('\n')
}

export const printGuide = async (context: Context, name: string): Promise<void> => {
  const text = renderPlain(readPackageFile(`dist/guides/${name}.md`))
  await printPaged(context, wrapGuide(text, context.stdout.width))
}
