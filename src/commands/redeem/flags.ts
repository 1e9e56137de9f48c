// The flags of `orderctl redeem`.
import type { Command } from '@commander-js/extra-typings'
import {
  collect,
  type FlagsOf,
  noInputFlag,
  pickedOrderForms,
  revealFlag,
  withBasics,
  withOutput,
  withSession,
} from '../shared/flags.ts'

export const defineFlags = (command: Command) => {
  const own = command
    .description(
      'Show the cards of an order: codes, PINs, links and how to redeem them. Codes are hidden unless you pass ' +
        '--reveal. The exit code is 8 if fewer cards arrived than were ordered, or if another card has the same code.',
    )
    .argument('[order]', pickedOrderForms)
    .option('--sku <sku>', 'only this product; can be repeated', collect)
    .option('--only <pin|code|link|serial>', 'print only these values, one per line')
    .option(...revealFlag)
    .option('--qr', 'draw a QR code of each link, or of the code if there is no link; needs --reveal')
    .option(
      '--copy',
      'copy one value to the clipboard without showing it; clear it after 45 s; if several match, choose on the terminal',
    )
    .option('--card <number>', 'only this card of the list, counted from 1')
    .option('--export <file>', 'write the cards with their codes to a new file: .csv, .json, .txt or .html')
    .option('--force', 'let --export overwrite the file')
    .option(...noInputFlag)
  return withBasics(withOutput(withSession(own)))
}

export type RedeemFlags = FlagsOf<typeof defineFlags>
