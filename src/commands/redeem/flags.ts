// The flags and help of `orderctl redeem`.
import {
  type CommandEntry,
  collect,
  examples,
  orderForms,
  reveal,
  withBasics,
  withOutput,
  withSession,
} from '../shared/flags.ts'

const redeemNotes = `
--copy takes pbcopy, clip.exe, wl-copy, xclip or xsel where there is one and a
display, else tmux or the terminal (OSC 52). What has been copied since is left
alone; a terminal cannot tell, and is cleared. --qr draws black on white;
without colour it draws for a dark background.

A file of --export is yours alone (0600), whole or not there at all. .html is a
page to print, a sheet a card, with QR code and barcode; .json is what --json
--reveal prints; .txt is to be read. .csv is RFC 4180 in UTF-8, every cell
quoted. So that no spreadsheet calculates a cell, one that begins with = + - @ '
or a tab or a line's end has an apostrophe put in front: a program takes one
apostrophe off the front of a cell, where there is one, and has the value to the
letter. Import the columns as text, or leading zeros are lost.
`

export const redeemCommand: CommandEntry = {
  name: 'redeem',
  summary: 'show the cards of an order',
  operand: ['<order>', orderForms],
  fill: (command, context, setExit) => {
    command
      .description(
        'Shows the cards of an order: codes, PINs, links and how to redeem them, masked unless --reveal is given. ' +
          'Exit code 8 where fewer cards came than were ordered.',
      )
      .option('--sku <sku>', 'of this product alone; may be repeated', collect)
      .option('--only <pin|code|link|serial>', 'bare values, one a line, for scripts')
      .option(...reveal)
      .option('--qr', 'draw each link, or code where there is none, as a QR code; needs --reveal')
      .option('--copy', 'put one value on the clipboard, unseen, and clear it after 45 s; waits until then')
      .option('--card <number>', 'with --copy or --qr, this one of the cards that are listed, from 1')
      .option('--export <file>', 'write the cards, unmasked, to a new file: .csv, .json, .txt or .html')
      .option('--force', 'let --export replace the file')
    withBasics(withOutput(withSession(command)))
      .addHelpText(
        ...examples(
          'orderctl redeem ord_1a2b3c --reveal',
          'orderctl redeem ord_1a2b3c --sku GAME-US --only code --reveal',
          'orderctl redeem ord_1a2b3c --export cards.html',
        ),
      )
      .addHelpText('after', redeemNotes)
      .action(async (order: string, flags) => {
        const { redeem } = await import('./run.ts')
        setExit(await redeem(context, order, flags))
      })
  },
}
