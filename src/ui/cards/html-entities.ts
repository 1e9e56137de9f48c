// Decodes the HTML character references that issuers use.

// U+00A0 to U+00FF, in order.
const latin =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute ' +
  'micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring ' +
  'AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml ' +
  'times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil ' +
  'egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ' +
  'ugrave uacute ucirc uuml yacute thorn yuml'

const others =
  'amp=& lt=< gt=> quot=" apos=\' euro=€ ndash=– mdash=— lsquo=‘ rsquo=’ sbquo=‚ ldquo=“ rdquo=” bdquo=„ ' +
  'lsaquo=‹ rsaquo=› hellip=… bull=• dagger=† permil=‰ trade=™ larr=← rarr=→ uarr=↑ darr=↓ minus=− le=≤ ge=≥ ' +
  'ne=≠ infin=∞ asymp=≈ check=✓ star=☆ OElig=Œ oelig=œ Scaron=Š scaron=š Yuml=Ÿ hyphen=‐ dash=‐ num=# lowbar=_'

const named = new Map<string, string>([
  ...latin.split(' ').map((name, index): [string, string] => [name, String.fromCodePoint(0xa0 + index)]),
  ...others.split(' ').map((pair): [string, string] => {
    const at = pair.indexOf('=')
    return [pair.slice(0, at), pair.slice(at + 1)]
  }),
  ...['ensp', 'emsp', 'thinsp'].map((name): [string, string] => [name, ' ']),
  ...['zwj', 'zwnj', 'lrm', 'rlm'].map((name): [string, string] => [name, '']),
])

const decodeNumber = (code: number): string =>
  // Browsers show U+FFFD for an invalid code point or a surrogate.
  code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? '\ufffd' : String.fromCodePoint(code)

/** Decodes once: `&amp;lt;` becomes `&lt;`. Unknown names stay. */
export const decodeEntities = (text: string): string =>
  text.replace(
    /&(?:#(\d{1,8})|#[xX]([0-9a-fA-F]{1,7})|([a-zA-Z]{2,8}\d{0,2}));?/g,
    (found, decimal, hex, name) => {
      if (decimal !== undefined) return decodeNumber(Number.parseInt(decimal, 10))
      if (hex !== undefined) return decodeNumber(Number.parseInt(hex, 16))
      return found.endsWith(';') || name === 'amp' || name === 'nbsp' ? (named.get(name) ?? found) : found
    },
  )
