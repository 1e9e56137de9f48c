// Renders how a card is redeemed and its terms (order-service.md 2.8).

import { listEntries } from '../../contract/shape.ts'
import { createCodeMasker, listCodes, maskTerms } from '../masking/mask-codes.ts'
import { safeLines, sanitize } from '../terminal/sanitize.ts'
import type { View } from '../terminal/view.ts'
import { paragraph, renderSection } from '../text/fields.ts'
import { htmlToText } from './html-text.ts'

const findField = (tree: unknown, name: string): unknown =>
  listEntries(tree)?.find(([key]) => key === name)?.[1]

const readString = (fields: unknown, name: string): string => {
  const value = findField(fields, name)
  return typeof value === 'string' ? value.trim() : ''
}

type Mask = (text: string) => string

// Masked before the text is made safe, which would escape or remove what hides a code, and again after it. A masked text may
// be decoded, so the result is made safe, too.
const readText = (fields: unknown, plain: string, html: string, mask: Mask): string => {
  const text = readString(fields, plain)
  return safeLines(mask(text === '' ? htmlToText(mask(readString(fields, html))) : safeLines(mask(text))))
}

export type IssuerText = {
  readonly sku: string
  readonly title: 'how to redeem' | 'terms'
  readonly text: string
  /** As the service sent it. */
  readonly language: unknown
}

/** Without a mask, a text may repeat a code. */
export const readIssuerTexts = (redeem: unknown, mask: Mask = (text) => text): IssuerText[] =>
  (listEntries(redeem) ?? []).flatMap(([sku, entry]) => {
    const fields = findField(entry, 'redeemInstructions')
    const language = findField(fields, 'languageCode')
    return [
      {
        sku,
        title: 'how to redeem' as const,
        text: readText(fields, 'redeem', 'redeemHtml', mask),
        language,
      },
      { sku, title: 'terms' as const, text: readText(fields, 'tnc', 'tncHtml', mask), language },
    ].filter(({ text }) => text !== '')
  })

/** Unless `reveal` is set, masks every code of the whole order that the texts repeat. */
export const renderInstructions = (
  redeem: unknown,
  reveal: boolean,
  view: Pick<View, 'width' | 'theme'>,
  whole: unknown = redeem,
): string => {
  const codes = createCodeMasker(reveal ? [] : listCodes(whole))
  return readIssuerTexts(redeem, reveal ? undefined : (text) => maskTerms(text, codes))
    .map(({ sku, title, text }) =>
      renderSection(`${sanitize(sku)}: ${title}`, paragraph(text, view.width, '  '), view),
    )
    .join('\n')
}
