// The commands about orders: their flags and help.
import { states } from '../contract/states.ts'
import {
  type CommandEntry,
  collect,
  examples,
  withBasics,
  withCalls,
  withOutput,
  withSession,
} from './shared.ts'

const reveal = ['--reveal', 'show codes, PINs, serial numbers and links'] as const
const orderForms = 'an order id, @last for the last one placed from here, or ref:REFERENCE'
const noInput = ['--no-input', 'never ask'] as const

export const createCommand: CommandEntry = {
  name: 'create',
  summary: 'place an order, from flags or a file',
  operand: ['[file]'],
  fill: (command, context, setExit) => {
    command
      .description(
        'Places an order: from flags, an order file (JSON, the documented request) or - for standard input; flags win. ' +
          'Everything is checked here before anything is sent. On a terminal it asks for what is missing.',
      )
      .option('--product <product>', 'SKU:QUOTE[xQUANTITY][/TYPE]; may be repeated', collect)
      .option('--wallet <currency>', 'the wallet to pay from')
      .option('--reference <text>', 'your reference (made up when left out; required in a file)')
      .option('--webhook-url <url>', 'where the service delivers the order')
      .option('--confirm', 'confirm it at once: spends')
      .option('--watch', 'confirm it, then wait until it is final')
      .option('--max-total <amount>', 'do not confirm what costs more, in the wallet currency')
      .option('--idempotent', 'go on with the order of this reference if an earlier run placed it; buy once')
      .option('--allow-duplicate', 'order again although the reference is in use on this account')
      .option(...noInput)
      .option('--dry-run', 'check the order and print the request; send nothing')
      .option('--skeleton', 'print an example of an order file')
      .option('--schema', 'print the JSON Schema of an order file')
      .option(...reveal)
    withBasics(withOutput(withSession(command), 'id,invoice.total'))
      .addHelpText(
        ...examples(
          'orderctl create',
          'orderctl create --product GAME-US:25x2 --wallet USD --confirm --watch',
          'orderctl create order.json --json',
        ),
      )
      .action(async (file: string | undefined, flags) => {
        const { create } = await import('../commands/create.ts')
        setExit(await create(context, file, flags))
      })
  },
}

export const confirmCommand: CommandEntry = {
  name: 'confirm',
  summary: 'confirm an order: spends',
  operand: ['<order>', orderForms],
  fill: (command, context, setExit) => {
    command
      .description(
        'Confirm an order and spend its total, once. On a terminal, orderctl shows the total and prompts. ' +
          'In a script (stdin is no terminal), the command itself is the consent.',
      )
      .option('-y, --yes', 'confirm without a prompt')
      .option(...noInput)
      .option('--max-total <amount>', 'do not confirm what costs more, in the wallet currency')
      .option('--min-validity <duration>', 'do not confirm what expires sooner')
      .option('--allow-duplicate', 'confirm it although another order has its reference')
      .option('--accept-changes', 'confirm it although it differs from the order that was placed')
      .option('--idempotent', 'succeed (exit 0) if the order is already confirmed')
      .option('--watch', 'then wait until it is final')
      .option(...reveal)
    withBasics(withOutput(withSession(command)))
      .addHelpText(
        ...examples(
          'orderctl confirm ord_1a2b3c',
          'orderctl confirm ord_1a2b3c --yes --max-total 100 --watch',
        ),
      )
      .action(async (order: string, flags) => {
        const { confirm } = await import('../commands/confirm.ts')
        setExit(await confirm(context, order, flags))
      })
  },
}

export const getCommand: CommandEntry = {
  name: 'get',
  summary: 'show orders as they stand',
  operand: ['<order...>', orderForms],
  fill: (command, context, setExit) => {
    command
      .description(
        'Shows orders: state, products, invoice, rates, times. Codes are masked unless --reveal is given.',
      )
      .option('--explain', 'say in words what happened, what it cost, and what to do next')
      .option(...reveal)
    withBasics(withOutput(withSession(command)))
      .addHelpText(
        ...examples(
          'orderctl get ord_1a2b3c',
          'orderctl get ord_1a2b3c --json --fields state,invoice.total',
          'orderctl get ord_1a2b3c --explain',
        ),
      )
      .action(async (orders: string[], flags) => {
        const { get } = await import('../commands/get.ts')
        setExit(await get(context, orders, flags))
      })
  },
}

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
        const { redeem } = await import('../commands/redeem.ts')
        setExit(await redeem(context, order, flags))
      })
  },
}

export const listCommand: CommandEntry = {
  name: 'list',
  summary: 'what was ordered from here',
  fill: (command, context, setExit) => {
    command
      .description(
        'Lists what was ordered from this machine, newest first, as its journal has it; no call is made without --refresh.',
      )
      .option(
        '--state <state>',
        'in this state: one of the service, or unknown, unanswered, expired, refused, not-sent',
      )
      .option('--since <duration>', 'placed within this time: 2h')
      .option('--reference <text>', 'with this reference')
      .option('--profile <name>', 'of this account (default: of all)')
      .option('--unfinished', 'created, unknown, or not final yet')
      .option('--limit <count>', 'this many at most (default: 30)')
      .option('--refresh', 'fetch what is not final first')
      .option('--reveals', 'list whose codes were shown, by whom and when')
    withBasics(withOutput(withCalls(command), 'orderId,state'))
      .addHelpText(
        ...examples(
          'orderctl list',
          'orderctl list --unfinished --refresh',
          'orderctl list --since 24h --json --fields orderId,state,total',
        ),
      )
      .action(async (flags) => {
        const { list } = await import('../commands/list.ts')
        setExit(await list(context, flags))
      })
  },
}

export const reconcileCommand: CommandEntry = {
  name: 'reconcile',
  summary: 'settle what is open or unknown',
  operand: ['[order]', orderForms],
  fill: (command, context, setExit) => {
    command
      .description(
        'Asks the service about every order from here whose end is not known, or about one; says what is known now ' +
          'and what is for you to decide. Never spends. Exit code 6 if a confirm is not proven to have failed.',
      )
      .option('--settle <spent|not-spent>', 'settle by hand what cannot be proven; makes no call')
      .option('--reason <text>', 'why you know it; recorded with your name')
    withBasics(withOutput(withSession(command), 'orderId,state,next'))
      .addHelpText(...examples('orderctl reconcile', 'orderctl reconcile @last'))
      .action(async (order: string | undefined, flags) => {
        const { reconcile } = await import('../commands/reconcile.ts')
        setExit(await reconcile(context, order, flags))
      })
  },
}

export const watchCommand: CommandEntry = {
  name: 'watch',
  summary: 'wait until orders are final',
  operand: ['<order...>', orderForms],
  fill: (command, context, setExit) => {
    command
      .description(
        'Waits until every order is final and says each change. The exit code is that of the worst end: ' +
          '0 successful, 8 partial, 7 failed or rejected.',
      )
      .option('--for <state>', `wait for this state, or one past it: ${Object.keys(states).join(', ')}`)
      .option('--interval <duration>', 'ask this often (default: 1s, growing to 10s while nothing happens)')
      .option(...reveal)
    withBasics(withOutput(withSession(command)))
      .addHelpText(
        ...examples('orderctl watch ord_1a2b3c', 'orderctl watch ord_1a2b3c ord_4d5e6f --timeout 10m --json'),
      )
      .addHelpText(
        'after',
        '\nHere --timeout is the whole time; without it, watch waits as long as it takes.',
      )
      .action(async (orders: string[], flags) => {
        const { watch } = await import('../commands/watch.ts')
        setExit(await watch(context, orders, flags))
      })
  },
}
