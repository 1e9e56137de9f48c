// Currency codes. Each has one spelling, so that `usd` and `USD ` count against the same budgets.

export const currencyForm = 'a currency code of 2 to 12 letters and digits, such as USD'

const form = /^[A-Z0-9]{2,12}$/

/** Undefined if the text is no currency code. */
export const normalizeCurrency = (text: string): string | undefined => {
  if (form.test(text)) return text
  const code = text.normalize('NFKC').trim().toUpperCase()
  return form.test(code) ? code : undefined
}
