// Columns that are probably the quantity, and rows that are totals: src/batch/input/read-file.ts, totals-row.ts
import { describe, expect, test } from 'vitest'
import { describeRows, readRows, refusalOf } from './read.ts'

const refused = (name: string): string =>
  `orders.csv has no column 'quantity', but '${name}' may contain the number of cards; nothing was sent`

describe('a column that may be the quantity', () => {
  test.each(
    `Qty, qty., Quantities, quantitty, Card count, Units, Pcs, number_of_pieces, CardCount, Anzahl, Anzahl Karten, Menge,
     Stück, Stueck, Stückzahl, Stk., Kartenanzahl, Quantité, Qté, Unités, Cantidad, Cant., Uds, Quantità, Pezzi, Aantal,
     Hoeveelheid, Stuks, Antal, antall, Sztuk, szt., Ilość, Quantidade, Qtd, Qtde, Adet, Počet, Množství, Kusů, ks,
     Množstvo, Количество, Кол-во, шт., Кількість, Количина, Količina, Kom, Ποσότητα, Τεμάχια, Cantitate, Buc,
     Mennyiség, darab, db, Määrä, kpl, Kogus, Daudzums, Kiekis, vnt, Kuantitas, Số lượng, 数量, 订购数量, 數量, 枚数,
     個数, 수량, 주문 수량, จำนวน, כמות, الكمية, मात्रा`.split(/,\s+/),
  )('%s is refused', async (name) => {
    expect((await refusalOf(`sku,quote,${name}\nA,25,x\n`))[0]).toBe(refused(name))
  })

  test.each([
    'Nombre',
    'Number of cards',
    'No. of cards',
    'Nr of codes',
    '# Cards',
    'Q',
    'Amount',
    'Karten',
    'cartes',
  ])('%s does only if all its values are whole numbers', async (name) => {
    expect((await refusalOf(`sku,quote,${name}\nA,25,3\nB,5,\n`))[0]).toBe(refused(name))
    expect(await describeRows(await readRows(`sku,quote,${name}\nA,25,3\nB,5,Ada\n`))).toHaveLength(3)
  })

  const others =
    'Account, Name, Kostenstelle, Personalnummer, Discount, Art, Country, mengenlehre, No., 备注, Заметка, Comment, Qualität'
  test.each(others.split(', '))('%s is others', async (name) => {
    expect((await readRows(`sku,quote,${name}\nA,25,3\n`)).columns).toEqual([name])
  })

  test('--map or --ignore decides; a column quantity needs no decision', async () => {
    const content = 'sku,quote,Anzahl,Menge\nA,25,3,4\n'
    expect(await refusalOf(content)).toEqual([
      "orders.csv has no column 'quantity', but 'Anzahl' and 'Menge' may contain the number of cards; nothing was sent",
      'Use it with --map quantity=Anzahl, or buy 1 card a row with --ignore Anzahl --ignore Menge',
    ])
    const rows = async (given: Parameters<typeof readRows>[1]) => describeRows(await readRows(content, given))
    expect(await rows({ map: ['quantity=Menge'] })).toEqual(['Anzahl', '2: A:25x4/fixed | 3'])
    expect(await rows({ ignore: ['anzahl', 'Menge'] })).toEqual(['Anzahl | Menge', '2: A:25x1/fixed | 3 | 4'])
    expect((await readRows('sku,quote,quantity,Anzahl\nA,25,2,3\n')).rows).toMatchObject([{ quantity: 2 }])
    expect((await readRows('sku,quote,quantity\nA,25,2\n', { ignore: ['Quantity'] })).rows).toMatchObject([
      { quantity: 1 },
    ])
    expect((await refusalOf(content, { ignore: ['Anzahl', 'Zahl'] }))[0]).toContain(
      "has no column 'Zahl' for --ignore;",
    )
  })
})

test.each([
  ['Total,,,', true],
  [',,3,TOTAL:', true],
  [',,,Grand total', true],
  [',,,Total général', true],
  [',,3,', true],
  [',35,,', true],
  [',60,,', true],
  [',7,,', false],
  [',,2,Ann', false],
  ['TOTAL-FR,35,3,', undefined],
])('the row %s below two others is a totals row: %s', async (row, isTotal) => {
  const content = `sku,quote,quantity,name\nA,25,2,Ann\nB,10,1,Bo\n${row}\n`
  if (isTotal === undefined) expect((await readRows(content)).rows).toHaveLength(3)
  else {
    const [, problem = ''] = await refusalOf(content)
    const said = 'line 4: this looks like a totals row; remove it, or correct its sku'
    expect(problem === said, problem).toBe(isTotal)
  }
})
