// The words that people use for the fields in the header of a file.
import type { HeaderColumn } from '../../../journal/tables/batches.ts'

/** Words of English, German, French, Spanish, Italian and Dutch, as `fold` writes them. */
export const headerWords: Readonly<Record<NonNullable<HeaderColumn['field']>, RegExp>> = {
  sku: /sku|product|produkt|produit|prodott|item|article|artikel|articul|articol|codigo|codice|card|karte|carte|tarjeta|gutschein/,
  quote:
    /quote|amount|price|value|denomination|betrag|preis|wert|montant|prix|valeur|importe|precio|valor|importo|prezzo|valore|bedrag|prijs|waarde/,
  quantity:
    /\b(qt[yea]|quantit\w*|count|units?|pieces?|pcs|copies|anzahl|menge|\w*stuckzahl|stuck|stk|anz|qtes?|unites?|cantidad\w*|cant|unidades|uds|piezas|quantita|pezzi|pz|aantal\w*|hoeveelheid|stuks|\w+anzahl)\b/,
  productType:
    /\b(product ?|produkt ?|card ?|karten ?)?(type?|tipo|soort|art)( de produit| de producto| di prodotto)?$/,
}

/** 'Stück' → 'stuck' */
export const fold = (header: string): string =>
  header
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/stueck/gi, 'stuck')
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replaceAll(/[_\W]+/g, ' ')
    .trim()
    .toLowerCase()

/** The first of the headers that is probably the field. */
export const guessHeader = (
  field: keyof typeof headerWords,
  headers: readonly string[],
): string | undefined => headers.find((header) => headerWords[field].test(fold(header)))
