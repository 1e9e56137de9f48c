// The words that people use for the fields in the header of a file.
import type { HeaderColumn } from '../../../journal/tables/batches.ts'

/** 'Stück' → 'stuck' */
export const fold = (header: string): string =>
  header
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/stueck/gi, 'stuck')
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .toLowerCase()

/** Words for the number of cards. `*` stands for any letters. To support a language, add a line. */
const quantityWords = {
  english: 'qty, qte, qta, quantit*, count, unit, units, piece, pieces, pcs, copies',
  german: '*anzahl, menge, *stückzahl, stück, stk, anz',
  french: 'qtes, unite, unites',
  spanish: 'cantidad*, cant, unidades, uds, piezas',
  italian: 'pezzi, pz',
  dutch: 'aantal*, hoeveelheid, stuks',
  portuguese: 'quantidade*, qtd, qtde, unidade, peças',
  scandinavian: 'antal, antall, mängd, mængde, mengde, kvantitet',
  finnish: 'määrä, lukumäärä, kpl',
  polish: 'ilość, sztuk, sztuki, szt',
  czechAndSlovak: 'počet*, množství, množstvo, kusů, kusy, kusov, ks',
  southSlavic: 'količina, kom, komada, количина, комада',
  russianAndBulgarian: 'количество, кол во, штук, шт, бройки',
  ukrainian: 'кількість, к сть',
  romanian: 'cantitate*, buc, bucăți',
  hungarian: 'mennyiség, darab, *darabszám, db',
  greek: 'ποσότητα, τεμάχια, τεμ',
  baltic: 'kogus, daudzums, skaits, kiekis, vnt',
  turkish: 'adet, adedi',
  indonesian: 'kuantitas, kuantiti',
  vietnamese: 'số lượng',
  chineseAndJapanese: '*数量*, *數量*, *件数, *件數, *张数, *張數, *枚数, *個数, *个数',
  korean: '*수량*, *개수, *매수',
  thai: '*จำนวน*',
  hindi: 'मात्रा',
  hebrew: 'כמות',
  arabic: 'كمية, الكمية',
}

/** Words that also mean something else: in Spanish, 'nombre' is a name. They count if all values are whole numbers. */
const unclearQuantityWords =
  'amount, number, no of, nr of, num of, q, cards, vouchers, karten, gutscheine, nombre, cartes, tarjetas, vales, carte, ' +
  'buoni, kaarten, bonnen, cartões, kort, karty, liczba, číslo, число, брой, broj, szám, jumlah, miktar, sayı, عدد, العدد'

/** As `fold` writes them. */
const listPatterns = (words: string): string =>
  words
    .split(', ')
    .map((word) => word.split('*').map(fold).join('\\S*'))
    .join('|')

/** At the start of a header: 'Employee number' is no quantity. */
export const unclearQuantity = new RegExp(`^(?:${listPatterns(unclearQuantityWords)})(?: |$)`)

/** Words of English, German, French, Spanish, Italian and Dutch, and of more languages for the quantity. */
export const headerWords: Readonly<Record<NonNullable<HeaderColumn['field']>, RegExp>> = {
  sku: /sku|product|produkt|produit|prodott|item|article|artikel|articul|articol|codigo|codice|card|karte|carte|tarjeta|gutschein/,
  quote:
    /quote|amount|price|value|denomination|betrag|preis|wert|montant|prix|valeur|importe|precio|valor|importo|prezzo|valore|bedrag|prijs|waarde/,
  quantity: new RegExp(`(?:^| )(?:${listPatterns(Object.values(quantityWords).join(', '))})(?: |$)`),
  productType:
    /\b(product ?|produkt ?|card ?|karten ?)?(type?|tipo|soort|art)( de produit| de producto| di prodotto)?$/,
}

/** The first of the headers that is probably the field. */
export const guessHeader = (
  field: keyof typeof headerWords,
  headers: readonly string[],
): string | undefined => headers.find((header) => headerWords[field].test(fold(header)))
