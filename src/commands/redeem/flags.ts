// The flags and help of `orderctl redeem`.
import type { Command } from '@commander-js/extra-typings'
import {
  type CommandEntry,
  collect,
  examples,
  type FlagsOf,
  orderForms,
  revealFlag,
  withBasics,
  withOutput,
  withSession,
} from '../shared/flags.ts'

const notes = `
--copy uses pbcopy, clip.exe, wl-copy, xclip or xsel if one is installed and
there is a display; otherwise tmux or the terminal (OSC 52). If you copy
something else meanwhile, orderctl leaves it alone. A terminal cannot tell, so
there the clipboard is always cleared.

--export writes a file that only you can read (mode 0600), completely or not at
all. .html is a page to print, with a QR code and a barcode for each card. .json
is what --json --reveal prints. .txt is plain text. .csv is RFC 4180 in UTF-8
with every cell quoted. To keep spreadsheets from running formulas, a cell that
begins with = + - @ ' or a tab or line break gets an apostrophe in front; a
program that reads the file removes one leading apostrophe. Import the columns
as text, or leading zeros are lost.
`

const defineFlags = (command: Command) => {
  const own = command
    .description(
      'Show the cards of an order: codes, PINs, links and how to redeem them. Codes are hidden unless you pass ' +
        '--reveal. Exit code 8 if fewer cards arrived than were ordered.',
    )
    .argument('<order>', orderForms)
    .option('--sku <sku>', 'only this product; can be repeated', collect)
    .option('--only <pin|code|link|serial>', 'print only these values, one a line')
    .option(...revealFlag)
    .option('--qr', 'draw a QR code of each link, or of the code if there is no link; needs --reveal')
    .option('--copy', 'copy one value to the clipboard without showing it; clear it after 45 s')
    .option('--card <number>', 'with --copy or --qr, only this card of the list, counted from 1')
    .option('--export <file>', 'write the cards with their codes to a new file: .csv, .json, .txt or .html')
    .option('--force', 'let --export overwrite the file')
  return withBasics(withOutput(withSession(own)))
}

export type RedeemFlags = FlagsOf<typeof defineFlags>

export const redeemCommand: CommandEntry = {
  name: 'redeem',
  summary: 'Show, copy or export the cards of an order',
  group: 'Orders',
  define: (command, context, setExit) => {
    defineFlags(command)
      .addHelpText(
        ...examples(
          'orderctl redeem ord_1a2b3c --reveal',
          'orderctl redeem ord_1a2b3c --sku GAME-US --only code --reveal',
          'orderctl redeem ord_1a2b3c --export cards.html',
        ),
      )
      .addHelpText('after', notes)
      .action(async (order, flags) => {
        const { redeem } = await import('./run.ts')
        setExit(await redeem(context, order, flags))
      })
  },
}
