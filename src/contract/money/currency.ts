// Currency codes. Each has one spelling, so that `usd` and `USD ` count against the same budgets.

export const currencyForm = 'a currency code of 2 to 12 letters and digits, such as USD'

/** Undefined if the text is no currency code. */
export const normalizeCurrency = (text: string): string | undefined => {
  const code = text.normalize('NFKC').trim().toUpperCase()
  return /^[A-Z0-9]{2,12}$/.test(code) ? code : undefined
}
