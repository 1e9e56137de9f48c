// Section 2.8: how a card is redeemed and on which terms, as text.

import { createCodeMasker } from '../masking/mask-codes.ts'
import { secretsIn } from '../masking/mask-known.ts'
import { maskText } from '../masking/mask-text.ts'
import { safeLines, safeText } from '../terminal/safe-text.ts'
import { wrapText } from '../terminal/text-width.ts'
import type { View } from '../terminal/view.ts'
import { sectionText } from '../text/fields.ts'
import { htmlText } from './html-text.ts'

type Fields = Readonly<Record<string, unknown>>

const textIn = (fields: Fields, plain: string, html: string): string => {
  const given = (name: string): string => {
    const value = fields[name]
    return typeof value === 'string' ? value.trim() : ''
  }
  return given(plain) === '' ? htmlText(given(html)) : safeLines(given(plain))
}

const entriesOf = (value: unknown): (readonly [string, unknown])[] => {
  if (value instanceof Map) return [...value]
  return typeof value === 'object' && value !== null ? Object.entries(value) : []
}

export type IssuerText = {
  readonly sku: string
  readonly title: 'how to redeem' | 'terms'
  readonly text: string
  readonly language: string | undefined
}

/** Nothing where no issuer gave any. As they are: a code that they repeat, too. */
export const issuerTexts = (redeem: unknown): IssuerText[] =>
  entriesOf(redeem).flatMap(([sku, entry]) => {
    const fields = Object.fromEntries(entriesOf(Object.fromEntries(entriesOf(entry)).redeemInstructions))
    const language = typeof fields.languageCode === 'string' ? fields.languageCode : undefined
    return [
      { sku, title: 'how to redeem' as const, text: textIn(fields, 'redeem', 'redeemHtml'), language },
      { sku, title: 'terms' as const, text: textIn(fields, 'tnc', 'tncHtml'), language },
    ].filter(({ text }) => text !== '')
  })

/** A code that they repeat is masked unless it is revealed. It may be any code of the whole order. */
export const instructionsText = (
  redeem: unknown,
  reveal: boolean,
  view: View,
  whole: unknown = { redeem },
): string => {
  const maskCodes = createCodeMasker(secretsIn(whole))
  const shown = (text: string): string =>
    wrapText(reveal ? text : maskText(text, maskCodes), view.width - 2)
      .map((line) => (line === '' ? '\n' : `  ${line}\n`))
      .join('')
  return issuerTexts(redeem)
    .map(({ sku, title, text }) => sectionText(`${safeText(sku)}: ${title}`, shown(text), view))
    .join('\n')
}
