// Reads numbers as spreadsheets write them: with a decimal comma, and with separators between thousands.

type Style = ',' | '.'

/** Whole number, with the separator of its thousands; decimal separator; decimals. */
const form = /^(\d+|\d{1,3}(?:([.,'\u2019 \u00a0\u202f])\d{3})(?:\2\d{3})*)(?:([.,])(\d+))?$/

type NumberRead =
  | {
      readonly plain: string
      /** Undefined if the number shows none. */
      readonly style?: Style
    }
  /** It can be either. */
  | { readonly either: readonly [whole: string, decimal: string] }

/** A text of any other form is returned as it is. */
const readForm = (text: string, hasThreeDecimals: boolean): NumberRead => {
  const [, written, thousands, style, decimals] = form.exec(text) ?? []
  if (written === undefined || (style !== undefined && style === thousands)) return { plain: text }
  const whole = written.replaceAll(/\D/g, '')
  if (style === undefined || decimals === undefined) {
    const other = thousands === '.' ? ',' : thousands === ',' ? '.' : undefined
    return { plain: whole, ...(other && { style: other }) }
  }
  const plain = `${whole}.${decimals}`
  const looksLikeThousands = decimals.length === 3 && thousands === undefined && /^[1-9]\d{0,2}$/.test(whole)
  return looksLikeThousands && !hasThreeDecimals
    ? { either: [`${whole}${decimals}`, plain] }
    : { plain, style: style as Style }
}

export type NumberReader = {
  /** `plain`: the number with a dot. `allowed`: why it is refused. */
  (
    line: number,
    text: string,
    hasThreeDecimals: boolean,
  ): { readonly plain: string } | { readonly allowed: string }
  readonly isLocal: boolean
  readonly style: () => Style | undefined
}

/** All numbers of a file have one decimal separator: with `isLocal` any, otherwise a dot, without thousands. */
export const createNumberReader = (isLocal: boolean): NumberReader => {
  let first: { readonly style: Style; readonly line: number; readonly text: string } | undefined
  const read = (line: number, text: string, hasThreeDecimals: boolean) => {
    const number = readForm(text, hasThreeDecimals)
    if ('either' in number) {
      const [whole, decimal] = number.either
      return { allowed: `${whole} or ${decimal}0, because ${text} can be either` }
    }
    if (!isLocal) return { plain: text }
    const { plain, style } = number
    if (style === undefined) return { plain }
    first ??= { style, line, text }
    if (style === first.style) return { plain }
    const name = first.style === ',' ? 'comma' : 'dot'
    return { allowed: `a decimal ${name} as in line ${first.line} (${first.text}): a file uses one style` }
  }
  return Object.assign(read, { isLocal, style: () => first?.style })
}
