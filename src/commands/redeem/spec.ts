// The command `orderctl redeem`: its arguments, flags and help.
import { exportFile } from '../../app/staged-file.ts'
import {
  account,
  fieldsFlag,
  noInput,
  oneOfWords,
  pickedOrderForms,
  positiveCount,
  reveal,
} from '../../cli/flags.ts'
import { defineCommand, defineSpec, type OptionsOf } from '../../cli/spec.ts'

export const valueKinds = ['pin', 'code', 'link', 'serial'] as const
export type ValueKind = (typeof valueKinds)[number]

const spec = defineSpec({
  guide: 'tasks',
  description:
    'Show the cards of an order: codes, PINs, links and how to redeem them. Codes are hidden unless you pass ' +
    '--reveal. The exit code is 8 if fewer cards arrived than were ordered, or if another card has the same code.',
  args: { order: { form: '[order]', help: pickedOrderForms } },
  flags: {
    sku: { takes: '<sku>', help: 'only this product', repeats: true },
    only: {
      ...oneOfWords(valueKinds),
      help: 'print only these values, one per line',
      excludes: { json: 'prints bare values' },
    },
    reveal,
    qr: {
      help: 'draw a QR code of each link, or else of the code; needs --reveal',
      needs: { oneOf: ['reveal'], because: 'shows codes' },
      excludes: { json: 'draws on the terminal' },
    },
    copy: {
      act: 'reveal codes of a real account',
      help: 'copy one value to the clipboard without showing it, and clear it after 45 s',
      excludes: { json: 'prints nothing', reveal: 'shows nothing', qr: 'shows nothing' },
    },
    card: {
      ...positiveCount,
      help: 'only the card with this number',
      excludes: { json: 'selects one card' },
    },
    export: {
      act: 'reveal codes of a real account',
      ...exportFile,
      help: 'write the cards with their codes to a new file: .csv, .xlsx, .jsonl, .html or .txt',
      excludes: {
        fields: 'prints only the file and its number of cards',
        only: 'writes whole cards',
        card: 'writes all cards',
        reveal: 'writes the codes to its file and shows none',
        qr: '',
        copy: '',
      },
    },
    force: { help: 'let --export overwrite the file', needs: { oneOf: ['export'] } },
    noInput,
    ...account,
    fields: fieldsFlag('cards.code'),
  },
  examples: [
    'orderctl redeem ord_1a2b3c --reveal',
    'orderctl redeem ord_1a2b3c --sku GAME-US --only code --reveal',
    'orderctl redeem ord_1a2b3c --export cards.html',
  ],
  notes: `
A spreadsheet drops the leading zeros of codes: import the columns of a .csv
file as text. In it, an apostrophe precedes each text that may be a formula.
`,
})

export type RedeemOptions = OptionsOf<typeof spec>

export const command = defineCommand(spec, async () => (await import('./run.ts')).redeem)
