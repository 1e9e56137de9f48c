// The command `orderctl redeem`: its help, and what it runs.
import { type CommandEntry, examples } from '../shared/flags.ts'
import { defineFlags } from './flags.ts'

const notes = `
--copy uses pbcopy, clip.exe, wl-copy, xclip or xsel if one is installed and
there is a display; otherwise tmux or the terminal (OSC 52). If you copy
something else meanwhile, orderctl leaves it alone. A terminal cannot report
this, so its clipboard is always cleared.

--export writes a file that only you can read (mode 0600), completely or not at
all. .html is a page to print, with a QR code and a barcode for each card. .json
is what --json --reveal prints. .txt is plain text. .csv is RFC 4180 in UTF-8
with every cell quoted. To keep spreadsheets from running formulas, a cell that
begins with = + - @ ' or a tab or line break gets an apostrophe in front; a
program that reads the file removes one leading apostrophe. Import the columns
as text, or leading zeros are lost.
`

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
