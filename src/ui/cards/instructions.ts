// Renders how a card is redeemed and its terms (order-service.md 2.8).

import { listEntries } from '../../contract/shape.ts'
import { createCodeMasker, maskText } from '../masking/mask-codes.ts'
import { findField } from '../masking/mask-fields.ts'
import { findSecrets } from '../masking/mask-tree.ts'
import { safeLines, sanitize } from '../terminal/sanitize.ts'
import type { View } from '../terminal/view.ts'
import { paragraph, renderSection } from '../text/fields.ts'
import { htmlToText } from './html-text.ts'

const readString = (fields: unknown, name: string): string => {
  const value = findField(fields, name)
  return typeof value === 'string' ? value.trim() : ''
}

const readText = (fields: unknown, plain: string, html: string): string =>
  readString(fields, plain) === ''
    ? htmlToText(readString(fields, html))
    : safeLines(readString(fields, plain))

export type IssuerText = {
  readonly sku: string
  readonly title: 'how to redeem' | 'terms'
  readonly text: string
  /** As the service sent it. */
  readonly language: unknown
}

/** Unmasked: a text may repeat a code. */
export const readIssuerTexts = (redeem: unknown): IssuerText[] =>
  (listEntries(redeem) ?? []).flatMap(([sku, entry]) => {
    const fields = findField(entry, 'redeemInstructions')
    const language = findField(fields, 'languageCode')
    return [
      { sku, title: 'how to redeem' as const, text: readText(fields, 'redeem', 'redeemHtml'), language },
      { sku, title: 'terms' as const, text: readText(fields, 'tnc', 'tncHtml'), language },
    ].filter(({ text }) => text !== '')
  })

/** Unless `reveal` is set, masks every code of the whole order that the texts repeat. */
export const renderInstructions = (
  redeem: unknown,
  reveal: boolean,
  view: Pick<View, 'width' | 'theme'>,
  whole: unknown = { redeem },
): string => {
  const maskCodes = createCodeMasker(findSecrets(whole))
  return readIssuerTexts(redeem)
    .map(({ sku, title, text }) => {
      const shown = reveal ? text : maskText(text, maskCodes)
      return renderSection(`${sanitize(sku)}: ${title}`, paragraph(shown, view.width, '  '), view)
    })
    .join('\n')
}
